package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpdbg/ui/uitest"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/composer"
	"mcpdbg/ui/fields"
	"mcpdbg/ui/kit"
)

// fill opens the form of the tool echo.
func (d *driver) fill() {
	d.t.Helper()
	d.lookUp()
	d.do("catalog-open")
	require.Equal(d.t, composer.ScopeForm, d.visible.composer.Scope())
}

// fillIn opens the form of an item of another list.
func (d *driver) fillIn(list string) {
	d.t.Helper()
	d.do("catalog")
	for d.catalogTop().List(d.visible.context()).Name != list {
		d.do("catalog-next-list")
	}
	if d.catalogTop().Item() == nil {
		d.do("catalog-reload")
	}
	d.do("catalog-open")
}

// arguments returns the arguments in the form.
func (d *driver) arguments() string {
	raw, err := d.visible.composer.Form().JSON()
	require.NoError(d.t, err)
	return string(raw)
}

// longTool is a tool whose schema has a bit of everything.
const longTool = `{"name":"plan","description":"Plans a trip.","inputSchema":{"type":"object","required":["city","days"],"properties":{
	"city":{"type":"string","minLength":2,"description":"Where to."},"days":{"type":"integer","minimum":1,"maximum":14},"budget":{"type":"number"},
	"class":{"type":"string","enum":["first","second"]},"direct":{"type":"boolean","default":true},"stops":{"type":"array","items":{"type":"string"}},
	"who":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}}}}}}`

// planning opens the form of such a tool.
func planning(t *testing.T, w, h int, noColor bool, test func(t *testing.T, d *driver, x *fakeExecutor)) {
	t.Helper()
	serve := func(p *fakeProcess, m message) {
		if m.Method == "tools/list" {
			p.out(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, m.ID, strings.NewReplacer("\n", "", "\t", "").Replace(longTool))
		}
	}
	offering(t, w, h, noColor, serve, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do("catalog")
		d.do("catalog-open")
		test(t, d, x)
	})
}

func formKey(key rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: key} }

var ctrlS = tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl}

