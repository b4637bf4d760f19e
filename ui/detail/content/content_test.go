package content

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

func parse(line string) *Parts {
	return Parse([]byte(line), framing.Scan([]byte(line)), int64(len(line)), "a summary")
}

// options are those of a terminal without glyphs of its own.
func options(p paint.Profile) Options {
	return Options{
		Reads: true, Theme: paint.NewTheme(paint.Options{Profile: p}), Look: termsafe.Options{Ellipsis: "~"}, Graphics: &kit.Graphics{},
		Keys: Keys{Read: "enter", Save: "S", View: "O", Render: "R"},
	}
}

func newView(line string, w, h int) *View {
	v := New(parse(line), options(paint.NoColor))
	v.SetSize(w, h)
	return v
}

// shown returns the lines on the screen.
func shown(v *View) string {
	var out paint.Lines
	v.Paint(&out, false)
	var rows []string
	for y := range v.h {
		rows = append(rows, strings.TrimRight(ansi.Strip(out.Painted(y).String()), " "))
	}
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}

func lines(rows ...string) string { return strings.Join(rows, "\n") }

func TestParts(t *testing.T) {
	for name, tc := range map[string]struct{ message, want string }{
		"text":         {`"result":{"content":[{"type":"text","text":"hear the sea"}]}`, lines(">1 text  12 B", "   hear the sea")},
		"markdown":     {`"result":{"content":[{"type":"text","text":"# a\n\n* b"}]}`, lines(">1 text  8 B", "   # a", "", "   * b")},
		"json":         {`"result":{"content":[{"type":"text","text":"{\"a\":[1,2]}"}]}`, lines(">1 text  11 B", "   v {", "     v a: [", "         0: 1", "         1: 2", "       ]", "     }")},
		"empty":        {`"result":{"content":[]}`, ""},
		"empty text":   {`"result":{"content":[{"type":"text","text":""}]}`, ">1 text  0 B"},
		"tool failed":  {`"result":{"content":[{"type":"text","text":"no"}],"isError":true}`, lines(">x error  isError: the tool reported a failure", " 1 text  2 B", "   no")},
		"structured":   {`"result":{"content":[],"structuredContent":{"a":1}}`, lines(">structured  7 B", "   v {", "       a: 1", "     }")},
		"audio":        {`"result":{"content":[{"type":"audio","mimeType":"audio/wav","data":"AAEC"}]}`, ">1 audio/wav  3 B   S save as, O open in a viewer"},
		"bad image":    {`"result":{"content":[{"type":"image","mimeType":"image/png","data":"?"}]}`, ">1 image/png  0 B   S save as"},
		"link":         {`"result":{"content":[{"type":"resource_link","uri":"a://b","name":"c","size":2000}]}`, `>1 link  a://b  "c"  2.0K   enter reads it`},
		"embedded":     {`"result":{"content":[{"type":"resource","resource":{"uri":"a://b","mimeType":"text/plain","text":"d"}}]}`, lines(">1 resource  text/plain  1 B  a://b", "   d")},
		"contents":     {`"result":{"contents":[{"uri":"a://b","text":"c"},{"uri":"a://d","blob":"AAEC"}]}`, lines(">1 no type  1 B  a://b", "   c", " 2 no type  3 B  a://d   S save as")},
		"prompt":       {`"result":{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}`, lines(">1 description  1 B", "   d", " 2 user  text  2 B", "   hi")},
		"sampling":     {`"result":{"role":"assistant","model":"m-1","content":{"type":"text","text":"hi"}}`, lines(">model  m-1", " 1 assistant  text  2 B", "   hi")},
		"elicitation":  {`"result":{"action":"accept","content":{"a":1}}`, lines(">result  37 B", "   v {", `       action: "accept"`, "     v content: {", "         a: 1", "       }", "     }")},
		"unknown":      {`"result":{"content":[{"type":"hologram","x":1}]}`, lines(">1 hologram  25 B", "   v {", `       type: "hologram"`, "       x: 1", "     }")},
		"not a block":  {`"result":{"content":[7]}`, lines(">1 block  1 B", "     7")},
		"other result": {`"result":{"tools":[]}`, lines(">result  12 B", "   v {", "       tools: []", "     }")},
		"rpc error":    {`"error":{"code":-32602,"message":"bad\nargument","data":{"a":1}}`, lines(">x error  -32602 Invalid params", "   bad", "   argument", " data  7 B", "   v {", "       a: 1", "     }")},
		"odd code":     {`"error":{"code":7,"message":"m","data":"why"}`, lines(">x error  7", "   m", " 1 data  3 B", "   why")},
		"odd error":    {`"error":"m"`, lines(">error  3 B", `     "m"`)},
		"escapes":      {`"result":{"content":[{"type":"text","text":"\u001b[2J"}]}`, lines(">1 text  4 B", `   \u001b[2J`)},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, shown(newView(`{"jsonrpc":"2.0","id":1,`+tc.message+`}`, 60, 20)))
		})
	}
	require.Equal(t, lines(">1 text  10 B", "   npm notice"), shown(newView("npm notice", 60, 20)))
}

