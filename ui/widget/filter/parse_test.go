package filter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

func TestSyntaxErrors(t *testing.T) {
	for text, want := range map[string]string{
		`methd:x`:                        `column 1: unknown key "methd"`,
		`a id:`:                          `column 6: id: needs a value`,
		`a dir:up`:                       `column 7: dir: must be in or out`,
		`kind:x`:                         `column 6: kind: must be request`,
		`>fast`:                          `column 2: expected a time such as`,
		`>`:                              `column 2: expected a time such as`,
		`a "b`:                           `column 3: missing closing quote; try a "b"`,
		`foo:bar`:                        `, or quote the word; try "foo:bar"`,
		`a methd:x b`:                    `; try a method:x b`,
		`> 100ms a`:                      `; try >100ms a`,
		`tool: echo`:                     `tool: needs a value; try tool:echo`,
		`a && b`:                         `column 3: write "and", or quote the word &&; try a and b`,
		`a OR err`:                       `try a or err`,
		`NOT err`:                        `column 1: write "!", or quote the word NOT; try !err`,
		`a -err`:                         `column 3: write "!" for not; try a !err`,
		`-tool:x`:                        `try !tool:x`,
		`/a`:                             `column 1: missing closing slash; try /a/`,
		`AND "`:                          `column 1: write "and", or quote the word AND`,
		`"a"b`:                           `column 4: expected a space after the closing quote`,
		`id:"a"b`:                        `column 7: expected a space after`,
		`/a/b`:                           `column 4: expected a space after the closing slash`,
		`/(/`:                            `column 2: missing closing )`,
		`! a`:                            `column 2: "!" needs a word after it`,
		`or a`:                           `column 1: "or" needs a word before it`,
		`a or or b`:                      `column 6: "or" needs a word before it`,
		"ab\xff":                         `column 3: not valid UTF-8`,
		`a or`:                           `column 3: "or" needs a word after it`,
		`a and`:                          `column 3: "and" needs a word after it`,
		`and a`:                          `column 1: "and" needs a word before it`,
		`a or and b`:                     `column 6: "and" needs a word before it`,
		`a and or b`:                     `column 7: "or" needs a word before it`,
		`tool:`:                          `column 6: tool: needs a value`,
		`n:x`:                            `column 3: n: must be a number or a range`,
		`a n:-`:                          `column 5: n: expected a number before or after the dash`,
		`seq:3-x`:                        `column 7: expected a number or nothing after the dash`,
		`seq:12-3`:                       `column 8: empty range: 3 is less than 12`,
		`run:-1-2`:                       `column 6: expected a number`,
		strings.Repeat("x", MaxLength+1): `column 1025: a filter is limited to 1024 bytes`,
	} {
		f, err := Parse(text)
		require.Nil(t, f, text)
		require.ErrorContains(t, err, want, text)
		var syntax *SyntaxError
		require.ErrorAs(t, err, &syntax, text)
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]session.Kind{
		"kind:stderr": session.KindStderr, "!kind:stderr x": session.KindStderr, "kind:exited": session.KindExited,
		"kind:event": session.KindGap,
	} {
		f, err := Parse(text)
		require.NoError(t, err)
		require.True(t, f.NamesKind(want), text)
	}
	for text, not := range map[string]session.Kind{"stderr": session.KindStderr, "": session.KindStderr, "kind:event": session.KindStderr, "kind:exited": session.KindGap} {
		f, err := Parse(text)
		require.NoError(t, err)
		require.False(t, f.NamesKind(not), text)
	}
}
func TestComplete(t *testing.T) {
	for text, want := range map[string][]string{
		"me":         {"method:"},
		"x !ki":      {"x !kind:"},
		"dir:":       {"dir:in", "dir:out"},
		"a dir:o":    {"a dir:out"},
		"kind:re":    {"kind:request", "kind:response"},
		"kind:ex":    {"kind:exited"},
		"is:s":       {"is:slow"},
		"is:r":       {"is:running", "is:restart"},
		"method:x":   nil,
		`"a me`:      nil,
		`"a" me`:     {`"a" method:`},
		"e":          {"err"},
		"":           {"method:", "tool:", "id:", "is:", "dir:", "kind:", "n:", "seq:", "run:", "err"},
		"something ": {"something method:", "something tool:", "something id:", "something is:", "something dir:", "something kind:", "something n:", "something seq:", "something run:", "something err"},
	} {
		require.Equal(t, want, Complete(text), text)
	}
}

