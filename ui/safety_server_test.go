package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/compare"
	"mcpdbg/ui/copies"
	"mcpdbg/ui/detail"
	"mcpdbg/ui/fleet"
	"mcpdbg/ui/help"
	"mcpdbg/ui/home"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/process"
	"mcpdbg/ui/replay"
	"mcpdbg/ui/send"
	"mcpdbg/ui/server"
	"mcpdbg/ui/steer"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/tty"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/grid"
	"mcpdbg/ui/workspace"
)

// A hostileServer sends hostile texts in every place that a server can fill.
type hostileServer struct {
	*driver
	x *fakeExecutor
}

// asksHostile makes the server send each kind of server request.
func (h *hostileServer) asksHostile() {
	schema, err := json.Marshal(uitest.HostileSchema())
	require.NoError(h.t, err)
	message, err := json.Marshal(strings.ToValidUTF8(strings.Join(hostile, "\n"), "?"))
	require.NoError(h.t, err)
	h.asked(h.x, 0, mcp.MethodElicit, `{"message":`+string(message)+`,"requestedSchema":`+string(schema)+`}`)
	h.asked(h.x, 1, mcp.MethodSample, `{"messages":[{"role":"user","content":{"type":"text","text":`+string(message)+`}}],"systemPrompt":`+string(message)+`}`)
}

// composesHostile opens the form of a tool.
func (h *hostileServer) composesHostile() {
	h.do("catalog", "catalog-"+kit.Down, "catalog-open")
	require.True(h.t, h.visible.composer.IsOpen())
}

