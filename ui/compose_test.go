package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

// fill opens the form of the tool echo.
func (d *driver) fill() {
	d.t.Helper()
	d.lookUp()
	d.do(actCatalogOpen)
	require.Equal(d.t, composeForm, d.composer.view)
}

// fillIn opens the form of an item of another list.
func (d *driver) fillIn(list string) {
	d.t.Helper()
	d.do(actCatalog)
	for d.catalogTop().list(d.App).Name != list {
		d.do(actCatalogNext)
	}
	if d.catalogTop().item() == nil {
		d.do(actCatalogReload)
	}
	d.do(actCatalogOpen)
}

// arguments are what the form holds.
func (d *driver) arguments() string {
	raw, err := d.composer.form.JSON()
	require.NoError(d.t, err)
	return string(raw)
}

// longTool is a tool with a schema that has a bit of everything.
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
		d.do(actCatalog)
		d.do(actCatalogOpen)
		test(t, d, x)
	})
}

func formKey(key rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: key} }

var ctrlS = tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl}

var composeTests = map[string]actionTest{
	inForm + actSend: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.take(ctrlS)
		require.Contains(t, d.rows()[35], "x not sent, ctrl+s again sends it: /text: is required")
		d.write("hi")
		d.take(ctrlS)
		d.row(`"method":"tools/call","params":{"_meta":{"progressToken":"mcpdbg-5"},"name":"echo","arguments":{"text":"hi","times":1}}`)
		require.False(t, d.composer.open)
		require.Contains(t, d.rows()[35], "the server answered in 0.00 ms: tools/call echo")
		require.Equal(t, []string{"compose"}, d.acts())

		d.do(actCompose)
		require.Equal(t, `{"text":"hi","times":1}`, d.arguments(), "the draft is kept")
		d.do(actFormClear)
		d.take(ctrlS)
		d.take(ctrlS)
		d.row(`"name":"echo","arguments":{"times":1}}`) // as it is how a server is tried
	},
	inForm + actCloseComposer: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.write("half")
		d.take(formKey(tea.KeyEscape))
		require.False(t, d.composer.open)
		d.fill()
		require.Contains(t, d.plain(), "half", "opened from the catalog again")
	},
	inForm + actComposeView: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.write("hi")
		d.do(inForm + actComposeView)
		require.Contains(t, d.plain(), `"text": "hi"`)
		d.composer.json.SetValue(`{"text":"ho","more":[1.0]}`)
		d.do(actComposeView)
		require.Equal(t, `{"text":"ho","more":[1.0]}`, d.arguments(), "what the schema does not know is not lost")
	},
	inForm + actComposeWhole: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.write("hi")
		d.do(inForm + actComposeWhole)
		require.Equal(t, composeMessage, d.composer.view)
		require.Contains(t, d.composer.area.Value(), `"method": "tools/call"`)
		d.do(actComposeWhole)
		require.Equal(t, `{"text":"hi","times":1}`, d.arguments())
		d.do(inForm + actComposeView)
		d.composer.json.SetValue(`{"text":"changed"}`)
		d.do(actComposeWhole, actComposeWhole)
		require.Equal(t, `{"text":"changed"}`, d.arguments(), "nor is what was written as JSON lost")
	},
	inForm + actComposeEditor: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.write("h")
		d.edits(`printf ello >>`)
		d.do(inForm + actComposeEditor)
		require.Equal(t, `{"text":"hello","times":1}`, d.arguments())
	},
	inForm + actComposeOlder: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do(inForm + actComposeOlder)
		require.Contains(t, d.rows()[35], "nothing else was sent in this field")
		d.write("one")
		d.do(inForm + actSend)
		d.fill()
		d.write(" two")
		d.do(inForm + actSend)
		d.fill()
		d.write("!")
		d.do(inForm+actComposeOlder, inForm+actComposeOlder)
		require.Equal(t, `{"text":"one","times":1}`, d.arguments())
	},
	inForm + actComposeNewer: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.write("one")
		d.do(inForm + actSend)
		d.fill()
		d.write("!")
		d.do(inForm + actComposeOlder)
		require.Equal(t, `{"text":"one","times":1}`, d.arguments())
		d.do(inForm + actComposeNewer)
		require.Equal(t, `{"text":"one!","times":1}`, d.arguments())
	},
	inForm + actComposeCopy: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.write("it's")
		d.do(inForm + actComposeCopy)
		require.Equal(t, `mcpdbg call --tool echo --params '{"text":"it'\''s","times":1}' -- fake-server`, d.clip)
	},
	actFormNext: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do(actFormNext)
		require.Equal(t, "/times", d.composer.form.Path())
	},
	actFormPrev: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do(actFormNext, actFormPrev)
		require.Equal(t, "/text", d.composer.form.Path())
	},
	actFormPageDown: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do(actFormPageDown)
		require.Equal(t, "/how", d.composer.form.Path())
	},
	actFormPageUp: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do(actFormPageDown, actFormPageUp)
		require.Equal(t, "/text", d.composer.form.Path())
	},
	actFormTab: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do(actFormTab)
		require.Equal(t, "/times", d.composer.form.Path())
		d.composer.form.SetSuggestions("/times", []string{"7", "8"})
		d.do(actFormTab)
		require.Equal(t, `{"text":"","times":7}`, strings.Replace(d.arguments(), `{"times"`, `{"text":"","times"`, 1))
	},
	actFormAdd: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do(actFormAdd)
		require.Contains(t, d.rows()[35], "the field is not in a list")
	},
	actFormRemove: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.composer.form.Select("/text")
		d.do(actFormRemove)
		require.Contains(t, d.rows()[35], "ctrl+g leaves it out")
		require.NoError(t, d.composer.form.SetJSON([]byte(`{"text":"x","more":1}`)))
		d.composer.form.Select("/more")
		d.do(actFormRemove)
		require.Equal(t, `{"text":"x"}`, d.arguments())
	},
	actFormClear: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do(actFormNext, actFormClear)
		require.Equal(t, `{}`, d.arguments())
	},
	actFormNull: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fill()
		d.do(actFormNull)
		require.Equal(t, `{"text":null,"times":1}`, d.arguments())
	},

	actComposeView: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose)
		d.composer.area.SetValue("{\n\"method\":\"é\\n\"}")
		d.do(actComposeView)
		require.Equal(t, composeRaw, d.composer.view)
		require.Equal(t, `{"method":"é\\n"}\n`, d.composer.raw.Value())
		require.Contains(t, d.plain(), "18 bytes: 7b 22 6d")
		d.do(actComposeView)
		require.Equal(t, composeMessage, d.composer.view)
	},
	actComposeWhole: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose, actComposeWhole)
		require.Contains(t, d.rows()[35], "there is no form yet")
	},
	actComposeEditor: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose)
		d.edits(`printf '{"a":\n%070000d}' 1 >`)
		d.do(actComposeEditor)
		require.Len(t, d.composer.area.Value(), 70007)
		require.Contains(t, d.plain(), "68.4K in all: ctrl+e opens it in your editor")
		d.write("x")
		require.Contains(t, d.rows()[35], "68.4K is too long to be typed into")
		requireExact(t, d.screen(), 120, 36)
	},
	actComposeOlder: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose)
		for _, text := range []string{`{"method":"a"}`, `{"method":"b"}`} {
			d.composer.area.SetValue(text)
			d.do(actSend, actCompose)
		}
		d.composer.area.SetValue("{")
		d.do(actComposeOlder)
		require.Equal(t, `{"method":"b"}`, d.composer.area.Value())
		d.do(actComposeOlder, actComposeOlder)
		require.Contains(t, d.rows()[35], "nothing else was sent from here")
		require.Equal(t, `{"method":"a"}`, d.composer.area.Value())
	},
	actComposeNewer: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose)
		d.composer.area.SetValue(`{"method":"a"}`)
		d.do(actSend, actCompose)
		d.composer.area.SetValue("{")
		d.do(actComposeOlder, actComposeNewer)
		require.Equal(t, "{", d.composer.area.Value())
	},
	actComposeCopy: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose, actComposeCopy)
		require.Equal(t, `mcpdbg call tools/list -- fake-server`, d.clip)
		d.composer.area.SetValue("{")
		d.do(actComposeCopy)
		require.Contains(t, d.rows()[35], "only a request has a command line")
	},
	actCompleteWord: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.do(actCatalogClose, actCompose)
		d.composer.area.SetValue(`{"method":"tools/c`)
		d.do(actCompleteWord)
		require.Equal(t, `{"method":"tools/call`, d.composer.area.Value())
		d.composer.area.SetValue(`{"method":"resources/`)
		d.do(actCompleteWord)
		require.Contains(t, d.plain(), "tab  resources/read resources/subscribe resources/unsubscribe resources/list resources/templates/list")
		d.composer.area.SetValue(`{"name":"ec`)
		d.do(actCompleteWord)
		require.Equal(t, `{"name":"echo`, d.composer.area.Value(), "a tool that the server lists")
	},
	actPresets: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose, actPresets)
		require.Contains(t, d.rows()[35], "raw bytes only")
		d.do(actComposeView, actPresets)
		require.Contains(t, d.plain(), "the id of a request that waits")
		requireExact(t, d.screen(), 120, 36)
	},
	actPresetClose: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose, actComposeView, actPresets, actPresetClose)
		require.Nil(t, d.top())
	},
	actPresetTake: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose, actComposeView, actPresets)
		d.do(actPresetTake, actSend)
		d.row(`{"jsonrpc":"2.0","id":"ui`)
		require.Equal(t, []string{"raw"}, d.acts())
		require.Contains(t, d.rows()[35], "25 bytes sent")
	},
	"presets-" + actDown:     presetMoves(1, actDown),
	"presets-" + actUp:       presetMoves(0, actDown, actUp),
	"presets-" + actBottom:   presetMoves(len(presets)-1, actBottom),
	"presets-" + actTop:      presetMoves(0, actBottom, actTop),
	"presets-" + actPageDown: presetMoves(len(presets)-1, actPageDown, actPageDown),
	"presets-" + actPageUp:   presetMoves(0, actDown, actPageUp),
}

