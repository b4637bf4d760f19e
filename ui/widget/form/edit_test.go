package form

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/paint"
)

func TestTyping(t *testing.T) {
	for keys, want := range map[string]string{
		"abc<left><left>X":                                   "aXbc",
		"abc<home>X<end>Y":                                   "XabcY",
		"abc<ctrl+a><right>X<ctrl+e>Y":                       "aXbcY",
		"abc<left><backspace>":                               "ac",
		"abc<home><delete>":                                  "bc",
		"<backspace>a<home><backspace><left>b":               "ba",
		"one two<ctrl+w>":                                    "one ",
		"one<ctrl+w>":                                        "",
		"one two<ctrl+left>X":                                "one Xtwo",
		"one two<alt+b><alt+b>X":                             "Xone two",
		"one two<home><alt+f>X":                              "oneX two",
		"one two<home><ctrl+right><ctrl+right><ctrl+right>X": "one twoX",
		"one two<ctrl+left><ctrl+u>":                         "",
		"one two<ctrl+left><ctrl+k>":                         "one ",
		"日本<left>x<backspace><backspace>":                    "本",
		"ae\u0301z<left><left>X":                             "aXe\u0301z",
		"ae\u0301<backspace>":                                "ae",
	} {
		f := props(`"s":{"type":"string"}`)
		press(t, f, keys)
		require.Equal(t, want, f.root.children[0].text, keys)
	}
	f := props(`"s":{"type":"string"}`)
	for _, key := range []tea.KeyPressMsg{{Code: tea.KeyEnter}, {Code: tea.KeyTab}, {Code: tea.KeyUp}, {Code: tea.KeyEscape}, {Code: 's', Mod: tea.ModCtrl}, {Code: 'x', Mod: tea.ModAlt}} {
		require.False(t, f.Key(key), key.String())
	}
	require.False(t, formOf(`{"type":"object"}`).Key(tea.KeyPressMsg{Code: 'x', Text: "x"}))
}

// TestDefaultIsReplaced checks that a default is selected as a whole: typed text
// replaces it, and any other key edits it.
func TestDefaultIsReplaced(t *testing.T) {
	const number = `"n":{"type":"integer","default":10}`
	for keys, want := range map[string]string{
		"2": "2", "25": "25", "<end>2": "102", "<home>2": "210", "<left>2": "120",
		"<backspace>2": "12", "<ctrl+u>2": "2", "2<backspace>3": "3",
	} {
		f := props(number)
		press(t, f, keys)
		require.Equal(t, `{"n":`+want+`}`, sent(t, f), keys)
	}
	f := props(number)
	require.True(t, f.Paste("7"))
	require.Equal(t, `{"n":7}`, sent(t, f))
	require.NoError(t, f.SetJSON([]byte(`{"n":10}`)), "a draft that still has the default")
	press(t, f, "2")
	require.Equal(t, `{"n":2}`, sent(t, f))
	require.NoError(t, f.SetJSON([]byte(`{"n":11}`)))
	press(t, f, "2")
	require.Equal(t, `{"n":112}`, sent(t, f), "a value of the user is edited")
	f = props(`"o":{"type":"object","default":{"s":"hello"},"properties":{"s":{"type":"string"}}}`)
	require.True(t, f.Select("/o/s"))
	press(t, f, "x")
	require.Equal(t, `{"o":{"s":"x"}}`, sent(t, f), "a part of a default")
}

// TestLongDefaultIsKept checks that a default that does not look selected is not replaced.
func TestLongDefaultIsKept(t *testing.T) {
	f := props(`"s":{"type":"string","default":"a\nb"},"tab":{"type":"string","default":"a\tb"}`)
	press(t, f, "x")
	require.Regexp(t, `^{"s":"(xa\\nb|a\\nbx)","tab":"a\\tb"}$`, sent(t, f))
	f = props(`"tab":{"type":"string","default":"a\tb"}`)
	press(t, f, "x")
	require.Equal(t, `{"tab":"a\tb"}`, sent(t, f), "only an editor changes it")
}

// TestDefaultLooksSelected checks that a default is painted as selected until it
// is edited.
func TestDefaultLooksSelected(t *testing.T) {
	f := props(`"n":{"type":"integer","default":10}`)
	selected := func() string {
		var out paint.Lines
		f.paintInto(&out)
		return out.Painted(0).String()
	}
	th := paint.NewTheme(paint.Options{})
	require.Contains(t, selected(), th.Caret.On+"10"+th.Caret.Off)
	press(t, f, "<end>")
	require.NotContains(t, selected(), th.Caret.On+"10"+th.Caret.Off)
}

