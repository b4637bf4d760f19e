package send

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// TestFormFrames shows the form, its JSON and raw bytes.
func TestFormFrames(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}} {
		for _, colours := range []bool{true, false} {
			name := fmt.Sprintf("form-%dx%d", size[0], size[1])
			if !colours {
				name += "-nocolor"
			}
			planning(t, size[0], size[1], func(t *testing.T, r *composerRoom, _ *uitest.Server) {
				if colours {
					r.Colours()
				}
				r.Write("Bern")
				r.Do("form-next")
				r.Write("99")
				uitest.RequireExact(t, r.Frame(), size[0], size[1])
				uitest.Golden(t, name, r.Frame())
				if !colours {
					return
				}
				r.Do("form-compose-view")
				uitest.Golden(t, strings.Replace(name, "form", "form-json", 1), r.Text())
				r.Do("compose-view", "compose-view")
				r.pane.Text().SetValue(`{"half\xff`)
				uitest.Golden(t, strings.Replace(name, "form", "form-raw", 1), r.Text())
			})
		}
	}
}

// TestJSONSaysWhere checks that each problem has a position.
func TestJSONSaysWhere(t *testing.T) {
	planning(t, 120, 36, func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.Do("form-compose-view")
		for text, want := range map[string]string{
			"{\"city\":\"Bern\",\n  \"days\": 99}": "x 2:11: /days: is 99, at most 14",
			"{\"city\":\"B\",\"days\":1,}":         "x 1:22: invalid character '}'",
			"{\"city\":\"Bern\"}":                  "x 1:1: /days: is required",
			"{\"city\":\"Bern\",\"days\":3}":       "valid",
			"":                                     "empty: {} is sent",
		} {
			r.pane.Text().SetValue(text)
			require.Contains(t, r.Text(), want)
		}
		r.pane.Text().SetValue("{")
		r.Do("send")
		require.Contains(t, r.Said(), "not sent: not valid JSON")
		r.Do("compose-view")
		require.Contains(t, r.Said(), "not valid JSON yet")
		require.Equal(t, ScopeComposerText, r.pane.Scope())
		require.Equal(t, "{", r.pane.Text().Value(), "the JSON")
	})
}

// TestLongText checks that a text too long for typing is checked and sent
// without blocking keys.
func TestLongText(t *testing.T) {
	inComposer(t, 80, 24, uitest.Echo, func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.Do("compose")
		r.pane.Text().SetValue(`{"jsonrpc":"2.0","method":"notifications/x","params":{"pad":"` + strings.Repeat("x", MaxChecked) + `"}}`)
		require.Contains(t, r.Text(), "2.0M, not checked")
		require.Contains(t, r.Text(), "too long to check")
		uitest.RequireExact(t, r.Frame(), 80, 24)
		r.Press(tea.PasteMsg{Content: "x"})
		require.Contains(t, r.Said(), "cannot be edited here")
		out := r.Context().Workspace.Shown.Source.Stats().Out
		r.Do("send")
		require.Equal(t, out+1, r.Context().Workspace.Shown.Source.Stats().Out)

		r.Do("compose")
		r.pane.Text().SetValue("")
		r.Press(tea.PasteMsg{Content: strings.Repeat("y", kit.MaxDraft+1)})
		require.Len(t, r.pane.Text().Value(), kit.MaxDraft+1, "all of it, or nothing")
		r.pane.Text().SetValue("some text")
		r.Press(tea.PasteMsg{Content: strings.Repeat("y", kit.MaxDraft+1)})
		require.Equal(t, "some text", r.pane.Text().Value())
	})
}

// TestEditResendByForm checks that a call of a tool in the catalog opens in
// fields.
func TestEditResendByForm(t *testing.T) {
	inComposer(t, 120, 36, nil, func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.lookUp("tools")
		r.Send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"again","other":1},"_meta":{"x":1}}}`)
		r.SelectRow(r.Row(`"again"`))
		r.Do("edit-resend")
		require.Equal(t, ScopeComposerForm, r.pane.Scope())
		require.Equal(t, `{"text":"again","other":1}`, r.arguments())
		r.Do("form-close-composer")

		r.Send(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"unknown","arguments":{}}}`)
		r.SelectRow(r.Row(`"unknown"`))
		r.Do("edit-resend")
		require.Equal(t, ScopeComposerText, r.pane.Scope())
		require.Contains(t, r.pane.Text().Value(), `"unknown"`)
	})
}

// TestGoneTool checks that the composer reports when the server no longer lists a tool.
func TestGoneTool(t *testing.T) {
	tool := "one"
	serve := func(p *uitest.Process, m uitest.Message) {
		if m.Method == "tools/list" {
			p.Out(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":%q}]}}`, m.ID, tool)
		}
	}
	inComposer(t, 120, 36, serve, func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		r.Do("form-close-composer")
		tool = "two"
		r.lookUp("tools")
		r.Do("compose", "compose-view", "compose-view")
		require.Contains(t, r.Text(), "Call one")
		require.Contains(t, r.Text(), "no longer listed")
	})
}