func presetMoves(want int, moves ...string) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose, actComposeView, actPresets)
		d.screen()
		for _, move := range moves {
			d.do("presets-" + move)
		}
		at, _ := d.top().(*presetList).current()
		require.Equal(t, want, at)
	}
}

// edits makes a shell command the editor of the test, with the file behind it.
func (d *driver) edits(command string) {
	script := filepath.Join(d.t.TempDir(), "editor")
	require.NoError(d.t, os.WriteFile(script, []byte("#!/bin/sh\n"+command+` "$1"`+"\n"), 0o700))
	d.t.(*testing.T).Setenv("VISUAL", script)
}

// TestFormFrames: the form, its JSON and raw bytes.
func TestFormFrames(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}} {
		for _, noColor := range []bool{false, true} {
			name := fmt.Sprintf("form-%dx%d", size[0], size[1])
			if noColor {
				name += "-nocolor"
			}
			planning(t, size[0], size[1], noColor, func(t *testing.T, d *driver, _ *fakeExecutor) {
				d.write("Bern")
				d.do(actFormNext)
				d.write("99")
				requireExact(t, d.screen(), size[0], size[1])
				golden(t, name, d.screen())
				if noColor {
					return
				}
				d.do(inForm + actComposeView)
				golden(t, strings.Replace(name, "form", "form-json", 1), d.plain())
				d.do(actComposeView, inForm+actComposeWhole, actComposeView)
				d.composer.raw.SetValue(`{"half\xff`)
				golden(t, strings.Replace(name, "form", "form-raw", 1), d.plain())
			})
		}
	}
}