var composeTests = map[string]actionTest{
	"form-send": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.take(ctrlS)
		require.Contains(t, d.rows()[35], "x not sent, ctrl+s again to send anyway: /text: is required")
		d.write("hi")
		d.take(ctrlS)
		d.row(`"method":"tools/call","params":{"_meta":{"progressToken":"mcpdbg-5"},"name":"echo","arguments":{"text":"hi","times":1}}`)
		require.False(t, d.visible.composer.IsOpen())
		require.Contains(t, d.rows()[35], "the server answered in 0.00 ms: tools/call echo")
		require.Equal(t, []string{"compose"}, d.acts())

		d.do(actCompose)
		require.Equal(t, `{"text":"hi","times":1}`, d.arguments(), "the draft is kept")
		d.do("form-leave-out")
		d.take(ctrlS)
		d.take(ctrlS)
		d.row(`"name":"echo","arguments":{"times":1}}`) // unchanged, as a test of the server
	},
	"form-close-composer": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.write("half")
		d.take(formKey(tea.KeyEscape))
		require.False(t, d.visible.composer.IsOpen())
		d.fill()
		require.Contains(t, d.plain(), "half", "reopened from the catalog")
	},
	"form-compose-view": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.write("hi")
		require.Contains(t, d.rows()[35], "ctrl+t as JSON")
		d.do("form-compose-view")
		require.Contains(t, d.rows()[35], "ctrl+t as form")
		require.Contains(t, d.plain(), `"text": "hi"`)
		d.visible.composer.Text().SetValue(`{"text":"ho","more":[1.0]}`)
		d.do("compose-view")
		require.Equal(t, `{"text":"ho","more":[1.0]}`, d.arguments(), "unknown properties are kept")
	},
	"form-compose-whole": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.write("hi")
		d.do("form-compose-whole")
		require.Equal(t, composer.ScopeText, d.visible.composer.Scope())
		require.Contains(t, d.plain(), "valid request")
		require.Contains(t, d.visible.composer.Text().Value(), `"method": "tools/call"`)
		d.do("compose-whole")
		require.Equal(t, `{"text":"hi","times":1}`, d.arguments())
		d.do("form-compose-view")
		d.visible.composer.Text().SetValue(`{"text":"changed"}`)
		d.do("compose-whole", "compose-whole")
		require.Equal(t, `{"text":"changed"}`, d.arguments(), "edited JSON is kept")
	},
	"form-compose-editor": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.write("h")
		d.edits(`printf ello >>`)
		d.do("form-compose-editor")
		require.Equal(t, `{"text":"hello","times":1}`, d.arguments())
	},
	"form-compose-older": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do("form-compose-older")
		require.Contains(t, d.rows()[35], "no more history for this field")
		d.write("one")
		d.do("form-send")
		d.fill()
		d.write(" two")
		d.do("form-send")
		d.fill()
		d.write("!")
		d.do("form-compose-older", "form-compose-older")
		require.Equal(t, `{"text":"one","times":1}`, d.arguments())
	},
	"form-compose-newer": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.write("one")
		d.do("form-send")
		d.fill()
		d.write("!")
		d.do("form-compose-older")
		require.Equal(t, `{"text":"one","times":1}`, d.arguments())
		d.do("form-compose-newer")
		require.Equal(t, `{"text":"one!","times":1}`, d.arguments())
	},
	"form-compose-copy": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.write("it's")
		d.do("form-compose-copy")
		require.Equal(t, `mcpdbg call --tool echo --params '{"text":"it'\''s","times":1}' -- fake-server`, d.clip)
	},
	"form-next": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do("form-next")
		require.Equal(t, "/times", d.visible.composer.Form().Path())
	},
	"form-previous": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do("form-next", "form-previous")
		require.Equal(t, "/text", d.visible.composer.Form().Path())
	},
	"form-page-down": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do("form-page-down")
		require.Equal(t, "/how", d.visible.composer.Form().Path())
	},
	"form-page-up": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do("form-page-down", "form-page-up")
		require.Equal(t, "/text", d.visible.composer.Form().Path())
	},
	"form-complete": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do("form-complete")
		require.Equal(t, "/times", d.visible.composer.Form().Path())
		d.visible.composer.Form().SetSuggestions("/times", []string{"7", "8"})
		d.do("form-complete")
		require.Equal(t, `{"text":"","times":7}`, strings.Replace(d.arguments(), `{"times"`, `{"text":"","times"`, 1))
	},
	"form-forward": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		enter := tea.KeyPressMsg{Code: tea.KeyEnter}
		d.take(enter)
		require.Equal(t, "/times", d.visible.composer.Form().Path())
		for !d.visible.composer.Form().AtEnd() {
			d.take(enter)
		}
		d.take(enter)
		require.Contains(t, d.rows()[35], "not sent", "enter on the last field sends what is valid")
		require.NoError(t, d.visible.composer.Form().SetJSON([]byte(`{"text":"a"}`)))
		for d.visible.composer.Form().Next() {
		}
		d.take(enter)
		require.Contains(t, d.last(), `"text":"a"`)
	},
	"form-add": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do("form-add")
		require.Contains(t, d.rows()[35], "the field is not in a list")
	},
	"form-remove": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.visible.composer.Form().Select("/text")
		d.do("form-remove")
		require.Contains(t, d.rows()[35], "ctrl+g omits it")
		require.NoError(t, d.visible.composer.Form().SetJSON([]byte(`{"text":"x","more":1}`)))
		d.visible.composer.Form().Select("/more")
		d.do("form-remove")
		require.Equal(t, `{"text":"x"}`, d.arguments())
	},
	"form-leave-out": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do("form-next", "form-leave-out")
		require.Equal(t, `{}`, d.arguments())
	},
	"form-null": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do("form-null")
		require.Equal(t, `{"text":null,"times":1}`, d.arguments())
	},

	"compose-view": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose)
		d.visible.composer.Text().SetValue("{\n\"method\":\"é\\n\"}")
		d.do("compose-view")
		require.Contains(t, d.plain(), "Compose raw bytes")
		require.Contains(t, d.rows()[35], "ctrl+t as message")
		require.Equal(t, `{"method":"é\\n"}\n`, d.visible.composer.Text().Value())
		require.Contains(t, d.plain(), "18 bytes: 7b 22 6d")
		d.do("compose-view")
		require.Equal(t, "{\n\"method\":\"é\\n\"}", d.visible.composer.Text().Value(), "the message")
	},
	"compose-clear": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose)
		d.visible.composer.Text().SetValue("half a mess")
		d.do("compose-clear")
		require.Empty(t, d.visible.composer.Text().Value())
		d.do("compose-older")
		require.Equal(t, "half a mess", d.visible.composer.Text().Value())
		d.fill()
		d.do("form-compose-view")
		d.visible.composer.Text().SetValue("{")
		d.do("compose-clear")
		require.JSONEq(t, `{"times":1}`, d.visible.composer.Text().Value(), "the defaults")
	},
	"form-compose-clear": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		require.NotContains(t, d.plain(), "kept from", "there is no draft")
		d.write("hi")
		d.do("form-close-composer")
		d.fill()
		require.Regexp(t, `valid  kept from \d\d:\d\d, f6 clears`, d.plain())
		d.do("form-compose-clear")
		require.Equal(t, `{"times":1}`, d.arguments())
		require.NotContains(t, d.plain(), "kept from")
		d.do("form-close-composer")
		d.fill()
		require.NotContains(t, d.plain(), "kept from", "the draft is gone")
		d.do("form-compose-older")
		require.Equal(t, `{"text":"hi","times":1}`, d.arguments(), "and can be recalled")
	},
	"form-compose-task": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do("form-compose-task")
		require.Contains(t, d.plain(), "Compose tools/call echo as a task")
		d.do("form-compose-whole")
		require.Contains(t, d.visible.composer.Text().Value(), `"task": {}`)
		d.do("compose-whole", "form-compose-task")
		require.NotContains(t, d.plain(), "as a task")
	},
	"compose-whole": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose, "compose-whole")
		require.Contains(t, d.rows()[35], "there is no form yet")
	},
	"compose-editor": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose)
		d.edits(`printf '{"a":\n%070000d}' 1 >`)
		d.do("compose-editor")
		require.Len(t, d.visible.composer.Text().Value(), 70007)
		require.Contains(t, d.plain(), "68.4K in all: ctrl+e opens it in your editor")
		d.write("x")
		require.Contains(t, d.rows()[35], "68.4K is too long to edit here")
		requireExact(t, d.content(), d.screen.Width, d.screen.Height)
	},
	"compose-older": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose)
		for _, text := range []string{`{"method":"a"}`, `{"method":"b"}`} {
			d.visible.composer.Text().SetValue(text)
			d.do("send", actCompose)
		}
		d.visible.composer.Text().SetValue("{")
		d.do("compose-older")
		require.Equal(t, `{"method":"b"}`, d.visible.composer.Text().Value())
		d.do("compose-older", "compose-older")
		require.Contains(t, d.rows()[35], "no more history")
		require.Equal(t, `{"method":"a"}`, d.visible.composer.Text().Value())
	},
	"compose-newer": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose)
		d.visible.composer.Text().SetValue(`{"method":"a"}`)
		d.do("send", actCompose)
		d.visible.composer.Text().SetValue("{")
		d.do("compose-older", "compose-newer")
		require.Equal(t, "{", d.visible.composer.Text().Value())
	},
	"compose-copy": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose, "compose-copy")
		require.Equal(t, `mcpdbg call tools/list -- fake-server`, d.clip)
		d.visible.composer.Text().SetValue("{")
		d.do("compose-copy")
		require.Contains(t, d.rows()[35], "only a request has a command line")
	},
	"complete-word": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.do("catalog-close", actCompose)
		d.visible.composer.Text().SetValue(`{"method":"tools/c`)
		d.do("complete-word")
		require.Equal(t, `{"method":"tools/call`, d.visible.composer.Text().Value())
		d.visible.composer.Text().SetValue(`{"method":"resources/`)
		d.do("complete-word")
		require.Contains(t, d.plain(), "tab  resources/list resources/templates/list resources/read resources/subscribe resources/unsubscribe")
		d.visible.composer.Text().SetValue(`{"name":"ec`)
		d.do("complete-word")
		require.Equal(t, `{"name":"echo`, d.visible.composer.Text().Value(), "a tool in the catalog")
	},
	"presets": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose, "presets")
		require.Contains(t, d.rows()[35], "works only in raw bytes")
		d.do("compose-view", "presets")
		require.Contains(t, d.plain(), "id of a pending request")
		requireExact(t, d.content(), d.screen.Width, d.screen.Height)
	},
	"preset-close": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose, "compose-view", "presets", "preset-close")
		require.Nil(t, d.front.top())
	},
	"preset-take": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose, "compose-view", "presets")
		d.do("preset-take", "send")
		d.row(`{"jsonrpc":"2.0","id":"ui`)
		require.Equal(t, []string{"raw"}, d.acts())
		require.Contains(t, d.rows()[35], "25 bytes sent")
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

