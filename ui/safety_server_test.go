package ui

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/grid"
)

// A hostileServer has hostile texts wherever a server can put any.
type hostileServer struct {
	*driver
	x *fakeExecutor
}

// hostileObjects gives one object for each hostile text, as the elements of a
// JSON array.
func hostileObjects(of func(text string) any) string {
	var all []any
	for _, text := range hostile {
		all = append(all, of(text))
	}
	raw, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// hostileSchema is the schema of an object with a member for each hostile text.
func hostileSchema() map[string]any {
	properties := map[string]any{}
	for i, text := range hostile {
		kinds := []map[string]any{{"type": "string", "default": text}, {"type": "string", "enum": []string{text, "x"}}, {"type": "array", "items": map[string]any{"type": "string"}}, {"type": text}}
		field := kinds[i%len(kinds)]
		field["title"], field["description"], field["pattern"] = text, text, text
		properties[text] = field
	}
	return map[string]any{"type": "object", "properties": properties, "required": hostile}
}

// hostileLists answers what a catalog asks for.
func hostileLists(p *fakeProcess, m message) {
	lists := map[string]string{
		"tools/list": `{"tools":` + hostileObjects(func(text string) any {
			return map[string]any{"name": text, "title": text, "description": text, "inputSchema": hostileSchema(), "annotations": map[string]any{"title": text}}
		}) + `}`,
		"resources/list": `{"resources":` + hostileObjects(func(text string) any {
			return map[string]any{"uri": text, "name": text, "mimeType": text, "description": text}
		}) + `}`,
		"resources/templates/list": `{"resourceTemplates":` + hostileObjects(func(text string) any {
			return map[string]any{"uriTemplate": "x://{" + text + "}", "name": text}
		}) + `}`,
		"prompts/list": `{"prompts":` + hostileObjects(func(text string) any {
			return map[string]any{"name": text, "description": text, "arguments": []any{map[string]any{"name": text, "description": text}}}
		}) + `}`,
	}
	if answer, ok := lists[m.Method]; ok {
		p.out(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, answer)
	} else if m.ID != nil && m.Method != "" {
		p.out(`{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":%q,"data":%s}}`, m.ID, "\x1b[2J", hostileObjects(func(text string) any { return text }))
	}
}

// hostileTree is a family of processes with such names.
func hostileTree(*fakeProcess) []executor.Descendant {
	var all []executor.Descendant
	for i, text := range hostile {
		all = append(all, executor.Descendant{PID: 10 + i, PPID: 9 + i, Command: text})
	}
	return all
}

// asksHostile has the server ask something for each of its ways to ask.
func (h *hostileServer) asksHostile() {
	schema, err := json.Marshal(hostileSchema())
	require.NoError(h.t, err)
	message, err := json.Marshal(strings.ToValidUTF8(strings.Join(hostile, "\n"), "?"))
	require.NoError(h.t, err)
	h.asked(h.x, 0, mcp.MethodElicit, `{"message":`+string(message)+`,"requestedSchema":`+string(schema)+`}`)
	h.asked(h.x, 1, mcp.MethodSample, `{"messages":[{"role":"user","content":{"type":"text","text":`+string(message)+`}}],"systemPrompt":`+string(message)+`}`)
}

// composesHostile opens the form of a tool.
func (h *hostileServer) composesHostile() {
	h.do(actCatalog, "catalog-"+actDown, actCatalogOpen)
	require.True(h.t, h.composer.open)
}

// hostileWays lead to each scope with something hostile to be seen there.
var hostileWays = map[string]func(h *hostileServer){
	scopeSessions: func(h *hostileServer) { h.another(hostile[0] + "\u202e"); h.do(actSessions) },
	scopeTraffic:  func(h *hostileServer) { h.do(actTraffic, actTimeline, actTimeline) },
	scopeDetail:   func(h *hostileServer) { h.do(actOpen, actViewAround) },
	scopeStderr:   func(h *hostileServer) { h.do(actStderr) },
	scopeEvents:   func(h *hostileServer) { h.do(actEvents) },
	scopeCatalog:  func(h *hostileServer) { h.do(actCatalog) },
	scopeGrid: func(h *hostileServer) {
		r := newFakeRun(h.t, len(hostile))
		for i, text := range hostile {
			r.rows[i] = grid.Row{Host: text, Server: text, State: grid.Failed, Phases: hostile, Phase: text, Cause: text, Message: text, Recording: text}
			r.about = append(r.about, grid.Fact{Label: text, Text: text})
		}
		h.grids(r)
	},
	scopePalette: func(h *hostileServer) { h.do(actPalette); h.pastes() },
	scopeAgain: func(h *hostileServer) {
		h.do(actCatalog, actCatalogClose) // tools are asked for
		h.run(h.add(Opened{Source: h.source, Title: hostile[0]}))
		h.pull()
		h.do(actAgain)
	},
	scopeCompareWith: func(h *hostileServer) { h.another(hostile[0] + "\u202e"); h.do(actCompare) },
	scopeCompare: func(h *hostileServer) {
		h.do(actCatalog, actCatalogClose)
		h.another(hostile[0] + "\u202e")
		h.do(actCompare, actPickCompare, actCompareAll, actCompareReveal)
		require.NotNil(h.t, h.top().(*comparing).c)
	},
	scopeHelp:     func(h *hostileServer) { h.do(actHelp); h.pastes() },
	scopeHome:     func(h *hostileServer) { h.do(actHome) },
	scopeInputs:   func(h *hostileServer) { h.do(actHome, actOpenItem) },
	scopeForm:     (*hostileServer).composesHostile,
	scopeComposer: func(h *hostileServer) { h.composesHostile(); h.do(inForm + actComposeWhole); h.pastes() },
	scopePresets:  func(h *hostileServer) { h.do(actCompose, actComposeView, actPresets) },
	scopePrompt:   func(h *hostileServer) { h.do(actFilter); h.pastes(); h.write(" tool:"); h.do(actComplete) },
	scopeDialog: func(h *hostileServer) {
		h.dialog = failure("start", &executor.StartError{Code: executor.StartNotFound, Err: hostileError{}, Hint: strings.Join(hostile, "\n"), Said: hostile[1]}, "r")
		h.stale = true
	},
	scopeStop:       func(h *hostileServer) { h.do(actKill) },
	scopeProcess:    func(h *hostileServer) { h.do(actInfo, actValues) },
	scopeTree:       func(h *hostileServer) { h.do(actInfo, actKillOne) },
	scopeTrouble:    func(h *hostileServer) { h.do(actTrouble) },
	scopeFindings:   func(h *hostileServer) { h.do(actFindings) },
	scopeNotes:      func(h *hostileServer) { h.do(actTraffic, actBottom, actMark, actNotes) },
	scopeCopy:       func(h *hostileServer) { h.do(actCopyMenu) },
	scopePolicies:   func(h *hostileServer) { h.asksHostile(); h.do(actPolicies) },
	scopeAnswer:     func(h *hostileServer) { h.asksHostile(); h.do(actAnswer) },
	scopeAnswerText: func(h *hostileServer) { h.asksHostile(); h.do(actAnswer, actAnswerOther, actAnswerView) },
	scopeAsk: func(h *hostileServer) {
		asks := promptChallenge
		asks.Text, asks.Hop, asks.User = strings.Join(hostile, "\n"), hostile[0], hostile[1]
		h.askNow(asks)
	},
}

// hostileError is an error with hostile words.
type hostileError struct{}

func (hostileError) Error() string { return strings.Join(hostile, " ") }

// pastes puts hostile text where text is written.
func (h *hostileServer) pastes() {
	for _, text := range hostile {
		h.take(tea.PasteMsg{Content: text})
	}
}

// requireBorders makes sure that each box with a heavy frame has its sides in
// two columns from its top to its bottom, unless another one stands over it.
func requireBorders(t testing.TB, rows []string) {
	t.Helper()
	cells := make([][]rune, len(rows))
	for y, row := range rows {
		for _, r := range row {
			for range ansi.StringWidthWc(string(r)) {
				cells[y] = append(cells[y], r)
			}
		}
	}
	for top, row := range cells {
		for left, r := range row {
			if r != '┏' {
				continue
			}
			right := left + 1 + slices.Index(row[left+1:], '┓')
			bottom := top + 1
			for bottom < len(cells) && cells[bottom][left] == '┃' {
				bottom++
			}
			if right == left || bottom == len(cells) || cells[bottom][left] == '┏' || corners(cells, top, left, bottom, right) > 4 {
				continue
			}
			for y := top + 1; y < bottom; y++ {
				require.Equal(t, "┃", string(cells[y][right]), "the right border of line %d: %q", y, rows[y])
			}
			require.Equal(t, "┗┛", string(cells[bottom][left])+string(cells[bottom][right]), "the corners of line %d: %q", bottom, rows[bottom])
		}
	}
}

// corners counts the corners of heavy frames in a part of the screen.
func corners(cells [][]rune, top, left, bottom, right int) (n int) {
	for _, row := range cells[top : bottom+1] {
		for _, r := range row[left : right+1] {
			if strings.ContainsRune("┏┓┗┛", r) {
				n++
			}
		}
	}
	return n
}

// TestHostileServer looks at everything that can be opened while the server has
// hostile texts wherever it can have any, at all sizes: nothing raw comes
// through, in the frame or in the title, and borders stay in their columns.
func TestHostileServer(t *testing.T) {
	t.Parallel()
	for _, scope := range scopes {
		t.Run(scope.ID, func(t *testing.T) {
			t.Parallel()
			way, ok := hostileWays[scope.ID]
			require.True(t, ok, "no way to the scope")
			synctest.Test(t, func(t *testing.T) {
				h := newHostileServer(t)
				way(h)
				h.pull()
				require.Equal(t, scope.ID, h.scope(), "%s", h.plain())
				for range 3 {
					for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 20}, {40, 10}, {39, 9}} {
						h.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
						requireExact(t, h.screen(), size[0], size[1])
						requireBorders(t, h.rows())
						requireSafe(t, h.View().WindowTitle)
					}
					for range 3 {
						h.take(tea.KeyPressMsg{Code: tea.KeyDown})
						requireExact(t, h.screen(), 39, 9)
					}
				}
			})
		})
	}
}

