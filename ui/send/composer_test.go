package send

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/copies"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/server"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// A composerTest is a test of the open composer of a session with a server.
type composerTest func(t *testing.T, r *composerRoom, x *uitest.Server)

// A composerRoom has a composer.
type composerRoom struct {
	*uitest.Room
	pane *Composer
}

// inComposer runs a test with a server that has a catalog, unless serve is set.
func inComposer(t *testing.T, w, h int, serve func(*uitest.Process, uitest.Message), test composerTest) {
	t.Helper()
	x := &uitest.Server{Serve: uitest.OffersAndEchoes, Capabilities: uitest.AllCapabilities}
	if serve != nil {
		x.Serve = serve
	}
	uitest.Live(t, x, w, h, func(t *testing.T, host *uitest.Host) { test(t, newComposerRoom(host, ""), x) })
}

// newComposerRoom returns a room with the drafts of a folder.
func newComposerRoom(h *uitest.Host, drafts string) *composerRoom {
	p := NewComposer(h.Context().Workspace, ComposerOptions{Drafts: drafts, ReadCatalog: server.ReadList, CommandLine: copies.CallLine})
	r := &composerRoom{uitest.NewRoom(h, ComposerActions(), []host.Action{
		{Entry: host.Entry{ID: "compose"}, Do: p.Compose},
		{Entry: host.Entry{ID: "edit-resend"}, Do: p.EditSelected},
	}), p}
	h.Under = func() host.View {
		if p.IsOpen() {
			return p
		}
		return nil
	}
	r.resize(h.Screen().Width, h.Screen().Height)
	return r
}

func (r *composerRoom) resize(w, h int) {
	r.Resize(w, h)
	r.pane.Place(r.Screen().Panes)
}

// lookUp reads a list of the server.
func (r *composerRoom) lookUp(list string) *workspace.CatalogList {
	r.T.Helper()
	l := r.Context().Workspace.Shown.Catalog.List(list)
	_, err := r.Context().Workspace.Session.ListAll(r.T.Context(), l.List)
	require.NoError(r.T, err)
	r.Pull()
	r.Run(server.ReadList(r.Context(), l))
	require.True(r.T, l.Known())
	return l
}

// fill opens the form of the first item of the tools.
func (r *composerRoom) fill() { r.fillIn("tools") }

// fillIn opens the form of the first item of a list.
func (r *composerRoom) fillIn(list string) {
	r.T.Helper()
	l := r.Context().Workspace.Shown.Catalog.List(list)
	if !l.Known() {
		r.lookUp(list)
	}
	r.Run(r.pane.ComposeItem(r.Context(), l.Items[0]))
	require.Equal(r.T, ScopeComposerForm, r.pane.Scope())
}

// arguments returns the arguments in the form.
func (r *composerRoom) arguments() string {
	raw, err := r.pane.Form().JSON()
	require.NoError(r.T, err)
	return string(raw)
}

// planning opens the form of such a tool.
func planning(t *testing.T, w, h int, test composerTest) {
	t.Helper()
	serve := func(p *uitest.Process, m uitest.Message) {
		if m.Method == "tools/list" {
			p.Out(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, m.ID, strings.NewReplacer("\n", "", "\t", "").Replace(uitest.LongTool))
		}
	}
	inComposer(t, w, h, serve, func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		test(t, r, x)
	})
}

var (
	ctrlS  = tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl}
	escape = tea.KeyPressMsg{Code: tea.KeyEscape}
)

func TestComposerActions(t *testing.T) {
	uitest.TestActions(t, ComposerActions(), composerTests, func(t *testing.T, test composerTest) {
		inComposer(t, 160, 36, nil, test)
	})
}