func presetMoves(want int, moves ...string) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose, "compose-view", "presets")
		d.content()
		for _, move := range moves {
			d.do("presets-" + move)
		}
		at, _ := pickerOf(d.front.top()).Current()
		require.Equal(t, want, at)
	}
}

// edits makes a shell command the test's editor; the file is its last argument.
func (d *driver) edits(command string) {
	script := filepath.Join(d.t.TempDir(), "editor")
	require.NoError(d.t, os.WriteFile(script, []byte("#!/bin/sh\n"+command+` "$1"`+"\n"), 0o700))
	d.t.(*testing.T).Setenv("VISUAL", script)
}

// TestFormFrames shows the form, its JSON and raw bytes.
func TestFormFrames(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}} {
		for _, noColor := range []bool{false, true} {
			name := fmt.Sprintf("form-%dx%d", size[0], size[1])
			if noColor {
				name += "-nocolor"
			}
			planning(t, size[0], size[1], noColor, func(t *testing.T, d *driver, _ *fakeExecutor) {
				d.write("Bern")
				d.do("form-next")
				d.write("99")
				requireExact(t, d.content(), size[0], size[1])
				uitest.Golden(t, name, d.content())
				if noColor {
					return
				}
				d.do("form-compose-view")
				uitest.Golden(t, strings.Replace(name, "form", "form-json", 1), d.plain())
				d.do("compose-view", "form-compose-whole", "compose-view")
				d.visible.composer.Text().SetValue(`{"half\xff`)
				uitest.Golden(t, strings.Replace(name, "form", "form-raw", 1), d.plain())
			})
		}
	}
}