func TestPaste(t *testing.T) {
	f := props(`"s":{"type":"string"},"n":{"type":"integer"},"e":{"enum":["a","b"]},"j":{}`)
	require.True(t, f.Paste("two\r\nlines\n"))
	f.Next()
	require.True(t, f.Paste(" 42\n"))
	f.Next()
	require.False(t, f.Paste("c"))
	require.True(t, f.Paste("b\n"))
	f.Next()
	require.True(t, f.Paste("{\"a\":\n1}"))
	require.Equal(t, `{"s":"two\nlines\n","n":42,"e":"b","j":{"a":1}}`, sent(t, f))
	require.Contains(t, screen(f), `"two\nlines\n"`)
	f.moveTo(0)
	require.False(t, f.Paste(strings.Repeat("x", maxText)))
	require.Equal(t, `{"s":"two\nlines\n","n":42,"e":"b","j":{"a":1}}`, sent(t, f))
}

// TestLines checks that a text of several lines is edited in its lines, and that a text
// that a widget would change is not edited at all.
func TestLines(t *testing.T) {
	f := props(`"s":{"type":"string"},"n":{"type":"integer"}`)
	press(t, f, "ab<left>")
	require.True(t, f.Key(tea.KeyPressMsg{Code: tea.KeyEnter, Mod: tea.ModAlt}))
	require.Equal(t, `{"s":"a\nb"}`, sent(t, f))
	require.Contains(t, screen(f), "2 lines, below")
	press(t, f, "x")
	require.True(t, f.Down(-1), "to the line above")
	press(t, f, "<end>y")
	require.True(t, f.Down(1))
	require.Equal(t, `{"s":"ay\nxb"}`, sent(t, f))
	require.Equal(t, "/s", f.Path())
	require.True(t, f.Down(1))
	require.Equal(t, "/n", f.Path())
	require.False(t, f.Key(tea.KeyPressMsg{Code: tea.KeyEnter, Mod: tea.ModAlt}), "a number")
	require.True(t, f.step(-1))
	press(t, f, "<ctrl+u>")
	require.Equal(t, `{"s":""}`, sent(t, f))

	for _, text := range []string{"a\tb", "a\x1bb", "a\u200bb", strings.Repeat("x\n", maxLines+1)} {
		require.NoError(t, f.SetText("/s", text+"."))
		require.True(t, f.Info().InEditor)
		require.Contains(t, screen(f), "only in your editor")
		press(t, f, "x<backspace>")
		got, err := f.Text("/s")
		require.NoError(t, err)
		require.Equal(t, text+".", got)
	}
	f = props(`"s":{"type":"string"}`)
	press(t, f, "ac<left>")
	require.True(t, f.Paste("\tb"))
	require.Equal(t, `{"s":"a\tbc"}`, sent(t, f), "nothing of a pasted text is lost")
}

func TestList(t *testing.T) {
	f := formOf(order)
	require.False(t, f.Add())
	require.False(t, f.Remove())
	f.Select("/tags")
	require.True(t, f.Info().CanAdd)
	require.False(t, f.Info().CanRemove)
	require.True(t, f.Add())
	press(t, f, "b")
	require.True(t, f.Add())
	press(t, f, "c")
	f.step(-1)
	f.step(-1)
	require.True(t, f.Add()) // on the list itself: at its end
	press(t, f, "d")
	require.True(t, f.Select("/tags/0"))
	require.True(t, f.Add()) // after the item
	require.Equal(t, `{"tags":["b","c","d"]}`, sent(t, f), "an item that is not filled in is not sent")
	f.Clear()
	require.Equal(t, `{"tags":["b","","c","d"]}`, sent(t, f))
	require.True(t, f.Info().CanRemove)
	require.True(t, f.Remove())
	require.True(t, f.Remove())
	require.Equal(t, `{"tags":["b","d"]}`, sent(t, f))
	require.Equal(t, "/tags/1", f.Path())

	f.Select("/lines")
	require.True(t, f.Add())
	require.Equal(t, "/lines/0", f.Path())
	require.Equal(t, `{"tags":["b","d"],"lines":[{"n":1}]}`, sent(t, f), "defaults are filled in")
	f.Next()
	press(t, f, "x1")
	require.True(t, f.Add())
	f.Next()
	press(t, f, "x2")
	require.Equal(t, `{"tags":["b","d"],"lines":[{"sku":"x1","n":1},{"sku":"x2","n":1}]}`, sent(t, f))
	f.Select("/lines/0/n")
	require.True(t, f.Remove())
	require.Equal(t, `{"tags":["b","d"],"lines":[{"sku":"x2","n":1}]}`, sent(t, f))
	require.Equal(t, 1+count(f.root.children), f.fields)
}