// newHostileServer must be called in a synctest bubble.
func newHostileServer(t *testing.T) *hostileServer {
	t.Helper()
	s, x := newSession(t, newLog(t), hostileLists)
	x.capabilities = allCapabilities
	require.NoError(t, s.Open(t.Context()))
	x.latest().tree = hostileTree
	var items []Item
	for _, text := range hostile {
		items = append(items, Item{Kind: ServerItem, Key: text, Name: text, From: text, Where: text, Command: text, Notes: []string{text},
			Inputs: []Input{{ID: text, Description: text, Default: text, Options: []string{text}}}})
	}
	h := &hostileServer{x: x, driver: drive(t, Options{
		Session: s, Title: hostile[0] + "\u202e", Prompter: NewPrompter(), Launcher: &fakeLauncher{t: t, home: Home{Items: items, Notes: hostile}},
	}, 120, 36)}
	for _, method := range []string{"tools/list", "resources/list", "prompts/list", "resources/templates/list", "other"} {
		h.send(`{"jsonrpc":"2.0","id":"` + method + `","method":"` + method + `"}`)
	}
	for i, text := range hostile {
		x.latest().err(text)
		x.latest().out("%s", text)
		x.latest().out(`{"jsonrpc":"2.0","id":%d,"error":{"code":1,"message":"%s"}}`, 1000+i, text)
		x.latest().out(`{"jsonrpc":"2.0","method":"%s","params":{"%s":"%s"}}`, text, text, text)
		require.NoError(t, s.Log().Append([]session.Entry{session.NewEntry(session.KindNote, 0, session.NoteBody{Text: text, Hint: text})}))
	}
	synctest.Wait()
	h.pull()
	return h
}

// TestHostileFileNames: the name of the file that an editor or a pager opens is
// ours alone.
func TestHostileFileNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Setenv("EDITOR", "true")
		t.Setenv("PAGER", "true")
		h := newHostileServer(t)
		opened := 0
		h.exec = func(c tea.ExecCommand, done tea.ExecCallback) tea.Cmd {
			args := c.(*lent).cmd.Args
			require.Regexp(t, `/mcpdbg-\d+/text\.[a-z]+$`, args[len(args)-1])
			opened++
			return func() tea.Msg { return done(nil) }
		}
		h.do(actTop)
		for range 40 {
			h.do(actEditor, actPager, actDown)
		}
		h.composesHostile()
		h.do(inForm + actComposeEditor)
		require.Equal(t, 81, opened)
	})
}