// TestCompletion checks that completions are requested once nothing has been
// typed for a while, and that they are offered.
func TestCompletion(t *testing.T) {
	serve := func(p *uitest.Process, m uitest.Message) {
		if m.Method == "completion/complete" {
			p.Out(`{"jsonrpc":"2.0","id":%s,"result":{"completion":{"values":["alice","al\u001b[2J"]}}}`, m.ID)
			return
		}
		uitest.OffersAndEchoes(p, m)
	}
	inComposer(t, 120, 36, serve, func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.KeepTime()
		r.fillIn("prompts")
		const completeAfter = 200 * time.Millisecond
		asked := func() (n int) {
			for i := range r.Context().Workspace.Shown.Source.Len() {
				row, _ := r.Context().Workspace.Shown.Rows.At(i)
				if row.Kind == session.KindStdin && r.Context().Workspace.Shown.Source.Method(row.Method) == "completion/complete" {
					n++
				}
			}
			return n
		}
		for _, letter := range "al" {
			r.Write(string(letter))
			time.Sleep(completeAfter / 2)
			r.Arrive()
		}
		require.Zero(t, asked(), "no request while typing")
		time.Sleep(completeAfter)
		r.Arrive()
		require.Equal(t, 1, asked())
		r.Row(`"argument":{"name":"who","value":"al"},"context":{"arguments":{"who":"al"}},"ref":{"name":"greet","type":"ref/prompt"}`)
		require.Contains(t, r.Text(), "alice")
		uitest.RequireExact(t, r.Frame(), r.Screen().Width, r.Screen().Height)
		r.Do("form-complete")
		require.Equal(t, `{"who":"alice"}`, r.arguments())
		r.Do("form-send")
		r.Row(`"method":"prompts/get","params":{"_meta":{"progressToken":"mcpdbg-5"},"name":"greet","arguments":{"who":"alice"}}`)
	})
}

// TestTemplate checks that the variables of a template become a URI.
func TestTemplate(t *testing.T) {
	inComposer(t, 120, 36, nil, func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fillIn("templates")
		r.Write("a b")
		r.Do("form-next")
		r.Write("7")
		r.Do("form-send")
		r.Row(`"method":"resources/read","params":{"_meta":{"progressToken":"mcpdbg-4"},"uri":"res://a%20b/7"}`)
	})
}

// TestHostileForm checks that the borders stay intact, whatever the names of
// the arguments.
func TestHostileForm(t *testing.T) {
	var names []string
	for _, text := range uitest.Hostile {
		names = append(names, fmt.Sprintf("%q:{\"type\":\"string\",\"title\":%q,\"description\":%q,\"enum\":[%q]}", text, text, text, text))
	}
	schema := strings.ToValidUTF8(strings.NewReplacer(`\x`, `\u00`, `\a`, `\u0007`, `\v`, `\u000b`, `\U000e0001`, "", `\U0001f468`, "").Replace(strings.Join(names, ",")), "?")
	serve := func(p *uitest.Process, m uitest.Message) {
		if m.Method == "tools/list" {
			p.Out(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"\u001b[2J\u202e","inputSchema":{"type":"object","properties":{%s}}}]}}`, m.ID, schema)
		}
	}
	inComposer(t, 120, 36, serve, func(t *testing.T, r *composerRoom, x *uitest.Server) {
		r.fill()
		require.Equal(t, ScopeComposerForm, r.pane.Scope())
		for range uitest.Hostile {
			r.Do("form-next")
			for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 20}, {40, 10}} {
				r.resize(size[0], size[1])
				uitest.RequireExact(t, r.Frame(), size[0], size[1])
				r.Do("form-compose-view")
				uitest.RequireExact(t, r.Frame(), size[0], size[1])
				r.Do("compose-view", "compose-view", "compose-view")
			}
		}
	})
}

// TestFormMouse checks that a click selects a field, and that the wheel scrolls
// them.
func TestFormMouse(t *testing.T) {
	planning(t, 120, 36, func(t *testing.T, r *composerRoom, x *uitest.Server) {
		in := r.Screen().Panes.Body()
		r.Run(r.pane.Click(r.Context(), 5, in.Y+3))
		require.Equal(t, "/class", r.pane.Form().Path())
		r.Run(r.pane.Click(r.Context(), 5, in.Y+in.H-1))
		require.Equal(t, "/class", r.pane.Form().Path(), "no field there")
		title := strings.Split(r.Text(), "\n")[r.pane.place.Y]
		col := len([]rune(title[:strings.Index(title, "message raw")]))
		for at, want := range map[int]viewKind{col + 1: messageView, col - 2: jsonView, col - 8: formView} {
			r.Run(r.pane.Click(r.Context(), at, r.pane.place.Y))
			require.Equal(t, want, r.pane.view)
			r.Run(r.pane.Click(r.Context(), 5, r.pane.place.Y))
			require.Equal(t, want, r.pane.view, "only the names are links")
			for r.pane.view != formView {
				r.pane.otherView(r.Context())
			}
		}
		for h := 10; h < 16; h++ {
			r.resize(120, h)
			r.pane.Scroll(r.Context(), 3)
			uitest.RequireExact(t, r.Frame(), 120, h)
		}
	})
}