var composerTests = map[string]composerTest{
	"form-send": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.Press(ctrlS)
		require.Contains(t, r.Said(), "x not sent, ctrl+s again to send anyway: /text: is required")
		r.Write("hi")
		r.Press(ctrlS)
		r.Row(`"method":"tools/call","params":{"_meta":{"progressToken":"mcpdbg-5"},"name":"echo","arguments":{"text":"hi","times":1}}`)
		require.False(t, r.pane.IsOpen())
		require.Contains(t, r.Said(), "echo answered in 0 ms")
		require.Equal(t, []string{"compose"}, r.Acts())

		r.Do("compose", "compose-view", "compose-view")
		require.Equal(t, `{"text":"hi","times":1}`, r.arguments(), "the draft is kept")
		r.Do("form-leave-out")
		r.Press(ctrlS)
		r.Press(ctrlS)
		r.Row(`"name":"echo","arguments":{"times":1}}`) // unchanged, as a test of the server
	},
	"form-close-composer": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.Write("half")
		r.Press(escape)
		require.False(t, r.pane.IsOpen())
		r.fill()
		require.Contains(t, r.Text(), "half", "reopened from the catalog")
	},
	"form-compose-view": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.Write("hi")
		require.Equal(t, "as json", r.title())
		r.Do("form-compose-view")
		require.Equal(t, "as message", r.title())
		require.Contains(t, r.Text(), `"text": "hi"`)
		r.pane.Text().SetValue(`{"text":"ho","more":[1.0]}`)
		r.Do("compose-view", "compose-view", "compose-view")
		require.Equal(t, `{"text":"ho","more":[1.0]}`, r.arguments(), "unknown properties are kept")
	},
	"form-compose-editor": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.Write("h")
		r.edits(`printf ello >>`)
		r.Do("form-compose-editor")
		r.RunProgram()
		require.Equal(t, `{"text":"hello","times":1}`, r.arguments())
	},
	"form-compose-older": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.Do("form-compose-older")
		require.Contains(t, r.Said(), "no more history")
		r.Write("one")
		r.Do("form-send")
		r.fill()
		r.Write(" two")
		r.Do("form-send")
		r.fill()
		r.Write("!")
		r.Do("form-compose-older", "form-compose-older")
		require.Equal(t, `{"text":"one","times":1}`, r.arguments())
	},
	"form-compose-newer": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.Write("one")
		r.Do("form-send")
		r.fill()
		r.Write("!")
		r.Do("form-compose-older")
		require.Equal(t, `{"text":"one","times":1}`, r.arguments())
		r.Do("form-compose-newer")
		require.Equal(t, `{"text":"one!","times":1}`, r.arguments())
	},
	"form-compose-copy": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.Write("it's")
		r.Do("form-compose-copy")
		require.Equal(t, `mcpdbg call --tool echo --params '{"text":"it'\''s","times":1}' -- fake-server`, r.Clip)
	},
	"form-next": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.Do("form-next")
		require.Equal(t, "/times", r.pane.Form().Path())
	},
	"form-previous": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.Do("form-next", "form-previous")
		require.Equal(t, "/text", r.pane.Form().Path())
	},
	"form-page-down": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.Do("form-page-down")
		require.Equal(t, "/how", r.pane.Form().Path())
	},
	"form-page-up": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.Do("form-page-down", "form-page-up")
		require.Equal(t, "/text", r.pane.Form().Path())
	},
	"form-complete": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.Do("form-complete")
		require.Equal(t, "/times", r.pane.Form().Path())
		r.pane.Form().SetSuggestions("/times", []string{"7", "8"})
		r.Do("form-complete")
		require.Equal(t, `{"text":"","times":7}`, strings.Replace(r.arguments(), `{"times"`, `{"text":"","times"`, 1))
	},
	"form-forward": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		enter := tea.KeyPressMsg{Code: tea.KeyEnter}
		r.Press(enter)
		require.Equal(t, "/times", r.pane.Form().Path())
		for !r.pane.Form().AtEnd() {
			r.Press(enter)
		}
		r.Press(enter)
		require.Contains(t, r.Said(), "not sent", "enter on the last field sends what is valid")
		require.NoError(t, r.pane.Form().SetJSON([]byte(`{"text":"a"}`)))
		for r.pane.Form().Next() {
		}
		r.Press(enter)
		require.Contains(t, r.Last(), `"text":"a"`)
	},
	"form-add": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.Do("form-add")
		require.Contains(t, r.Said(), "the field is not in a list")
	},
	"form-remove": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.pane.Form().Select("/text")
		r.Do("form-remove")
		require.Contains(t, r.Said(), "ctrl+g omits it")
		require.NoError(t, r.pane.Form().SetJSON([]byte(`{"text":"x","more":1}`)))
		r.pane.Form().Select("/more")
		r.Do("form-remove")
		require.Equal(t, `{"text":"x"}`, r.arguments())
	},
	"form-leave-out": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.Do("form-next", "form-leave-out")
		require.Equal(t, `{}`, r.arguments())
	},
	"form-null": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.Do("form-null")
		require.Equal(t, `{"text":null,"times":1}`, r.arguments())
	},

	"send": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.Do("compose")
		r.pane.Text().SetValue("{\"jsonrpc\": \"2.0\",\n  \"id\": 1.0, \"method\": \"ping\"\n}")
		r.Do("send")
		r.Row(`{"jsonrpc":"2.0","id":1.0,"method":"ping"}`)
		require.Equal(t, []string{"compose"}, r.Acts())
		require.False(t, r.pane.IsOpen())

		r.Do("compose")
		r.pane.Text().SetValue(`{"id": 2,  "method":"ping"}`)
		r.Do("send")
		r.Row(`{"id": 2,  "method":"ping"}`) // one line is sent unchanged

		r.Do("compose")
		r.pane.Text().SetValue("no JSON")
		r.Do("send")
		require.Contains(t, r.Asked(), "Send this anyway?")
		r.Do("no")
		require.True(t, r.pane.IsOpen())
		r.Do("send", "yes")
		r.Row("no JSON")
	},
	"close-composer": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.Do("compose")
		r.Write(" draft")
		r.Do("close-composer")
		require.NotContains(t, r.Text(), "draft")
		r.Do("compose")
		require.Contains(t, r.Text(), "draft")
	},
	"compose-view": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.Do("compose")
		r.pane.Text().SetValue("{\n\"method\":\"é\\n\"}")
		r.Do("compose-view")
		require.Contains(t, r.Text(), "Raw bytes")
		require.Equal(t, "as message", r.title())
		require.Equal(t, `{"method":"é\\n"}\n`, r.pane.Text().Value())
		require.Contains(t, r.Text(), "│ 18 bytes. ")
		r.Do("compose-view")
		require.Equal(t, "{\n\"method\":\"é\\n\"}", r.pane.Text().Value(), "the message")
	},
	"compose-clear": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.Do("compose")
		r.pane.Text().SetValue("half a mess")
		r.Do("compose-clear")
		require.Empty(t, r.pane.Text().Value())
		r.Do("compose-older")
		require.Equal(t, "half a mess", r.pane.Text().Value())
		r.fill()
		r.Do("form-compose-view")
		r.pane.Text().SetValue("{")
		r.Do("compose-clear")
		require.JSONEq(t, `{"times":1}`, r.pane.Text().Value(), "the defaults")
	},
	"form-compose-clear": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		require.NotContains(t, r.Text(), "kept from", "there is no draft")
		r.Write("hi")
		r.Do("form-close-composer")
		r.fill()
		require.Regexp(t, ` · kept from \d\d:\d\d, f6 clears`, r.Text())
		r.Do("form-compose-clear")
		require.Equal(t, `{"times":1}`, r.arguments())
		require.NotContains(t, r.Text(), "kept from")
		r.Do("form-close-composer")
		r.fill()
		require.NotContains(t, r.Text(), "kept from", "the draft is gone")
		r.Do("form-compose-older")
		require.Equal(t, `{"text":"hi","times":1}`, r.arguments(), "and can be recalled")
	},
	"form-compose-task": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.Do("form-compose-task")
		require.Contains(t, r.Text(), "Call echo as a task")
		r.Do("form-compose-view", "compose-view")
		require.Contains(t, r.pane.Text().Value(), `"task": {}`)
		r.Do("compose-view", "compose-view", "form-compose-task")
		require.NotContains(t, r.Text(), "as a task")
	},
	"compose-newline": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.Do("compose", "compose-newline")
		require.Contains(t, r.Said(), "works only in raw bytes")
		r.Do("compose-view")
		r.pane.Text().SetValue(`{"half`)
		r.Do("compose-newline", "compose-newline")
		require.Equal(t, `{"half\n`, r.pane.Text().Value(), "once")
	},
	"compose-editor": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.Do("compose")
		r.edits(`printf '{"a":\n%070000d}' 1 >`)
		r.Do("compose-editor")
		r.RunProgram()
		require.Len(t, r.pane.Text().Value(), 70007)
		require.Contains(t, r.Text(), "68.4K in all: ctrl+e opens it in your editor")
		r.Write("x")
		require.Contains(t, r.Said(), "this text cannot be edited here")
		uitest.RequireExact(t, r.Frame(), r.Screen().Width, r.Screen().Height)
	},
	"compose-older": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.Do("compose")
		for _, text := range []string{`{"method":"a"}`, `{"method":"b"}`} {
			r.pane.Text().SetValue(text)
			r.Do("send", "compose")
		}
		r.pane.Text().SetValue("{")
		r.Do("compose-older")
		require.Equal(t, `{"method":"b"}`, r.pane.Text().Value())
		r.Do("compose-older", "compose-older")
		require.Contains(t, r.Said(), "no more history")
		require.Equal(t, `{"method":"a"}`, r.pane.Text().Value())
	},
	"compose-newer": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.Do("compose")
		r.pane.Text().SetValue(`{"method":"a"}`)
		r.Do("send", "compose")
		r.pane.Text().SetValue("{")
		r.Do("compose-older", "compose-newer")
		require.Equal(t, "{", r.pane.Text().Value())
	},
	"compose-copy": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.Do("compose", "compose-copy")
		require.Equal(t, `mcpdbg call tools/list -- fake-server`, r.Clip)
		r.pane.Text().SetValue("{")
		r.Do("compose-copy")
		require.Contains(t, r.Said(), "only a request has a command line")
	},
	"complete-word": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.lookUp("tools")
		r.Do("compose")
		r.pane.Text().SetValue(`{"method":"tools/c`)
		r.Do("complete-word")
		require.Equal(t, `{"method":"tools/call`, r.pane.Text().Value())
		r.pane.Text().SetValue(`{"method":"resources/`)
		r.Do("complete-word")
		require.Contains(t, r.Text(), "tab  resources/list resources/templates/list resources/read resources/subscribe resources/unsubscribe")
		r.pane.Text().SetValue(`{"name":"ec`)
		r.Do("complete-word")
		require.Equal(t, `{"name":"echo`, r.pane.Text().Value(), "a tool in the catalog")
	},
	"presets": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.Do("compose", "presets")
		require.Contains(t, r.Said(), "works only in raw bytes")
		r.Do("compose-view", "presets")
		require.Contains(t, r.Text(), "id of a pending request")
		uitest.RequireExact(t, r.Frame(), r.Screen().Width, r.Screen().Height)
	},
	"preset-close": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.Do("compose", "compose-view", "presets", "preset-close")
		require.Empty(t, r.Opened)
	},
	"preset-take": func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.Do("compose", "compose-view", "presets")
		r.Do("preset-take", "send")
		r.Row(`{"jsonrpc":"2.0","id":"ui`)
		require.Equal(t, []string{"raw"}, r.Acts())
		require.Contains(t, r.Said(), "25 bytes sent")
	},
	"presets-" + kit.Down:     presetMoves(1, kit.Down),
	"presets-" + kit.Up:       presetMoves(0, kit.Down, kit.Up),
	"presets-" + kit.Bottom:   presetMoves(lastPreset, kit.Bottom),
	"presets-" + kit.Top:      presetMoves(0, kit.Bottom, kit.Top),
	"presets-" + kit.PageDown: presetMoves(lastPreset, kit.PageDown, kit.PageDown),
	"presets-" + kit.PageUp:   presetMoves(0, kit.Down, kit.PageUp),
}