// TestJSONSaysWhere checks that each problem has a position.
func TestJSONSaysWhere(t *testing.T) {
	planning(t, 120, 36, false, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("form-compose-view")
		for text, want := range map[string]string{
			"{\"city\":\"Bern\",\n  \"days\": 99}": "x 2:11: /days: maximum: got 99, want 14",
			"{\"city\":\"B\",\"days\":1,}":         "x 1:22: invalid character '}'",
			"{\"city\":\"Bern\"}":                  "x 1:1: /days: is required",
			"{\"city\":\"Bern\",\"days\":3}":       "valid",
			"":                                     "empty: {} is sent",
		} {
			d.visible.composer.Text().SetValue(text)
			d.canvas.stale = true
			require.Contains(t, d.plain(), want)
		}
		d.visible.composer.Text().SetValue("{")
		d.do("send")
		require.Contains(t, d.rows()[35], "not sent: not valid JSON")
		d.do("compose-view")
		require.Contains(t, d.rows()[35], "does not fit the form")
		require.Equal(t, composer.ScopeText, d.visible.composer.Scope())
		require.Equal(t, "{", d.visible.composer.Text().Value(), "the JSON")
	})
}

// TestLongText checks that a text too long for typing is checked and sent
// without blocking keys.
func TestLongText(t *testing.T) {
	inBubble(t, 80, 24, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose)
		d.visible.composer.Text().SetValue(`{"jsonrpc":"2.0","method":"notifications/x","params":{"pad":"` + strings.Repeat("x", fields.MaxChecked) + `"}}`)
		d.canvas.stale = true
		require.Contains(t, d.plain(), "2.0M, not checked")
		require.Contains(t, d.plain(), "too long to check")
		requireExact(t, d.content(), 80, 24)
		d.take(tea.PasteMsg{Content: "x"})
		require.Contains(t, d.rows()[23], "is too long to edit here")
		out := d.visible.ws.Shown.Source.Stats().Out
		d.do("send")
		require.Equal(t, out+1, d.visible.ws.Shown.Source.Stats().Out)

		d.do(actCompose)
		d.visible.composer.Text().SetValue("")
		d.take(tea.PasteMsg{Content: strings.Repeat("y", kit.MaxDraft+1)})
		require.Len(t, d.visible.composer.Text().Value(), kit.MaxDraft+1, "all of it, or nothing")
		d.visible.composer.Text().SetValue("some text")
		d.take(tea.PasteMsg{Content: strings.Repeat("y", kit.MaxDraft+1)})
		require.Equal(t, "some text", d.visible.composer.Text().Value())
	})
}