// TestJSONSaysWhere: what is wrong has a place.
func TestJSONSaysWhere(t *testing.T) {
	planning(t, 120, 36, false, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(inForm + actComposeView)
		for text, want := range map[string]string{
			"{\"city\":\"Bern\",\n  \"days\": 99}": "x 2:11: /days: maximum: got 99, want 14",
			"{\"city\":\"B\",\"days\":1,}":         "x 1:22: invalid character '}'",
			"{\"city\":\"Bern\"}":                  "x 1:1: /days: is required",
			"{\"city\":\"Bern\",\"days\":3}":       "valid",
			"":                                     "nothing: {} is sent",
		} {
			d.composer.json.SetValue(text)
			d.mark(composerID)
			require.Contains(t, d.plain(), want)
		}
		d.composer.json.SetValue("{")
		d.do(actSend)
		require.Contains(t, d.rows()[35], "not sent: it is no JSON")
		d.do(actComposeView)
		require.Contains(t, d.rows()[35], "the fields can't hold it")
		require.Equal(t, composeJSON, d.composer.view)
	})
}

// TestLongText: a text that is too long to be typed into is checked and sent
// beside the keys.
func TestLongText(t *testing.T) {
	inBubble(t, 80, 24, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose)
		d.composer.area.SetValue(`{"jsonrpc":"2.0","method":"notifications/x","params":{"pad":"` + strings.Repeat("x", maxChecked) + `"}}`)
		d.mark(composerID)
		require.Contains(t, d.plain(), "2.0M, not checked")
		require.Contains(t, d.plain(), "too long to be checked")
		requireExact(t, d.screen(), 80, 24)
		d.take(tea.PasteMsg{Content: "x"})
		require.Contains(t, d.rows()[23], "is too long to be typed into")
		out := d.source.Stats().Out
		d.do(actSend)
		require.Equal(t, out+1, d.source.Stats().Out)

		d.do(actCompose)
		d.composer.area.SetValue("")
		d.take(tea.PasteMsg{Content: strings.Repeat("y", maxDraft+1)})
		require.Len(t, d.composer.area.Value(), maxDraft+1, "all of it, or nothing")
		d.composer.area.SetValue("some text")
		d.take(tea.PasteMsg{Content: strings.Repeat("y", maxDraft+1)})
		require.Equal(t, "some text", d.composer.area.Value())
	})
}