// TestSuggest checks the filter that may be meant by one that matches nothing.
func TestSuggest(t *testing.T) {
	for text, want := range map[string]string{
		"tool=echo": "tool:echo", "a 100ms": "a >100ms", "not err": "!err", "'a b' c": `"a b" c`, ">100 ms": ">100ms", "unanswered": "is:unanswered",
		"k=3": "", "a b": "", "tool:echo": "", "": "", "not": "",
	} {
		f, err := Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, f.Suggest(), text)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`method:tools/* id:"a b" !ping or /x\/y/ >100ms`, `tool:e?ho and n:3- seq:-7 or !run:1-2 kind:event`, `"\"" dir:in kind:stray err`, "ö:", "!", "<1e9s", `/(?i)[/`, `text "foo`, "k=[1,2] or b=x", "> 100ms", "a && -err NOT b", "tool: echo", "/a+B|C|[de]/ is:slow", `'a b'`,
	} {
		f.Add(seed, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
	}
	f.Fuzz(func(t *testing.T, text, payload string) {
		parsed, err := Parse(text)
		if err != nil {
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			require.GreaterOrEqual(t, syntax.Column, 1)
			require.LessOrEqual(t, syntax.Column, len(text)+1)
			return
		}
		if parsed == nil {
			require.Empty(t, strings.Trim(text, " "))
			return
		}
		if suggested := parsed.Suggest(); suggested != "" {
			_, err := Parse(suggested)
			require.NoError(t, err)
		}
		again, err := Parse(parsed.String())
		require.NoError(t, err)
		src := &one{payload: []byte(payload)}
		src.row = session.Row{Kind: session.KindStdout, Msg: framing.Scan(src.payload).Kind, Method: 1, Related: 1}
		require.Equal(t, parsed.Matcher(src).Match(0, src.row), again.Matcher(src).Match(0, src.row))
	})
}

// one is a log of one message, which is its own response.
type one struct {
	session.Source
	row     session.Row
	payload []byte
}

func (*one) Header() session.Header { return session.Header{} }
func (*one) Stats() session.Stats   { return session.Stats{Recording: session.RecordingDone} }

func (o *one) Len() int                          { return 1 }
func (o *one) Rows(_ int, dst []session.Row) int { return copy(dst, []session.Row{o.row}) }
func (o *one) Method(uint16) string              { return "tools/call" }
func (o *one) Entry(session.Row, int) (session.Entry, error) {
	return session.Entry{Kind: o.row.Kind, N: 1, Payload: o.payload, Msg: framing.Scan(o.payload)}, nil
}

// TestWords checks that texts become words that mean them.
func TestWords(t *testing.T) {
	for _, name := range []string{"add", "two words", `a "b" \ c`, "a:b", "!x", "ü"} {
		f, err := Parse(Word("tool", name))
		require.NoError(t, err, name)
		require.Equal(t, Word("tool", name), f.String())
	}
	require.Equal(t, "tool:add", Word("tool", "add"))
	require.Equal(t, `tool:"a \"b\""`, Word("tool", `a "b"`))
	for text, want := range map[string]string{
		"wrong": "wrong", "two words": `"two words"`, "a:b": `"a:b"`, "err": `"err"`, "or": `"or"`, ">5": `">5"`, "/a b/": "/a b/", "/a/b/": `/a\/b/`, "/": `"/"`, "k=3": `"k=3"`,
	} {
		require.Equal(t, want, TextWord(text))
		_, err := Parse(want)
		require.NoError(t, err, text)
	}
}