func TestLimits(t *testing.T) {
	v := New(Parse([]byte(`{"result":`), framing.Message{}, MaxBytes+1, "a summary"), options(paint.NoColor))
	v.SetSize(60, 20)
	require.Equal(t, lines(">summary  a summary", " 16.0M is too large for this view: v shows the text"), shown(v))

	v = newView(`{"id":1,"result":{"content":[`+strings.Repeat(`{"type":"text","text":"a"},`, maxParts+5)+`7]}}`, 80, 5)
	v.Act(kit.Bottom)
	require.Contains(t, shown(v), ">only the first 1000 parts are shown: v shows the tree")

	text, err := json.Marshal(strings.Repeat("word ", maxPlain/4))
	require.NoError(t, err)
	v = newView(`{"id":1,"result":{"content":[{"type":"text","text":`+string(text)+`}]}}`, 80, 5)
	v.Act(kit.Bottom)
	require.Contains(t, shown(v), "~ the first 1.0M of 1.2M; S saves all of it")
}

// TestSwitch checks the two forms of a text, also of one that is plain at first because
// of its size.
func TestSwitch(t *testing.T) {
	v := newView(`{"id":1,"result":{"content":[{"type":"text","text":"# a\n* b"},{"type":"text","text":"[1]"},{"type":"audio","data":"AAEC"}]}}`, 40, 9)
	require.Contains(t, shown(v), "   * b")
	require.Nil(t, v.Switch())
	require.Contains(t, shown(v), lines("   # a", "   * b"))
	require.Nil(t, v.Switch())
	require.Contains(t, shown(v), lines("   # a", "", "   * b"))
	v.moveTo(v.starts[1])
	require.Nil(t, v.Switch())
	require.Contains(t, shown(v), "   [1]")
	v.moveTo(v.starts[2])
	ok, why := v.CanSwitch()
	require.False(t, ok)
	require.Equal(t, "the part under the cursor is not a text", why)

	text, err := json.Marshal(strings.Repeat("# a\n\n* b\n\n", maxMarkdown/9))
	require.NoError(t, err)
	v = newView(`{"id":1,"result":{"content":[{"type":"text","text":`+string(text)+`}]}}`, 60, 5)
	require.Contains(t, shown(v), "R lays the Markdown out")
	msg := v.Switch()().(rendered)
	require.Equal(t, markdownForm, msg.form)
}

func TestCursor(t *testing.T) {
	v := newView(`{"id":1,"result":{"content":[{"type":"text","text":"a"},{"type":"resource_link","uri":"a://b"}],"structuredContent":{"a":{"b":1}}}}`, 40, 5)
	name := func() string { return v.Selected().Name() }
	require.Equal(t, "part 1", name())
	v.Act(kit.Down)
	require.Equal(t, "part 1", name())
	v.Act(kit.Down)
	require.Equal(t, "a://b", v.Selected().Link)
	v.Act(kit.Bottom)
	require.Equal(t, "structured", name())
	before := v.total
	v.Act(kit.Top)
	v.Act(kit.Down)
	v.Act(kit.Down)
	v.Act(kit.Down)
	v.Act(kit.Down) // the root of the tree
	v.Act(host.ActOpen)
	require.Less(t, v.total, before)
	require.Contains(t, shown(v), "> {a: {~}}")
	v.Act(host.ActOpen)
	require.Equal(t, before, v.total)
	v.Click(0)
	require.Equal(t, v.top, v.cursor)
	require.False(t, v.Act("no such action"))

	v.Act(kit.Bottom)
	v.SetSize(30, 3)
	require.Equal(t, "structured", name(), "the part stays")
}

