package jsontree

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// tiny returns limits with which a short document stops everywhere that a long
// one does.
func tiny() limits { return limits{checked: 4, page: 3, step: 16} }

// FuzzTree performs random actions on random documents.
func FuzzTree(f *testing.F) {
	f.Add([]byte(message), []byte("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd"))
	f.Add([]byte(`[[1,2,3,4,5,6,7,8,9,[[[["deep"]]]]],{"a":"`+strings.Repeat(`long\n`, 30)+`"}]`), []byte("unfold all, search and fold"))
	f.Add([]byte(`[1,2,3,4,5,{"a":[`), []byte{9, 9, 9, 9})
	f.Add([]byte("not JSON\nat all \x1b[2J 漢字"), []byte{0, 12, 3, 12})
	f.Fuzz(func(t *testing.T, doc, actions []byte) {
		tree := newTree(doc, plain(), termsafe.Options{Ellipsis: "~"}, tiny())
		for _, a := range actions[:min(len(actions), 100)] {
			n := int(a>>4) - 5
			switch a % 14 {
			case 0:
				tree.Move(n)
			case 1:
				tree.Page(n)
			case 2:
				tree.Scroll(n)
			case 3:
				tree.Toggle()
			case 4:
				tree.Unfold()
			case 5:
				tree.Fold()
			case 6:
				tree.UnfoldAll(20)
			case 7:
				tree.UnfoldToFit(10)
			case 8:
				tree.FoldAll()
			case 9:
				at := len(doc) * n / 10
				if n%2 == 0 {
					tree.RevealAlong(Follow(context.Background(), doc, at), at)
				} else {
					tree.Reveal(at)
				}
			case 10:
				tree.SetQuery(string(doc[:min(len(doc), 1)]))
				tree.Search(context.Background(), n < 0)
			case 11:
				tree.SetSize(10+3*n, n)
			case 12:
				tree.ScrollX(n)
			case 13:
				tree.End()
			}
			requireSound(t, tree)
		}
	})
}

func requireSound(t *testing.T, tree *Tree) {
	t.Helper()
	var out paint.Lines
	tree.Paint(&out, true)
	cursors := 0
	for y := range tree.height {
		row := ansi.Strip(out.Painted(y).String())
		require.LessOrEqual(t, ansi.StringWidth(row), tree.width)
		if strings.HasPrefix(row, ">") {
			cursors++
		}
	}
	if !tree.asText && tree.width > 0 && tree.height > 0 {
		require.Equal(t, 1, cursors)
	}
	require.True(t, bytes.Contains(tree.doc, tree.Value()))
	tree.Pointer()
}

// FuzzWhole opens every gap of a valid document and compares the lines with the
// result of encoding/json.
func FuzzWhole(f *testing.F) {
	f.Add([]byte(message))
	f.Add([]byte(`[[],{},[[]],"",0,{"a":{"b":[1,2,3,4,5,6,7]}},[[[[]]]]]`))
	f.Add([]byte(` [1 , 2,{ "a" : "` + strings.Repeat("x", 60) + `" , "b":3},4,5,6,7 ] `))
	f.Add([]byte(`"` + strings.Repeat(`a \n\u00e9`, 250) + `"`)) // the root unfolds at once
	f.Fuzz(func(t *testing.T, doc []byte) {
		if !json.Valid(doc) {
			t.Skip()
		}
		tree := newTree(doc, plain(), termsafe.Options{}, tiny())
		tree.SetSize(80, 20)
		require.NoError(t, tree.Err())
		openAll(tree)
		if root := tree.lines[0]; root.unfolded && root.isString(doc) {
			requireWholeText(t, tree)
		} else {
			require.Equal(t, countLines(t, doc), tree.Lines())
		}
		for i, l := range tree.lines {
			tree.cursor = i
			require.True(t, l.kind == textLine || json.Valid(tree.Value()), "%s", tree.Value())
		}

		// Any byte can be revealed in a tree where everything is folded.
		for at := 0; at < len(doc); at += 1 + len(doc)/8 {
			fresh := newTree(doc, plain(), termsafe.Options{}, tiny())
			fresh.Reveal(at)
			if bytes.IndexByte([]byte(" \t\r\n,:[]{}"), doc[at]) >= 0 {
				continue
			}
			l := fresh.lines[fresh.lines.node(fresh.cursor)]
			require.LessOrEqual(t, l.start(), at)
			require.Greater(t, l.start()+len(fresh.Value())+l.off-l.start(), at)
		}
	})
}

// openAll unfolds every container and opens every gap.
func openAll(tree *Tree) {
	for i := 0; i < tree.Lines(); i++ {
		for i < tree.Lines() && tree.lines[i].kind == moreLine {
			tree.openGap(i)
		}
		if i < tree.Lines() && tree.lines[i].isContainer(tree.doc) {
			tree.unfold(i)
		}
	}
}

// requireWholeText checks that the lines below an unfolded string at the root
// are its complete text, in lines that fit.
func requireWholeText(t *testing.T, tree *Tree) {
	root := tree.lines[0]
	at := root.off + 1
	for _, l := range tree.lines[1:] {
		require.Equal(t, textLine, l.kind)
		require.Equal(t, at, l.off)
		require.Greater(t, l.end, l.off)
		require.LessOrEqual(t, termsafe.Width(string(tree.doc[l.off:l.end])), tree.textWidth(l.depth))
		at = l.end
	}
	require.Equal(t, root.end-1, at)
}

// countLines returns the number of lines of a fully unfolded document: one for
// each value and one for each closing bracket, except that an empty container
// has one line.
func countLines(t *testing.T, doc []byte) int {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	type container struct {
		object bool
		tokens int
	}
	stack := []container{{}}
	n := 0
	for d.More() || len(stack) > 1 {
		token, err := d.Token()
		require.NoError(t, err)
		top := &stack[len(stack)-1]
		if token == json.Delim(']') || token == json.Delim('}') {
			if top.tokens > 0 {
				n++
			}
			stack = stack[:len(stack)-1]
			continue
		}
		top.tokens++
		if top.object && top.tokens%2 == 1 {
			continue // a key
		}
		n++
		if delim, ok := token.(json.Delim); ok {
			stack = append(stack, container{object: delim == '{'})
		}
	}
	return n
}
