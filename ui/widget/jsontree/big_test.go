package jsontree

import (
	"bytes"
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// bigDocument returns about n bytes: an object that holds a list of small
// objects, a long string and a last key.
func bigDocument(n int) []byte {
	var b bytes.Buffer
	b.Grow(n + 1024)
	b.WriteString(`{"list":[`)
	for b.Len() < n/2 {
		b.WriteString(`{"uri":"res://logs/1","mimeType":"text/plain","size":188,"tags":["a","b"]},`)
	}
	b.WriteString(`0],"text":"`)
	for b.Len() < n {
		b.WriteString(`some words of text, \"quoted\" and with\nline breaks `)
	}
	b.WriteString(`","last":"found"}`)
	return b.Bytes()
}

// TestBigDocument walks through a document that is longer than one step.
func TestBigDocument(t *testing.T) {
	doc := bigDocument(20 << 20)
	short := limits{checked: 1 << 20, page: 500, step: 8 << 20}
	tree := newTree(doc, plain(), termsafe.Options{Ellipsis: "~"}, short)
	tree.SetSize(60, 8)
	require.Equal(t, ">v {\n   > list: [{~}, {~}, {~}, {~}, {~}, {~}, {~}, {~}, {~}, ~]\n     ~ rest not read yet\n   }", screen(tree))

	tree.Move(1)
	tree.Unfold()
	require.Contains(t, screen(tree), ">  v list: [\n     > 0: {uri: \"res://logs/1\", mimeType: \"text/plain\", ~}\n")
	tree.Fold()

	for i := 0; tree.lines[2].kind == moreLine; i++ {
		require.Less(t, i, 10)
		tree.openGap(2)
	}
	require.Regexp(t, `> list: \[{~}, .* ~ 139,812\] \(10\.0M\)`, screen(tree))

	fresh := newTree(doc, plain(), termsafe.Options{}, short)
	fresh.Reveal(9 << 20)
	require.Regexp(t, `^/list/\d+`, fresh.Pointer())
	require.Equal(t, 0, fresh.lines[fresh.lines.before(len(fresh.lines)-1, 1)].index, "the part after the list is still folded")

	tree.SetQuery("found")
	found, wrapped := tree.Search(context.Background(), false)
	require.True(t, found)
	require.False(t, wrapped)
	require.Equal(t, "/last", tree.Pointer())
	require.Equal(t, `"found"`, string(tree.Value()))
	require.Contains(t, screen(tree), `(10.0M)`)

	tree.Reveal(7 << 20)
	require.Regexp(t, `^/list/\d+/`, tree.Pointer())
}

// TestCutShort checks how a truncated file is shown.
func TestCutShort(t *testing.T) {
	doc := bigDocument(2 << 20)
	tree := New(doc[:1<<20+5], plain(), termsafe.Options{Ellipsis: "~"})
	tree.SetSize(60, 5)
	require.NoError(t, tree.Err(), "not found yet")
	require.Equal(t, ">v {\n   > list: [{~}, {~}, {~}, {~}, {~}, {~}, {~}, {~}, {~}, ~]\n   x not JSON at byte 1048581: unexpected end\n   }", screen(tree))
	tree.Move(1)
	tree.Unfold()
	tree.Reveal(1 << 20)
	tree.Move(1000)
	require.Regexp(t, `x not JSON at byte 10485..: unexpected end`, screen(tree))
}

func TestOpeningDoesNotCopy(t *testing.T) {
	doc := bigDocument(16 << 20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	New(doc, plain(), termsafe.Options{})
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

func BenchmarkTree(b *testing.B) {
	doc := bigDocument(100 << 20)
	b.Run("open 100 MiB", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			New(doc, plain(), termsafe.Options{})
		}
	})
	b.Run("unfold a list of 50 MiB", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			tree := New(doc, plain(), termsafe.Options{})
			tree.Move(1)
			tree.Unfold()
		}
	})
	b.Run("reveal the last byte", func(b *testing.B) {
		for b.Loop() {
			tree := New(doc, plain(), termsafe.Options{})
			tree.Reveal(len(doc) - 5)
		}
	})
	b.Run("find the last word", func(b *testing.B) {
		for b.Loop() {
			Find(context.Background(), doc, "found", 0, false)
		}
	})
	b.Run("key and paint", func(b *testing.B) {
		tree := New(doc, plain(), termsafe.Options{Ellipsis: "~"})
		tree.SetSize(80, 50)
		tree.Move(1)
		tree.Unfold()
		tree.End()
		var out paint.Lines
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			tree.Move(1 - i&2)
			tree.Paint(&out, true)
		}
	})
	b.Run("check 1 MiB", func(b *testing.B) {
		small := bigDocument(1<<20 - 100)
		b.SetBytes(int64(len(small)))
		for b.Loop() {
			New(small, plain(), termsafe.Options{})
		}
	})
}