func TestSave(t *testing.T) {
	parts := parse(`{"id":1,"result":{"content":[{"type":"image","mimeType":"image/jpeg","data":"AAEC"},{"type":"text","text":"# a"},{"type":"text","text":"[1]"},{"type":"audio","data":"*"},{"type":"text","text":"x"}]}}`).list
	var suffixes []string
	for _, p := range parts {
		require.True(t, p.HasBytes())
		suffixes = append(suffixes, p.Suffix())
	}
	require.Equal(t, []string{".jpg", ".md", ".json", ".bin", ".txt"}, suffixes)
	data, err := parts[0].Bytes()
	require.NoError(t, err)
	require.Equal(t, []byte{0, 1, 2}, data)
	_, err = parts[3].Bytes()
	require.ErrorContains(t, err, "not valid base64")
	text, ok := parts[1].Text()
	require.True(t, ok)
	require.Equal(t, "# a", text)
}

func TestLooksLikeMarkdown(t *testing.T) {
	for _, tc := range []struct {
		mime, text string
		want       bool
	}{
		{"", "# Title", true},
		{"", "#hashtag and #another", false},
		{"", "plain words", false},
		{"", "- one\n- two", true},
		{"", "- only one", false},
		{"", "see [x](y)", true},
		{"", "**bold** words", true},
		{"", "2 ** 3", false},
		{"text/html", "# Title", false},
		{"text/plain", "```\ncode\n```", true},
	} {
		require.Equal(t, tc.want, looksLikeMarkdown(tc.mime, []byte(tc.text)), tc.text)
	}
}

func FuzzContent(f *testing.F) {
	f.Add([]byte(`{"id":1,"result":{"content":[{"type":"text","text":"# a"},{"type":"image","data":"AAEC"},{"type":"resource","resource":{"uri":"x","blob":"AA"}},7],"structuredContent":[{}],"isError":true}}`), 40, 10)
	f.Add([]byte(`{"id":1,"result":{"messages":[{"role":"user","content":[{"type":"resource_link","uri":"x"}]}],"description":"d"}}`), 20, 3)
	f.Add([]byte(`{"id":1,"error":{"code":-32002,"message":"m","data":{}}}`), 12, 2)
	f.Fuzz(func(t *testing.T, line []byte, w, h int) {
		w, h = max(w, -w, 0)%120, max(h, -h, 0)%40
		v := New(Parse(line, framing.Scan(line), int64(len(line)), ""), options(paint.TrueColor))
		defer v.Close()
		v.SetSize(w, h)
		for _, action := range []string{kit.Bottom, host.ActOpen, kit.PageUp, kit.Left, kit.Right, kit.Top, kit.Down, host.ActOpen} {
			v.Act(action)
			var out paint.Lines
			v.Paint(&out, true)
			for y := range h {
				require.LessOrEqual(t, ansi.StringWidth(ansi.Strip(out.Painted(y).String())), w)
			}
		}
		v.Switch()
	})
}

// BenchmarkKey measures a key in a view of 10 MB, after it was parsed.
func BenchmarkKey(b *testing.B) {
	for name, text := range map[string]string{
		"text":  strings.Repeat("words and more of them\n", 10<<20/23),
		"image": base64.StdEncoding.EncodeToString(make([]byte, 7<<20)),
		"json":  "[" + strings.Repeat(`{"name":"a","values":[1,2,3]},`, 10<<20/30) + "0]",
	} {
		kind := map[string]string{"text": "text", "json": "text", "image": "blob"}[name]
		quoted, err := json.Marshal(text)
		require.NoError(b, err)
		message := fmt.Sprintf(`{"id":1,"result":{"contents":[{"uri":"a://b",%q:%s}]}}`, kind, quoted)
		b.Run(name+"/parse", func(b *testing.B) {
			for b.Loop() {
				parse(message)
			}
		})
		b.Run(name+"/open", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				parts := parse(message)
				b.StartTimer()
				v := New(parts, options(paint.TrueColor))
				v.SetSize(120, 36)
			}
		})
		b.Run(name+"/key", func(b *testing.B) {
			v := newView(message, 120, 36)
			var out paint.Lines
			for i := 0; b.Loop(); i++ {
				v.Act([]string{kit.PageDown, kit.Bottom, kit.Up, kit.Top}[i%4])
				v.Paint(&out, true)
			}
		})
		b.Run(name+"/resize", func(b *testing.B) {
			v := newView(message, 120, 36)
			for i := 0; b.Loop(); i++ {
				v.SetSize(100+i%2, 36)
			}
		})
	}
}