func TestObject(t *testing.T) {
	f := formOf(order)
	f.Select("/address")
	require.Equal(t, `{}`, sent(t, f))
	require.True(t, f.ToggleFold())
	f.Next()
	f.Next()
	press(t, f, "8000")
	require.Equal(t, `{"address":{"street":"Main","zip":"8000"}}`, sent(t, f), "the parents of a member are present, with their defaults")
	f.Clear()
	f.Fold(true)
	require.Equal(t, "/address", f.Path())
	require.Contains(t, screen(f), "> + address   1 member                E see the fields in it")
	f.Clear()
	require.Equal(t, `{}`, sent(t, f))
	require.Equal(t, 1+count(f.root.children), f.fields)

	f = formOf(`{"type":"object","required":["a"],"properties":{"a":{"type":"object","properties":{"x":{"type":"integer","default":1},"y":{"type":"integer"}}},"b":{"type":"object","properties":{"x":{"default":1}}}}}`)
	require.Equal(t, `{"a":{"x":1}}`, sent(t, f), "a required object is present")
	require.Equal(t, "- a *", strings.TrimSpace(strings.Split(screen(f), "\n")[0][3:8]))
}

func TestUnknownMembers(t *testing.T) {
	f := formOf(order)
	require.NoError(t, f.SetJSON([]byte(`{"id":1,"x y":{"a":1},"z":2}`)))
	require.Contains(t, screen(f), `     x y       {"a":1}                 not in the schema`)
	require.True(t, f.Select("/x y"))
	require.Contains(t, screen(f), "not in the schema")
	press(t, f, "<left> <left><backspace>9")
	require.Equal(t, `{"id":1,"x y":{"a":9},"z":2}`, sent(t, f))
	require.True(t, f.Remove())
	require.Equal(t, `{"id":1,"z":2}`, sent(t, f))
	require.Equal(t, "/z", f.Path())
}

func TestSet(t *testing.T) {
	f := formOf(order)
	require.NoError(t, f.SetJSON([]byte(`{"extras":["eggs","milk","milk"]}`)))
	f.Select("/extras")
	f.Fold(false)
	require.Contains(t, screen(f), "3 of 2  eggs, milk, milk")
	f.Next()
	press(t, f, " ")
	require.Equal(t, `{"extras":["eggs","milk","milk","nuts"]}`, sent(t, f))
	press(t, f, "m")
	require.Contains(t, screen(f), " >     [x] milk")
	press(t, f, " ")
	require.Equal(t, `{"extras":["eggs","nuts"]}`, sent(t, f))
	f.Next()
	require.Contains(t, screen(f), " >     [x] eggs  (not an option)")
	press(t, f, " ")
	require.Equal(t, `{"extras":["nuts"]}`, sent(t, f))
	require.Equal(t, "/extras", f.Path())
	f.Clear()
	require.Equal(t, `{}`, sent(t, f))
}

func TestText(t *testing.T) {
	f := formOf(order)
	for path, text := range map[string]string{
		"/note": "two\nlines\n", "/id": " 7\n", "/size": "m\n", "/extras": `["nuts"]`, "/any": "{ \"a\":\n1}", "/lines": `[{"sku":"s"}]`, "/address/zip": "8",
	} {
		require.NoError(t, f.SetText(path, text), path)
	}
	require.Equal(t, `{"id":7,"note":"two\nlines","size":"m","extras":["nuts"],"address":{"street":"Main","zip":"8"},"lines":[{"sku":"s"}],"any":{"a":1}}`, sent(t, f))
	for path, want := range map[string]string{
		"/note": "two\nlines", "/id": "7", "/size": "m", "/extras": `["nuts"]`, "/any": "{ \"a\":\n1}", "/tags": "", "/lines/0/sku": "s",
	} {
		text, err := f.Text(path)
		require.NoError(t, err)
		require.Equal(t, want, text, path)
	}
	require.NoError(t, f.SetText("/lines", "\n"))
	require.NoError(t, f.SetText("/note", ""))
	require.Contains(t, sent(t, f), `{"id":7,"note":"","size":"m"`)
	require.NotContains(t, sent(t, f), "lines")
	require.ErrorContains(t, f.SetText("/size", "xl"), `"xl" is not one of the options`)
	require.ErrorContains(t, f.SetText("/tags", "[1"), "unexpected end of text")
	require.ErrorIs(t, f.SetText("/nope", ""), errNoField)
	require.ErrorIs(t, f.SetText("/note", strings.Repeat("x", maxText+1)), errTooLong)
	_, err := f.Text("/tags/5")
	require.ErrorIs(t, err, errNoField)
}

func TestSuggestions(t *testing.T) {
	f := formOf(order)
	require.False(t, f.Suggest(1))
	f.Select("/note")
	require.False(t, f.Suggest(1))
	f.SetSuggestions("/note", []string{"alpha", "beta", "\x1b[2Jgamma"})
	require.Contains(t, screen(f), `0/3  alpha  beta  \u001b[2Jgamma`)
	press(t, f, "al")
	require.True(t, f.Suggest(1))
	require.Contains(t, screen(f), `1/3 [alpha] beta`)
	require.True(t, f.Suggest(1))
	require.True(t, f.Suggest(1))
	require.True(t, f.Suggest(1))
	require.True(t, f.Suggest(-1))
	require.Equal(t, `{"note":"\u001b[2Jgamma"}`, sent(t, f))
	f.SetSuggestions("/note", nil)
	require.False(t, f.Suggest(1))
}