// TestEditResendByForm checks that a call of a tool in the catalog opens in
// fields.
func TestEditResendByForm(t *testing.T) {
	offering(t, 120, 36, false, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.do("catalog-close")
		d.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"again","other":1},"_meta":{"x":1}}}`)
		d.visible.rows.Traffic.Select(d.row(`"again"`))
		d.do(actTraffic, actEditResend)
		require.Equal(t, composer.ScopeForm, d.visible.composer.Scope())
		require.Equal(t, `{"text":"again","other":1}`, d.arguments())
		d.do("form-close-composer")

		d.send(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"unknown","arguments":{}}}`)
		d.visible.rows.Traffic.Select(d.row(`"unknown"`))
		d.do(actTraffic, actEditResend)
		require.Equal(t, composer.ScopeText, d.visible.composer.Scope())
		require.Contains(t, d.visible.composer.Text().Value(), `"unknown"`)
	})
}

// TestGoneTool checks that the composer reports when the server no longer lists a tool.
func TestGoneTool(t *testing.T) {
	tool := "one"
	serve := func(p *fakeProcess, m message) {
		if m.Method == "tools/list" {
			p.out(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":%q}]}}`, m.ID, tool)
		}
	}
	offering(t, 120, 36, false, serve, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("catalog", "catalog-open", "form-close-composer")
		tool = "two"
		d.do("catalog", "catalog-reload", "catalog-close", actCompose)
		require.Contains(t, d.plain(), "Compose tools/call one")
		require.Contains(t, d.plain(), "! no longer listed by the server")
	})
}

// TestCompletion checks that completions are requested once nothing has been
// typed for a while, and that they are offered.
func TestCompletion(t *testing.T) {
	serve := func(p *fakeProcess, m message) {
		if m.Method == "completion/complete" {
			p.out(`{"jsonrpc":"2.0","id":%s,"result":{"completion":{"values":["alice","al\u001b[2J"]}}}`, m.ID)
			return
		}
		if !offers(p, m) {
			echo(p, m)
		}
	}
	offering(t, 120, 36, false, serve, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.keepTime()
		d.fillIn("prompts")
		const completeAfter = 200 * time.Millisecond
		asked := func() (n int) {
			for i := range d.visible.ws.Shown.Source.Len() {
				row, _ := d.rowReader().At(i)
				if row.Kind == session.KindStdin && d.visible.ws.Shown.Source.Method(row.Method) == "completion/complete" {
					n++
				}
			}
			return n
		}
		for _, r := range "al" {
			d.write(string(r))
			time.Sleep(completeAfter / 2)
			d.arrive()
		}
		require.Zero(t, asked(), "no request while typing")
		time.Sleep(completeAfter)
		d.arrive()
		require.Equal(t, 1, asked())
		d.row(`"argument":{"name":"who","value":"al"},"context":{"arguments":{"who":"al"}},"ref":{"name":"greet","type":"ref/prompt"}`)
		require.Contains(t, d.plain(), "alice")
		requireExact(t, d.content(), d.screen.Width, d.screen.Height)
		d.do("form-complete")
		require.Equal(t, `{"who":"alice"}`, d.arguments())
		d.do("form-send")
		d.row(`"method":"prompts/get","params":{"_meta":{"progressToken":"mcpdbg-9"},"name":"greet","arguments":{"who":"alice"}}`)
	})
}