// lastPreset is the number of the last malformed message, from 0.
const lastPreset = 13

func presetMoves(want int, moves ...string) composerTest {
	return func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.Do("compose", "compose-view", "presets")
		r.Frame()
		for _, move := range moves {
			r.Do("presets-" + move)
		}
		at, _ := r.Opened[0].(host.Picking).Picks().Current()
		require.Equal(t, want, at)
	}
}

// edits makes a shell command the test's editor; the file is its last argument.
func (r *composerRoom) edits(command string) {
	script := filepath.Join(r.T.TempDir(), "editor")
	require.NoError(r.T, os.WriteFile(script, []byte("#!/bin/sh\n"+command+` "$1"`+"\n"), 0o700))
	r.T.(*testing.T).Setenv("VISUAL", script)
}

// title names the view that the composer would switch to.
func (r *composerRoom) title() string {
	title, _ := otherViewTitle(r.Context())
	return title
}

// silent is a server that does not answer.
func silent(*uitest.Process, uitest.Message) {}

// TestRawIsSentAsItIs checks that raw bytes are sent without a newline, with
// the id of a pending request.
func TestRawIsSentAsItIs(t *testing.T) {
	inComposer(t, 120, 36, silent, func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.Send(`{"jsonrpc":"2.0","id":"slow","method":"sleep"}`)
		r.Do("compose", "compose-view", "presets")
		r.Write("id of")
		r.Do("preset-take", "send")
		r.Pull()
		r.Row(`{"jsonrpc":"2.0","id":"slow","method":"ping"}`)
	})
}