// hostileWays lead to each scope, with a hostile text on the screen.
var hostileWays = map[string]func(h *hostileServer){
	scopeSessions: func(h *hostileServer) { h.another(hostile[0] + "\u202e"); h.do(actSessions) },
	traffic.Scope: func(h *hostileServer) { h.do(actTraffic, "timeline") },
	detail.Scope:  func(h *hostileServer) { h.do(host.ActOpen, "view-stderr") },
	detail.ScopeJQ: func(h *hostileServer) {
		h.selects(`"tools":`)
		h.do("jq")
		h.write("..|strings?")
		h.do("jq-keep", "jq")
		h.pastes()
		h.write(".")
		h.do("jq-complete")
	},
	scopeLog:            func(h *hostileServer) { h.do(actEvents) },
	server.ScopeCatalog: func(h *hostileServer) { h.do("catalog") },
	fleet.Scope: func(h *hostileServer) {
		r := uitest.NewRun(h.t, len(hostile))
		for i, text := range hostile {
			r.Rows[i] = grid.Row{Host: text, Server: text, State: grid.Failed, Phases: hostile, Phase: text, Cause: text, Message: text, Recording: text}
			r.Facts = append(r.Facts, grid.Fact{Label: text, Text: text})
		}
		h.grids(r)
	},
	help.ScopePalette: func(h *hostileServer) { h.do(help.ActPalette); h.pastes() },
	replay.Scope: func(h *hostileServer) {
		h.do("catalog", "catalog-close") // requests the list of tools
		h.open(workspace.Opened{Source: h.visible.ws.Shown.Source, Title: hostile[0]})
		h.pull()
		h.do(host.ActReplay)
	},
	traffic.ScopeWaterfall: func(h *hostileServer) { h.do("waterfall") },
	traffic.ScopeSequence:  func(h *hostileServer) { h.do("sequence") },
	traffic.ScopeLatency:   func(h *hostileServer) { h.do("latency", "latency-histogram") },

	compare.ScopeMenu: func(h *hostileServer) { h.another(hostile[0] + "\u202e"); h.do(host.ActCompare) },
	compare.Scope: func(h *hostileServer) {
		h.do("catalog", "catalog-close")
		h.another(hostile[0] + "\u202e")
		h.do(host.ActCompare, "compare-with-pick", "compare-unfold", "compare-reveal")
		require.Contains(h.t, h.plain(), " calls: ")
	},
	help.Scope:             func(h *hostileServer) { h.do(help.ActMenu); h.pastes() },
	home.Scope:             func(h *hostileServer) { h.do("open-session") },
	copies.ScopeExport:     func(h *hostileServer) { h.do("export", "export-write") },
	home.ScopeInputs:       func(h *hostileServer) { h.do("open-session", "home-open") },
	send.ScopeComposerForm: (*hostileServer).composesHostile,
	send.ScopeComposerText: func(h *hostileServer) { h.composesHostile(); h.do("form-compose-view", "compose-view"); h.pastes() },
	send.ScopePresets:      func(h *hostileServer) { h.do(host.ActCompose, "compose-view", "presets") },
	scopePrompt:            func(h *hostileServer) { h.do(actFilter); h.pastes(); h.write(" tool:"); h.do(actComplete) },
	scopeDialog: func(h *hostileServer) {
		h.visible.confirm(&host.Dialog{Title: hostile[0], Lines: hostile, No: hostile[1], Yes: func(host.Context) tea.Cmd { return nil }})
		h.content()
		h.hush()
	},
	steer.Scope:     func(h *hostileServer) { h.holdsHostile(); h.do(steer.ActFocus) },
	steer.ScopeDrop: func(h *hostileServer) { h.holdsHostile(); h.do(steer.ActFocus, "drop") },
	problems.ScopeStart: func(h *hostileServer) {
		h.Open(h.visible.ws, problems.NewFailedStart("", "start", &executor.StartError{Code: executor.StartNotFound, Err: hostileError{}, Hint: strings.Join(hostile, "\n"), Said: hostile[1]}))
		h.canvas.stale = true
	},
	process.ScopeStop: func(h *hostileServer) { h.do("kill") },
	server.ScopeLogLevel: func(h *hostileServer) {
		h.visible.ws.Status.Server.Capabilities = []byte(`{"logging":{}}`)
		h.do("set-log-level")
	},
	process.ScopePane:    func(h *hostileServer) { h.do("info", "environment-values") },
	process.ScopeTree:    func(h *hostileServer) { h.do("info", "kill-one") },
	server.ScopeOverview: func(h *hostileServer) { h.do(server.ActOverview) },
	problems.ScopeCauses: func(h *hostileServer) { h.do(host.ActCauses) },
	problems.ScopeList:   func(h *hostileServer) { h.do(host.ActProblems) },
	copies.ScopeNotes:    func(h *hostileServer) { h.do(actTraffic, kit.Bottom, "mark", "notes") },
	copies.ScopeCopy:     func(h *hostileServer) { h.do(kit.Bottom, "copy-menu") },
	send.ScopePolicies:   func(h *hostileServer) { h.asksHostile(); h.do("policies") },
	send.ScopeAnswer:     func(h *hostileServer) { h.asksHostile(); h.do(host.ActAnswer) },
	send.ScopeAnswerJSON: func(h *hostileServer) { h.asksHostile(); h.do(host.ActAnswer, "answer-other", "answer-view") },
	scopeAsk: func(h *hostileServer) {
		asks := uitest.PromptChallenge
		asks.Text, asks.Hop, asks.User = strings.Join(hostile, "\n"), hostile[0], hostile[1]
		h.askNow(asks)
	},
}

// hostileError is an error with a hostile text.
type hostileError struct{}

func (hostileError) Error() string { return strings.Join(hostile, " ") }

