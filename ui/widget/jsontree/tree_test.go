package jsontree

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

func plain() *paint.Theme { return paint.NewTheme(paint.Options{}) }

func treeOf(doc string, w, h int) *Tree {
	t := New([]byte(doc), plain(), termsafe.Options{Ellipsis: "~"})
	t.SetSize(w, h)
	return t
}

// screen paints the tree without styles, trailing blanks and empty lines.
func screen(t *Tree) string {
	var out paint.Lines
	t.Paint(&out, true)
	_, h := out.Size()
	var lines []string
	for y := range h {
		lines = append(lines, strings.TrimRight(ansi.Strip(out.Painted(y).String()), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

const message = `{"jsonrpc":"2.0", "id":813,"result":{"contents":[{"uri":"res://logs/1","text":"first line\nsecond \"line\"\nthe third line, which is long"}],` +
	`"n":1.50e400,"n":9007199254740993,"a key":null,"":true,"empty":{},"none":[ ],"esc\u0041ped":"\u00e9` + "\u202e" + `"}}`

func TestUnfoldAndFold(t *testing.T) {
	tree := treeOf(message, 44, 20)
	require.NoError(t, tree.Err())
	require.Equal(t, strings.TrimLeft(`
>v {
     jsonrpc: "2.0"
     id: 813
   > result: {contents: [~ 1], ~}
   }`, "\n"), screen(tree))

	tree.Move(3)
	tree.Unfold()
	tree.Unfold()
	tree.Unfold()
	require.Equal(t, strings.TrimLeft(`
 v {
     jsonrpc: "2.0"
     id: 813
   v result: {
>    v contents: [
       > 0: {uri: "res://logs/1", ~}
       ]
       n: 1.50e400
       n: 9007199254740993
       "a key": null
       "": true
       empty: {}
       none: []
       "esc\u0041ped": "\u00e9\u202e"
     }
   }`, "\n"), screen(tree))

	tree.Unfold()
	tree.Toggle()
	tree.Move(2)
	tree.Toggle()
	require.Equal(t, strings.TrimLeft(`
 v {
     jsonrpc: "2.0"
     id: 813
   v result: {
     v contents: [
       v 0: {
           uri: "res://logs/1"
>        v text: "~" (58)
           | first line\n
           | second \"line\"\n
           | the third line, which is long
         }
       ]
       n: 1.50e400`, "\n"), strings.Join(strings.Split(screen(tree), "\n")[:14], "\n"))

	tree.Fold()
	require.Contains(t, screen(tree), `>        > text: "first line\nsecond ~" (58)`)
	tree.Fold()
	require.Contains(t, screen(tree), ">      v 0: {")
	tree.FoldAll()
	require.Equal(t, strings.TrimLeft(`
 v {
     jsonrpc: "2.0"
     id: 813
>  > result: {contents: [~ 1], ~}
   }`, "\n"), screen(tree))
}

func TestFoldFromInside(t *testing.T) {
	tree := treeOf(`[[1,2],[3]]`, 40, 20)
	tree.UnfoldAll(100)
	tree.Move(4)
	require.Contains(t, screen(tree), ">    ]")
	tree.Toggle()
	require.Equal(t, " v [\n>  > 0: [1, 2]\n   v 1: [\n       0: 3\n     ]\n   ]", screen(tree))
	tree.End()
	tree.Fold()
	require.Equal(t, ">> [[~ 2], [~ 1]]", screen(tree))
}

func TestValueAndPointer(t *testing.T) {
	tree := treeOf(`{"a/b":{"m~n":[10,{"x y":"z\n"}]},"\u0041":1.0}`, 40, 30)
	tree.UnfoldAll(100)
	got := map[string]string{}
	for i := range tree.Lines() {
		tree.Home()
		tree.Move(i)
		if old, ok := got[tree.Pointer()]; ok {
			require.Equal(t, old, string(tree.Value()), "a closing bracket has the value of its container")
		}
		got[tree.Pointer()] = string(tree.Value())
	}
	require.Equal(t, map[string]string{
		"":                 string(tree.doc),
		"/a~1b":            `{"m~n":[10,{"x y":"z\n"}]}`,
		"/a~1b/m~0n":       `[10,{"x y":"z\n"}]`,
		"/a~1b/m~0n/0":     `10`,
		"/a~1b/m~0n/1":     `{"x y":"z\n"}`,
		"/a~1b/m~0n/1/x y": `"z\n"`,
		"/A":               `1.0`,
	}, got)
}

func TestScalars(t *testing.T) {
	for _, doc := range []string{`"hi"`, "1e5", "true", "null", "{}", "[]", " [\n] "} {
		tree := treeOf(doc, 40, 5)
		require.NoError(t, tree.Err())
		require.Equal(t, ">  "+strings.ReplaceAll(strings.TrimSpace(doc), "\n", ""), screen(tree))
		tree.Toggle()
		tree.Fold()
		require.Equal(t, 1, tree.Lines(), doc)
	}
}

func TestNotJSON(t *testing.T) {
	for _, tc := range []struct {
		doc    string
		offset int
		want   string
	}{
		{``, 0, ">x not JSON at byte 0: unexpected end"},
		{`Server listening on stdio`, 0, " x not JSON at byte 0: expected a value\n>Server listening on stdio"},
		{`{"a":1,}`, 7, " x not JSON at byte 7: expected a key\n>{\"a\":1,}"},
		{`[1 2]`, 3, " x not JSON at byte 3: expected ',' or ']'\n>[1 2]"},
		{`{"a" 1}`, 5, " x not JSON at byte 5: expected ':'\n>{\"a\" 1}"},
		{`[01]`, 2, " x not JSON at byte 2: expected ',' or ']'\n>[01]"},
		{`{} x`, 3, " x not JSON at byte 3: text after the document\n>{} x"},
		{"{\"a\":\n\"\x1b[2J\"}", 7, " x not JSON at byte 7: control character in a string\n {\"a\":\\n\n>\"\\u001b[2J\"}"},
		{`"\x"`, 1, " x not JSON at byte 1: unknown escape\n>\"\\x\""},
		{`[1.]`, 3, " x not JSON at byte 3: expected a digit\n>[1.]"},
	} {
		tree := treeOf(tc.doc, 60, 10)
		var syntax *SyntaxError
		require.ErrorAs(t, tree.Err(), &syntax, tc.doc)
		require.Equal(t, tc.offset, syntax.Offset, tc.doc)
		require.Equal(t, tc.want, screen(tree), tc.doc)
		require.Empty(t, tree.Pointer())
		require.Equal(t, tc.doc, string(tree.Value()))
	}
}

func TestErrorIsFoundWhenReached(t *testing.T) {
	for doc, want := range map[string]string{
		`[1] x`:     ">v [\n     0: 1\n   x not JSON at byte 4: text after the document\n   ]",
		`[1,truth]`: ">v [\n     0: 1\n   x not JSON at byte 3: expected a value\n   ]",
		`[1 2]`:     ">v [\n     0: 1\n   x not JSON at byte 3: expected ',' or ']'\n   ]",
		`["abc`:     ">v [\n     0: \"abc~\"\n   x not JSON at byte 5: unexpected end\n   ]",
	} {
		tree := newTree([]byte(doc), plain(), termsafe.Options{Ellipsis: "~"}, tiny())
		tree.SetSize(60, 8)
		require.NoError(t, tree.Err())
		require.Equal(t, want, screen(tree), doc)
	}
}

func TestUnfoldedStringIsNotRepeated(t *testing.T) {
	tree := treeOf(`["`+strings.Repeat("word ", 12)+`"]`, 100, 8)
	tree.Move(1)
	tree.Toggle()
	require.Equal(t, " v [\n>  v 0: \"~\" (60)\n     | "+strings.Repeat("word ", 11)+"word\n   ]", screen(tree))
}

func TestErrorFarAwayIsShown(t *testing.T) {
	doc := `{"long":"` + strings.Repeat("word ", 100_000) + "\x01\"}"
	tree := treeOf(doc, 50, 6)
	require.Error(t, tree.Err())
	tree.Move(0)
	require.Contains(t, screen(tree), `>`)
	require.Contains(t, screen(tree), `\u0001"}`)
}

func TestErrorPositionIsHighlighted(t *testing.T) {
	tree := treeOf(`[1,é]`, 60, 4)
	tree.Home()
	var out paint.Lines
	tree.Paint(&out, true)
	require.Equal(t, " [1,\x1b[1;4mé\x1b[22;24m]", out.Painted(1).String())
}

func TestFoldLeavesNoHole(t *testing.T) {
	tree := treeOf("[0,1,2,3,["+strings.Repeat("4,", 20)+"5]]", 20, 6)
	tree.Move(5)
	tree.Unfold()
	tree.Scroll(4)
	require.True(t, strings.HasPrefix(screen(tree), "     3: 3\n>  v 4: [\n"))
	tree.Fold()
	require.Equal(t, "     0: 0\n     1: 1\n     2: 2\n     3: 3\n>  > 4: [4, 4, ~ 21]\n   ]", screen(tree))
}

func TestText(t *testing.T) {
	doc := "0123456789abcdef漢字\nnext line"
	tree := NewText([]byte(doc), plain(), termsafe.Options{Ellipsis: "~"})
	tree.SetSize(11, 9)
	require.NoError(t, tree.Err())
	require.Equal(t, ">0123456789\n abcdef漢字\n \\n\n next line", screen(tree))
	tree.Move(3)
	tree.SetSize(31, 9)
	require.Equal(t, " 0123456789abcdef漢字\\n\n>next line", screen(tree))
	require.Equal(t, doc, string(tree.Value()))
	tree.Fold()
	tree.Unfold()
	tree.FoldAll()
	tree.UnfoldAll(10)
	tree.UnfoldToFit(10)
	require.Equal(t, " 0123456789abcdef漢字\\n\n>next line", screen(tree))
}

func TestPagesOfAnArray(t *testing.T) {
	tree := treeOf("["+strings.Repeat("7,", 1200)+"7]", 40, 4)
	require.Equal(t, 1+usualLimits().page+2, tree.Lines())
	tree.End()
	tree.Move(-1)
	require.Equal(t, "     498: 7\n     499: 7\n>    ~ 701 more of 1,201\n   ]", screen(tree))
	tree.Move(1)
	require.Equal(t, "     498: 7\n     499: 7\n>    500: 7\n     501: 7", screen(tree))
	tree.End()
	tree.Move(-1)
	tree.Toggle()
	require.Equal(t, 1+1201+1, tree.Lines(), "all of it")
	require.Equal(t, "/1000", tree.Pointer())
	tree.End()
	require.Equal(t, "     1198: 7\n     1199: 7\n     1200: 7\n>  ]", screen(tree))
}

func TestReveal(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"before":[1,2],"list":[`)
	for i := range 5000 {
		fmt.Fprintf(&b, `{"n":%d},`, i)
	}
	b.WriteString(`"end"]}`)
	doc := b.String()
	tree := treeOf(doc, 40, 6)

	tree.Reveal(strings.Index(doc, "4321}"))
	require.Equal(t, "/list/4321/n", tree.Pointer())
	require.Equal(t, "4321", string(tree.Value()))
	tree.Move(-2)
	require.Contains(t, screen(tree), ">      ~ 3,821 more of 5,001\n     v 4321: {")
	tree.Toggle()
	require.Equal(t, "/list/500", tree.Pointer(), "the gap before it opens at its beginning")

	tree.Reveal(strings.Index(doc, "3210}"))
	require.Equal(t, "/list/3210/n", tree.Pointer(), "and may be cut again")
	tree.Reveal(strings.Index(doc, `"end"`))
	require.Equal(t, "/list/5000", tree.Pointer())
	tree.Reveal(strings.Index(doc, "4322}"))
	require.Equal(t, "/list/4322/n", tree.Pointer())
	require.Less(t, tree.Lines(), 6*usualLimits().page)

	// Every gap can be opened, and afterwards all children are shown in order.
	for i := 0; i < tree.Lines(); i++ {
		for tree.lines[i].kind == moreLine {
			tree.openGap(i)
		}
	}
	var indexes []int
	for _, l := range tree.lines {
		if l.depth == 2 && l.kind == valueLine && l.keyEnd == 0 && doc[l.off] != '1' && doc[l.off] != '2' {
			indexes = append(indexes, l.index)
		}
	}
	require.Len(t, indexes, 5001)
	require.IsIncreasing(t, indexes)
}

func TestSearch(t *testing.T) {
	ctx := context.Background()
	tree := treeOf(`{"a":"needle","b":[0,[{"Needle":1}]],"c":"none needle"}`, 40, 12)
	tree.SetQuery("needle")
	want := []string{"/a", "/b/1/0/Needle", "/c"}
	for _, pointer := range want {
		found, wrapped := tree.Search(ctx, false)
		require.True(t, found)
		require.False(t, wrapped)
		require.Equal(t, pointer, tree.Pointer())
	}
	found, wrapped := tree.Search(ctx, false)
	require.True(t, found)
	require.True(t, wrapped)
	require.Equal(t, "/a", tree.Pointer())
	_, wrapped = tree.Search(ctx, true)
	require.True(t, wrapped)
	require.Equal(t, "/c", tree.Pointer())
	_, wrapped = tree.Search(ctx, true)
	require.False(t, wrapped)
	require.Equal(t, "/b/1/0/Needle", tree.Pointer())

	tree.SetQuery("Needle")
	tree.Home()
	tree.Search(ctx, false)
	require.Equal(t, "/b/1/0/Needle", tree.Pointer(), "upper case matches exactly")

	tree.SetQuery("absent")
	found, _ = tree.Search(ctx, false)
	require.False(t, found)
	require.Equal(t, "/b/1/0/Needle", tree.Pointer())
}

func TestHitsAreHighlighted(t *testing.T) {
	tree := treeOf(`["one","two one"]`, 40, 12)
	tree.SetQuery("one")
	tree.Move(1)
	var out paint.Lines
	tree.Paint(&out, true)
	require.Equal(t, "\x1b[7m\x1b[1m>\x1b[22m\x1b[7m    0: \"\x1b[4mone\x1b[24m\x1b[7m\"", strings.TrimRight(strings.TrimSuffix(out.Painted(1).String(), "\x1b[27m"), " "))
	require.Equal(t, "     1: \"two \x1b[7mone\x1b[27m\"", out.Painted(2).String())
}

func TestFind(t *testing.T) {
	far := strings.Repeat("x", 1<<20-2) + "Word" + strings.Repeat("y", 1<<20) + "word"
	first, last := 1<<20-2, len(far)-4
	for _, tc := range []struct {
		query    string
		from     int
		backward bool
		want     int
	}{
		{"word", 0, false, first},
		{"word", first, false, first},
		{"word", first + 1, false, last},
		{"word", last + 1, false, -1},
		{"Word", first + 1, false, -1},
		{"word", len(far), true, last},
		{"word", last, true, first},
		{"word", first, true, -1},
		{"Word", last, true, first},
		{"", 0, false, -1},
	} {
		got, found := Find(context.Background(), []byte(far), tc.query, tc.from, tc.backward)
		if !found {
			got = -1
		}
		require.Equal(t, tc.want, got, "%+v", tc)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, found := Find(ctx, []byte(far), "word", 0, false)
	require.False(t, found)
}

func TestDeep(t *testing.T) {
	const depth = 10_000
	doc := strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth)
	tree := treeOf(doc, 40, 10)
	require.NoError(t, tree.Err())
	tree.UnfoldAll(math.MaxInt)
	require.Greater(t, tree.Lines(), 1000)
	tree.Reveal(depth - 1)
	require.Equal(t, strings.Repeat("/0", depth-1), tree.Pointer())
	require.Contains(t, screen(tree), "[]")
}

func TestUnfoldToFit(t *testing.T) {
	tree := treeOf(message, 60, 20)
	tree.UnfoldToFit(15)
	require.Equal(t, 14, tree.Lines(), "the next would make it 16")
	tree.UnfoldToFit(19)
	require.Equal(t, 19, tree.Lines(), "no room for strings")
	tree.UnfoldToFit(20)
	require.Equal(t, 19, tree.Lines(), "the one that is cut takes three lines")
	tree.UnfoldToFit(100)
	require.Equal(t, 22, tree.Lines())
}

// TestCutStrings checks that a short string can be unfolded where it is
// truncated, and is unfolded as long as there is room.
func TestCutStrings(t *testing.T) {
	const doc = `{"result":{"text":"The sum of 12 and 4.5 is 16.5","id":"short"}}`
	tree := treeOf(doc, 24, 20)
	tree.UnfoldToFit(10)
	require.Equal(t, strings.TrimLeft(`
>v {
   v result: {
     v text: "~" (29)
       | The sum of 12
       | and 4.5 is 16.5
       id: "short"
     }
   }`, "\n"), screen(tree))

	tree.Move(5)
	tree.SetSize(60, 20)
	require.Equal(t, 6, tree.Lines())
	require.Equal(t, "/result/id", tree.Pointer())
	tree.SetSize(24, 20)
	require.Equal(t, 8, tree.Lines(), "as it was")
	require.Equal(t, "/result/id", tree.Pointer())
	tree.Fold()
	tree.Fold()
	tree.SetSize(60, 20)
	tree.SetSize(24, 20)
	require.Equal(t, 3, tree.Lines(), "as the person wants it")

	wide := treeOf(doc, 60, 20)
	wide.UnfoldToFit(10)
	require.Equal(t, 6, wide.Lines(), "it is fully visible")
	wide.Move(2)
	wide.Toggle()
	require.Equal(t, 6, wide.Lines())
	wide.SetSize(24, 20)
	wide.Toggle()
	require.Equal(t, 8, wide.Lines(), "now it is not")
	wide.Move(4)
	require.Equal(t, "/result", wide.Pointer(), "on the closing bracket")
	wide.SetSize(60, 20)
	require.Equal(t, 6, wide.Lines(), "and now it is again")
	require.Equal(t, "/result", wide.Pointer())
}

func TestUnfoldAllLimit(t *testing.T) {
	tree := treeOf("["+strings.Repeat(`{"a":[1,2]},`, 400)+`0]`, 40, 10)
	tree.UnfoldAll(600)
	require.Greater(t, tree.Lines(), 600)
	require.Less(t, tree.Lines(), 700)
}

func TestMoves(t *testing.T) {
	tree := treeOf("[0,1,2,3,4,5,6,7,8,9]", 20, 4)
	cursor := func() string { return string(tree.Value()) }
	tree.Move(3)
	require.Equal(t, "2", cursor())
	tree.Page(1)
	require.Equal(t, "5", cursor())
	tree.HalfPage(-1)
	require.Equal(t, "3", cursor())
	tree.Scroll(2)
	require.Equal(t, ">    4: 4\n     5: 5\n     6: 6\n     7: 7", screen(tree))
	tree.Scroll(-99)
	require.Equal(t, " v [\n     0: 0\n     1: 1\n>    2: 2", screen(tree))
	require.True(t, tree.SelectLine(1))
	require.Equal(t, "0", cursor())
	require.False(t, tree.SelectLine(4))
	require.False(t, tree.SelectLine(-1))
	tree.End()
	tree.Move(5)
	require.Equal(t, "     7: 7\n     8: 8\n     9: 9\n>  ]", screen(tree))
	tree.ScrollX(4)
	require.Equal(t, " 7: 7\n 8: 8\n 9: 9\n>", screen(tree))
	tree.ScrollX(-9)
	tree.Home()
	tree.SetSize(0, 0)
	tree.Move(4)
	tree.Scroll(1)
	require.Empty(t, screen(tree))
}

// TestPreviews checks the beginnings of folded containers at several widths.
func TestPreviews(t *testing.T) {
	const doc = `[{"name":"echo","title":"Echo Tool","in":{"type":"object"},"out":[],"n":1.5e3,"ok":true},` +
		`[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20],{"odd key":"a\nb","x":{}},[[1],[]]]`
	for _, tc := range []struct {
		w    int
		want string
	}{
		{100, `
>v [
   > 0: {name: "echo", title: "Echo Tool", in: {~}, out: [], n: 1.5e3, ok: true}
   > 1: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]
   > 2: {"odd key": "a\nb", x: {}}
   > 3: [[~ 1], []]
   ]`},
		{50, `
>v [
   > 0: {name: "echo", title: "Echo Tool", ~}
   > 1: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ~ 20]
   > 2: {"odd key": "a\nb", x: {}}
   > 3: [[~ 1], []]
   ]`},
		{25, `
>v [
   > 0: {name: "echo", ~}
   > 1: [1, 2, 3, ~ 20]
   > 2: { 2 }
   > 3: [[~ 1], []]
   ]`},
		{14, `
>v [
   > 0: { 6 }
   > 1: [ 20 ]
   > 2: { 2 }
   > 3: [ 2 ]
   ]`},
	} {
		require.Equal(t, strings.TrimPrefix(tc.want, "\n"), screen(treeOf(doc, tc.w, 10)), tc.w)
	}
}

// TestPreviewIsBounded checks that a preview reads only the beginning of a
// container, and that long values are cut between escapes.
func TestPreviewIsBounded(t *testing.T) {
	long := `{"a":"` + strings.Repeat(`word\u00e9 `, 10_000) + `","b":1}`
	tree := treeOf(`[`+long+`,[`+strings.Repeat(" ", 2*previewBytes)+`1],[`+strings.Repeat("1", 2*previewBytes)+`],{"`+strings.Repeat("k", 100)+`":1}]`, 80, 10)
	require.Equal(t, strings.TrimLeft(`
>v [
   > 0: {a: "word\u00e9 word\u00e9 word\u00e9 word~", ~} (107.4K)
   > 1: [ 1 ] (8.0K)
   > 2: [111111111111111111111111111111111111111~] (8.0K)
   > 3: { 1 }
   ]`, "\n"), screen(tree))
}

// TestPreviewIsSafe checks that nothing in a preview reaches the terminal raw.
func TestPreviewIsSafe(t *testing.T) {
	tree := treeOf("[{\"\u202eevil\":\"\u202e\x7f\"}]", 60, 10)
	require.Equal(t, `   > 0: {"\u202eevil": "\u202e\u007f"}`, strings.Split(screen(tree), "\n")[1])
}

// TestNothingAfterTheLast checks that there is no line for the rest where a page
// ends with the last member.
func TestNothingAfterTheLast(t *testing.T) {
	page := usualLimits().page
	tree := treeOf("["+strings.Repeat("7,", page-1)+"7]", 40, 4)
	require.Equal(t, page+2, tree.Lines())
	tree = treeOf("["+strings.Repeat("7,", page)+"7]", 40, 4)
	tree.End()
	tree.Move(-1)
	require.Equal(t, "     498: 7\n     499: 7\n>    ~ 1 more of 501\n   ]", screen(tree))

	text := NewText([]byte(strings.Repeat("x\n", page+3)), plain(), termsafe.Options{Ellipsis: "~"})
	text.SetSize(20, 3)
	text.End()
	require.Equal(t, " x\\n\n x\\n\n>  ~ 6 more", screen(text))
	text.Toggle()
	require.Equal(t, page+3, text.Lines())
}