func TestEscapes(t *testing.T) {
	for text, want := range map[string]string{
		`a\nb\r\t\\`: "a\nb\r\t\\", `\xff\xFe`: "\xff\xfe", `\u00e9é`: "éé", "a\nb\r\nc": "abc", ``: "",
	} {
		got, err := unescape(text)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	for text, want := range map[string]string{`\`: "1:1", "ab\n\\q": "2:1", `\x1`: "1:1", `\xgg`: "1:1", `a\u12`: "1:2"} {
		_, err := unescape(text)
		require.ErrorContains(t, err, want+":", text)
	}
}

func FuzzEscapes(f *testing.F) {
	f.Add([]byte("{\"a\":\"\xff\\\"}\r\n\x00\ufeff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		back, err := unescape(escapeBytes(data))
		require.NoError(t, err)
		require.Equal(t, string(data), string(back))
		_, _ = unescape(string(data))
	})
}

// TestPresets checks that each preset survives escaping and unescaping.
func TestPresets(t *testing.T) {
	message := `{"jsonrpc":"2.0","id":"ui-1","method":"ping"}`
	for _, p := range presets {
		data := p.make([]byte(message), `"mcpdbg-9"`)
		back, err := unescape(escapeBytes(data))
		require.NoError(t, err, p.name)
		require.Equal(t, string(data), string(back), p.name)
		require.NotEqual(t, message+"\n", string(data), p.name)
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": 1}`:                   `{"a": 1}`,
		"{\"a\": 1.0,\n \"b\":[]}\n": `{"a":1.0,"b":[]}`,
		"\n{\"a\": 1}\r\n":           `{"a": 1}`,
	} {
		got, err := oneLine(text)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	got, err := oneLine("two\nlines")
	require.Error(t, err)
	require.Equal(t, "two\nlines", string(got))
	_, err = oneLine(" \n ")
	require.ErrorIs(t, err, errEmpty)
}

// TestRevertedLine checks that a line whose edit was reverted counts as it was, in either
// view, and that raw bytes that were edited are kept.
func TestRevertedLine(t *testing.T) {
	const line = `{"jsonrpc":"2.0","method":"a"}`
	inComposer(t, 120, 36, nil, func(t *testing.T, r *composerRoom, _ *uitest.Server) {
		for _, c := range []struct {
			name, want string
			do         func()
		}{
			{"not edited", "", func() {}},
			{"raw", "", func() { r.Do(actView) }},
			{"edited", `{"jsonrpc":"2.0","method":"b"}`, func() { r.pane.area.SetValue(strings.Replace(r.pane.area.Value(), `"a"`, `"b"`, 1)) }},
			{"edited, seen raw, reverted", "", func() {
				before := r.pane.area.Value()
				r.pane.area.SetValue(strings.Replace(before, `"a"`, `"b"`, 1))
				r.Do(actView)
				require.Contains(t, r.pane.raw.Value(), `"b"`)
				r.Do(actView)
				r.pane.area.SetValue(before)
				r.Do(actView)
			}},
			{"edited, reverted raw", "", func() {
				r.pane.area.SetValue(strings.Replace(r.pane.area.Value(), `"a"`, `"b"`, 1))
				r.Do(actView)
				r.pane.raw.SetValue(strings.Replace(r.pane.raw.Value(), `"b"`, `"a"`, 1))
			}},
			{"edited raw, seen as a message", `{"jsonrpc":"2.0","method":"c"}`, func() {
				r.Do(actView)
				r.pane.raw.SetValue(strings.Replace(r.pane.raw.Value(), `"a"`, `"c"`, 1))
				r.Do(actView, actView)
			}},
		} {
			taken, got := false, ""
			r.Run(r.pane.EditLine(r.Context(), "Held", []byte(line), func(_ host.Context, edited []byte) tea.Cmd {
				taken, got = true, string(edited)
				return nil
			}))
			c.do()
			r.Do("send")
			require.True(t, taken, c.name)
			require.Equal(t, c.want, strings.TrimSuffix(got, "\n"), c.name)
		}
	})
}