// holdsHostile shows a live tap that holds hostile messages.
func (h *hostileServer) holdsHostile() {
	live := uitest.NewLiveTap()
	for i, text := range hostile {
		live.Is.Held = append(live.Is.Held, uitest.HeldLine(i+1, time.Now(), 0, i%2 == 0, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"%s","method":"tools/call","params":{"name":"%s","arguments":{"%s":"%s"}}}`, text, text, text, text)))
	}
	live.Is.Holding, live.Is.Client = hostile[0], hostile[1]
	require.NoError(h.t, live.Steer(h.t.Context(), true))
	h.open(live.Opened(workspace.Opened{Source: uitest.LiveTapLog(h.t, live.Is.Held...), Title: hostile[0]}, time.Now()))
	h.pull()
}

// pastes pastes hostile text wherever text can be typed.
func (h *hostileServer) pastes() {
	for _, text := range hostile {
		h.take(tea.PasteMsg{Content: text})
	}
}

// TestHostileServer opens everything that can be opened, at all sizes, while the
// server sends hostile texts in every place it can fill. It checks that nothing
// raw reaches the frame or the title, and that borders stay in their columns.
func TestHostileServer(t *testing.T) {
	t.Parallel()
	for _, scope := range scopes {
		t.Run(scope.ID, func(t *testing.T) {
			t.Parallel()
			way, ok := hostileWays[scope.ID]
			require.True(t, ok, "no way to this scope")
			synctest.Test(t, func(t *testing.T) {
				h := newHostileServer(t)
				way(h)
				h.pull()
				require.Equal(t, scope.ID, h.visible.scope(), "%s", h.plain())
				for range 3 {
					for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 20}, {40, 10}, {39, 9}} {
						h.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
						requireExact(t, h.content(), size[0], size[1])
						uitest.RequireBorders(t, h.rows())
						requireSafe(t, h.View().WindowTitle)
					}
					for range 3 {
						h.take(tea.KeyPressMsg{Code: tea.KeyDown})
						requireExact(t, h.content(), 39, 9)
					}
				}
			})
		})
	}
}

// newHostileServer must be called in a synctest bubble.
func newHostileServer(t *testing.T) *hostileServer {
	t.Helper()
	s, x := newSession(t, newLog(t), uitest.HostileLists)
	x.Capabilities = allCapabilities
	require.NoError(t, s.Open(t.Context()))
	x.Latest().Children = uitest.HostileTree
	var items []host.Item
	for _, text := range hostile {
		items = append(items, host.Item{Kind: host.ServerItem, Key: text, Name: text, From: text, Where: text, Command: text, Notes: []string{text},
			Inputs: []host.Input{{ID: text, Description: text, Default: text, Options: []string{text}}}})
	}
	h := &hostileServer{x: x, driver: drive(t, Options{
		Session: s, Title: hostile[0] + "\u202e", Prompter: tty.NewPrompter(), Launcher: &uitest.Launcher{T: t, Found: host.Home{Items: items, Notes: hostile}},
	}, 120, 36)}
	for _, method := range []string{"tools/list", "resources/list", "prompts/list", "resources/templates/list", "other"} {
		h.send(`{"jsonrpc":"2.0","id":"` + method + `","method":"` + method + `"}`)
	}
	for i, text := range hostile {
		x.Latest().Err(text)
		x.Latest().Out("%s", text)
		x.Latest().Out(`{"jsonrpc":"2.0","id":%d,"error":{"code":1,"message":"%s"}}`, 1000+i, text)
		x.Latest().Out(`{"jsonrpc":"2.0","method":"%s","params":{"%s":"%s"}}`, text, text, text)
		require.NoError(t, s.Log().Append([]session.Entry{session.NewEntry(session.KindNote, 0, session.NoteBody{Text: text, Hint: text})}))
	}
	synctest.Wait()
	h.pull()
	return h
}

// TestHostileFileNames checks that the server has no influence on the name of the
// file that an editor or a pager opens.
func TestHostileFileNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Setenv("EDITOR", "true")
		t.Setenv("PAGER", "true")
		h := newHostileServer(t)
		opened := 0
		h.outside.exec = func(c tea.ExecCommand, done tea.ExecCallback) tea.Cmd {
			args := c.(*host.Program).Args()
			require.Regexp(t, `/mcpdbg-\d+/text\.[a-z]+$`, args[len(args)-1])
			opened++
			return func() tea.Msg { return done(nil) }
		}
		h.do(kit.Top)
		for range 40 {
			h.do("open-in-editor", "open-in-pager", kit.Down)
		}
		h.composesHostile()
		h.do("form-compose-editor")
		require.Equal(t, 81, opened)
	})
}