// TestTemplate checks that the variables of a template become a URI.
func TestTemplate(t *testing.T) {
	offering(t, 120, 36, false, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fillIn("templates")
		d.write("a b")
		d.do("form-next")
		d.write("7")
		d.do("form-send")
		d.row(`"method":"resources/read","params":{"_meta":{"progressToken":"mcpdbg-7"},"uri":"res://a%20b/7"}`)
	})
}

// TestHostileForm checks that the borders stay intact, whatever the names of
// the arguments.
func TestHostileForm(t *testing.T) {
	var names []string
	for _, text := range hostile {
		names = append(names, fmt.Sprintf("%q:{\"type\":\"string\",\"title\":%q,\"description\":%q,\"enum\":[%q]}", text, text, text, text))
	}
	schema := strings.ToValidUTF8(strings.NewReplacer(`\x`, `\u00`, `\a`, `\u0007`, `\v`, `\u000b`, `\U000e0001`, "", `\U0001f468`, "").Replace(strings.Join(names, ",")), "?")
	serve := func(p *fakeProcess, m message) {
		if m.Method == "tools/list" {
			p.out(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"\u001b[2J\u202e","inputSchema":{"type":"object","properties":{%s}}}]}}`, m.ID, schema)
		}
	}
	offering(t, 120, 36, false, serve, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("catalog", "catalog-open")
		require.Equal(t, composer.ScopeForm, d.visible.composer.Scope())
		for range hostile {
			d.do("form-next")
			for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 20}, {40, 10}} {
				d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				requireExact(t, d.content(), size[0], size[1])
				d.do("form-compose-view")
				requireExact(t, d.content(), size[0], size[1])
				d.do("compose-view")
			}
		}
	})
}

// TestFormMouse checks that a click selects a field, and that the wheel scrolls
// them.
func TestFormMouse(t *testing.T) {
	planning(t, 120, 36, false, func(t *testing.T, d *driver, _ *fakeExecutor) {
		in := d.panes.layout.pane[composerID].Inner()
		d.take(tea.MouseClickMsg{X: in.X + 10, Y: in.Y + 3, Button: tea.MouseLeft})
		require.Equal(t, "/class", d.visible.composer.Form().Path())
		d.take(tea.MouseClickMsg{X: in.X + 10, Y: in.Y + in.H - 1, Button: tea.MouseLeft})
		require.Equal(t, "/class", d.visible.composer.Form().Path(), "no field there")
		for y := 6; y < 12; y++ {
			d.take(tea.WindowSizeMsg{Width: 120, Height: y + 12})
			d.take(tea.MouseWheelMsg{X: in.X + 10, Y: d.panes.layout.pane[composerID].Y + 1, Button: tea.MouseWheelDown})
			requireExact(t, d.content(), 120, y+12)
		}
	})
}

// TestComposeInProgram goes by keys from the catalog through the form to the
// response.
func TestComposeInProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), func(p *fakeProcess, m message) {
			if !offers(p, m) {
				echo(p, m)
			}
		})
		x.capabilities = allCapabilities
		term := inTerminal(t, Options{Session: s, Title: "fake (local)", Start: s.Open}, 120, 36)
		term.press("C")
		require.Contains(t, term.content(), "[Tools 3]")
		term.press("e", "c", "h", "\r", "h", "i")
		require.Contains(t, term.content(), "Compose tools/call echo")
		term.requireShown()
		term.press("\x14") // ctrl+t
		require.Contains(t, term.content(), `"text": "hi"`)
		term.press(keyCtrlS)
		require.Contains(t, term.content(), "the server answered in 0.00 ms: tools/call echo")
		term.requireShown()
	})
}

// TestRawIsSentAsItIs checks that raw bytes are sent without a newline, with
// the id of a pending request.
func TestRawIsSentAsItIs(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":"slow","method":"sleep"}`)
		d.do(actCompose, "compose-view", "presets")
		d.write("id of")
		d.do("preset-take", "send")
		synctest.Wait()
		d.pull()
		d.row(`{"jsonrpc":"2.0","id":"slow","method":"ping"}`)
	})
}