// TestEditResendByForm: a call of a tool that the catalog knows opens in fields.
func TestEditResendByForm(t *testing.T) {
	offering(t, 120, 36, false, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.do(actCatalogClose)
		d.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"again","other":1},"_meta":{"x":1}}}`)
		d.traffic.Select(d.row(`"again"`))
		d.do(actTraffic, actEditResend)
		require.Equal(t, composeForm, d.composer.view)
		require.Equal(t, `{"text":"again","other":1}`, d.arguments())
		d.do(inForm + actCloseComposer)

		d.send(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"unknown","arguments":{}}}`)
		d.traffic.Select(d.row(`"unknown"`))
		d.do(actTraffic, actEditResend)
		require.Equal(t, composeMessage, d.composer.view)
	})
}

// TestGoneTool: the composer says so when the server does not list a tool any more.
func TestGoneTool(t *testing.T) {
	tool := "one"
	serve := func(p *fakeProcess, m message) {
		if m.Method == "tools/list" {
			p.out(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":%q}]}}`, m.ID, tool)
		}
	}
	offering(t, 120, 36, false, serve, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCatalog, actCatalogOpen, inForm+actCloseComposer)
		tool = "two"
		d.do(actCatalog, actCatalogReload, actCatalogClose, actCompose)
		require.Contains(t, d.plain(), "Compose tools/call one")
		require.Contains(t, d.plain(), "! the server does not list it any more")
	})
}

// TestCompletion: the server is asked once nothing has been typed for a while,
// and what it says is offered.
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
		asked := func() (n int) {
			for i := range d.source.Len() {
				row, _ := d.rowReader().at(i)
				if row.Kind == session.KindStdin && d.source.Method(row.Method) == methodComplete {
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
		require.Zero(t, asked(), "somebody is typing")
		time.Sleep(completeAfter)
		d.arrive()
		require.Equal(t, 1, asked())
		d.row(`"argument":{"name":"who","value":"al"},"context":{"arguments":{"who":"al"}},"ref":{"name":"greet","type":"ref/prompt"}`)
		require.Contains(t, d.plain(), "alice")
		requireExact(t, d.screen(), 120, 36)
		d.do(actFormTab)
		require.Equal(t, `{"who":"alice"}`, d.arguments())
		d.do(inForm + actSend)
		d.row(`"method":"prompts/get","params":{"_meta":{"progressToken":"mcpdbg-9"},"name":"greet","arguments":{"who":"alice"}}`)
	})
}

// TestTemplate: the variables of a template become a URI.
func TestTemplate(t *testing.T) {
	offering(t, 120, 36, false, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.fillIn("templates")
		d.write("a b")
		d.do(actFormNext)
		d.write("7")
		d.do(inForm + actSend)
		d.row(`"method":"resources/read","params":{"_meta":{"progressToken":"mcpdbg-7"},"uri":"res://a%20b/7"}`)
	})
}

// TestPresets: each is what it says, and can be taken back out of its text.
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

// TestHostileForm: whatever a server calls its arguments, the borders stay.
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
		d.do(actCatalog, actCatalogOpen)
		require.Equal(t, composeForm, d.composer.view)
		for range hostile {
			d.do(actFormNext)
			for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 20}, {40, 10}} {
				d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				requireExact(t, d.screen(), size[0], size[1])
				d.do(inForm + actComposeView)
				requireExact(t, d.screen(), size[0], size[1])
				d.do(actComposeView)
			}
		}
	})
}

// TestFormMouse: a click selects a field, the wheel scrolls them.
func TestFormMouse(t *testing.T) {
	planning(t, 120, 36, false, func(t *testing.T, d *driver, _ *fakeExecutor) {
		in := d.layout.pane[composerID].Inner()
		d.take(tea.MouseClickMsg{X: in.X + 10, Y: in.Y + 3, Button: tea.MouseLeft})
		require.Equal(t, "/class", d.composer.form.Path())
		d.take(tea.MouseClickMsg{X: in.X + 10, Y: in.Y + in.H - 1, Button: tea.MouseLeft})
		require.Equal(t, "/class", d.composer.form.Path(), "there is no field")
		for y := 6; y < 12; y++ {
			d.take(tea.WindowSizeMsg{Width: 120, Height: y + 12})
			d.take(tea.MouseWheelMsg{X: in.X + 10, Y: d.layout.pane[composerID].Y + 1, Button: tea.MouseWheelDown})
			requireExact(t, d.screen(), 120, y+12)
		}
	})
}

// TestComposeInProgram: from the catalog over the form to the answer, by keys.
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
		require.Contains(t, term.screen(), "[tools 3]")
		term.press("e", "c", "h", "\r", "h", "i")
		require.Contains(t, term.screen(), "Compose tools/call echo")
		term.requireShown()
		term.press("\x14") // ctrl+t
		require.Contains(t, term.screen(), `"text": "hi"`)
		term.press(keyCtrlS)
		require.Contains(t, term.screen(), "the server answered in 0.00 ms: tools/call echo")
		term.requireShown()
	})
}
