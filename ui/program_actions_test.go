package ui

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	replayer "mcpdbg/recordings/replay"
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
	"mcpdbg/ui/watch"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/workspace"
)

// A stage is the program in a terminal, over a server that offers everything and
// a log with something for each action.
type stage struct {
	*terminal
	x     *fakeExecutor
	s     *session.Session
	did   []string // actions in the order in which they ran
	lent  bool     // the terminal was lent to another program
	asked int      // number of server requests
}

// noProgram replaces an editor or a pager.
type noProgram struct{}

func (noProgram) Run() error          { time.Sleep(host.ProgramMinimum); return nil }
func (noProgram) SetStdin(io.Reader)  {}
func (noProgram) SetStdout(io.Writer) {}
func (noProgram) SetStderr(io.Writer) {}

// stageTools are the tools that the server of a stage offers.
const stageTools = `{"tools":[{"name":"echo","description":"Says it again.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}},` + uitest.LongTool + `]}`

// stageServer answers requests, except for calls of the tool plan.
func stageServer(p *fakeProcess, m message) {
	switch {
	case m.Method == "tools/list":
		p.Out(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, strings.NewReplacer("\n", "", "\t", "").Replace(stageTools))
	case m.Method == "tools/call" && strings.Contains(string(m.Params), `"plan"`), offers(p, m):
	default:
		echo(p, m)
	}
}

// newStage must be called in a synctest bubble.
func newStage(t *testing.T, w, h int) *stage {
	t.Helper()
	var answers atomic.Bool
	s, x := newSession(t, newLog(t), func(p *fakeProcess, m message) {
		if answers.Load() {
			stageServer(p, m)
		}
	})
	x.Capabilities = allCapabilities
	require.NoError(t, s.Open(t.Context()))
	uitest.Busy(t, s, x)
	answers.Store(true)
	_, err := s.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":6,"method":"tools/list"}`))
	require.NoError(t, err)
	synctest.Wait()
	x.Latest().Children = uitest.HostileTree
	for range 10 {
		x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/flood"}`)
	}
	st := &stage{x: x, s: s}
	st.terminal = inTerminal(t, Options{Session: s, Title: "fake (local)", Prompter: tty.NewPrompter(), Launcher: &uitest.Launcher{T: t}}, w, h)
	st.app.outside.exec = func(_ tea.ExecCommand, done tea.ExecCallback) tea.Cmd {
		st.lent = true
		return tea.Exec(noProgram{}, done)
	}
	st.app.outside.save = func(string, string) error { return nil }
	for id, do := range st.app.actions.effects {
		st.app.actions.effects[id] = st.recorded(id, do)
	}
	st.Press("G") // selects a row
	return st
}

// takeBack waits until another program has returned the terminal. A reader of
// keys from before takes one more key, because such a read cannot be cancelled.
func (st *stage) takeBack() {
	if st.lent {
		st.lent = false
		st.WaitFor(time.Second)
		st.Press("\x0c") // ctrl+l
	}
}

// recorded records that an action is done.
func (st *stage) recorded(id string, do func(host.Context) tea.Cmd) func(host.Context) tea.Cmd {
	return func(c host.Context) tea.Cmd {
		st.did = append(st.did, id)
		if do != nil {
			return do(c)
		}
		return st.app.screenOf(c.Workspace).move(id)
	}
}

// selects selects a row with a text in the traffic pane.
func (st *stage) selects(what string) {
	st.T.Helper()
	st.Press("2")
	d := driver{App: st.app, t: st.T}
	st.app.visible.Select(d.row(what))
	st.Press("h") // the next key processes it
}

// composes opens the composer with a message or raw bytes. The composer opens in
// its last state.
func (st *stage) composes(raw bool) {
	st.Press("c")
	if strings.Contains(st.Text(), "Raw bytes") != raw {
		st.Press("\x14") // ctrl+t
	}
}

// marking marks a row if none is marked.
func marking(st *stage) {
	if len(st.app.visible.ws.Notes.Marks) == 0 {
		st.Press("m")
	}
}

// fills opens a form from the catalog, in its last state.
func (st *stage) fills() {
	st.Press("C")
	if pickerOf(st.app.front.top()).Query != "" {
		st.Press(keyEsc)
	}
	st.Press("plan", "\r")
}

// asks makes the server send a request for the user.
func (st *stage) asks(method, params string) {
	st.Turn()
	uitest.Person(st.T, st.s)
	st.asked++
	st.x.Latest().Out(`{"jsonrpc":"2.0","id":"s-%d","method":%q,"params":%s}`, st.asked, method, params)
	st.Wait()
}

// answers opens the server request, which is a form if no other is pending.
func (st *stage) answers() {
	if len(st.app.visible.ws.Waiting) == 0 {
		st.asks(mcp.MethodElicit, uitest.AskName)
	}
	st.Press("A")
}

// ways lead from the traffic pane to each scope.
var ways = map[string]func(st *stage){
	keymap.Global:        func(*stage) {},
	traffic.Scope:        func(st *stage) { st.Press("2") },
	detail.Scope:         func(st *stage) { st.Press("3") },
	detail.ScopeJQ:       func(st *stage) { selecting(`"method":"initialize"`)(st); st.Press("|") },
	server.ScopeOverview: func(st *stage) { st.Press(":", "overview", "\r") },
	scopeLog:             func(st *stage) { st.Press("5") },
	scopeSessions:        func(st *stage) { st.Press("1") },
	server.ScopeCatalog:  func(st *stage) { st.Press("C") },
	help.ScopePalette:    func(st *stage) { st.Press(":") },
	help.Scope:           func(st *stage) { st.Press("?") },
	home.Scope:           func(st *stage) { st.Press("O") },
	fleet.Scope:          func(st *stage) { overGrid(st); st.Press("\x07") },
	replay.Scope:         func(st *stage) { recorded(st); st.Press("U") },
	copies.ScopeExport:   func(st *stage) { st.Press(":", "export", "\r") },
	compare.Scope: func(st *stage) {
		st.Press("O", "everything", "\r", "D", "\r")
		require.Contains(st.T, st.app.View().Content, " calls: ")
	},
	compare.ScopeMenu:      func(st *stage) { st.Press("O", "everything", "\r", "D") },
	home.ScopeInputs:       func(st *stage) { st.Press("O", "weather", "\r") },
	send.ScopeComposerForm: (*stage).fills,
	send.ScopeComposerText: func(st *stage) { st.composes(false) },
	send.ScopePresets:      func(st *stage) { st.composes(true); st.Press("\x07") }, // ctrl+g
	scopePrompt:            func(st *stage) { st.Press("f") },
	scopeDialog:            func(st *stage) { st.Press("\x12"); st.WaitFor(quietTime) }, // ctrl+r
	steer.Scope:            func(st *stage) { holding(st); st.Press("6") },
	steer.ScopeDrop:        func(st *stage) { holding(st); st.Press("6", "d") },
	process.ScopeStop:      func(st *stage) { st.Press("K") },
	process.ScopePane:      func(st *stage) { st.Press("I") },

	traffic.ScopeWaterfall: doing("waterfall"),
	traffic.ScopeSequence:  doing("sequence"),
	traffic.ScopeLatency:   doing("latency"),

	problems.ScopeCauses: func(st *stage) { st.Press("!") },
	problems.ScopeStart: func(st *stage) {
		st.app.Open(st.app.visible.ws, problems.NewFailedStart("", "start", &session.OpenError{Err: errors.New("ended"), Stderr: []string{"DEMO_API_KEY is not set"}}))
	},
	process.ScopeTree:  func(st *stage) { st.Press("I", "x") },
	problems.ScopeList: func(st *stage) { st.Press("L") },
	copies.ScopeNotes:  func(st *stage) { st.Press("B") },
	send.ScopePolicies: func(st *stage) { st.Press(":", "policies", "\r") },
	send.ScopeAnswer:   (*stage).answers,
	send.ScopeAnswerJSON: func(st *stage) {
		st.answers()
		st.Press("\x14") // ctrl+t
	},
	copies.ScopeCopy:     func(st *stage) { st.Press("y") },
	server.ScopeLogLevel: func(st *stage) { st.Press(":", "level"); logging(st); st.Press("\r") },
	scopeAsk: func(st *stage) {
		st.Turn()
		go func() { _, _ = st.app.opts.Prompter.Ask(st.T.Context(), uitest.PromptChallenge) }()
		st.WaitFor(quietTime + time.Second)
	},
}

// logging declares that the server sends log messages.
func logging(st *stage) {
	st.app.visible.ws.Status.Server.Capabilities = []byte(`{"logging":{}}`)
}

// needs are the preconditions of some actions apart from their scope: before runs
// in the traffic pane before the way to the scope, and after at its end.
var needs = map[string]struct{ before, after func(st *stage) }{
	"home-edit":     {after: func(st *stage) { st.Press("files") }},
	"watch-pause":   {before: watchedFiles},
	"watch-now":     {before: watchedFiles},
	"watch-rest":    {before: watchedFiles},
	"watch-always":  {before: watchedFiles},
	"grid":          {before: overGrid},
	"set-log-level": {before: logging},
	actNextMatch:    {before: searching},
	actPrevMatch:    {before: searching},
	actPartner:      {before: selecting(`"method":"initialize"`)},
	"view-pair":     {before: selecting(`"method":"initialize"`)},
	"fold":          {after: doing("view-tree")},
	"expand-all":    {after: doing("view-tree")},
	"collapse-all":  {after: doing("view-tree")},
	"save-part":     {before: selecting(`"isError":true`), after: doing("view-content", kit.Down)},
	"view-part": {before: func(st *stage) {
		st.app.outside.view = func(context.Context, []byte, string) (string, error) { return "xdg-open", nil }
		st.x.Latest().Out(`{"jsonrpc":"2.0","id":"sound","result":{"content":[{"type":"audio","mimeType":"audio/wav","data":"AAEC"}]}}`)
		st.Wait()
		st.selects(`"id":"sound"`)
	}, after: doing("view-content")},
	"markdown":                             {before: selecting(`"isError":true`), after: doing("view-content", kit.Down)},
	"whole":                                {before: func(st *stage) { recorded(st); st.Press(",") }},
	"compose-newline":                      {after: pressing("\x14")}, // ctrl+t: raw bytes
	actJumpBack:                            {before: func(st *stage) { selecting(`"method":"initialize"`)(st); st.Press("p") }},
	"compare-calls":                        {before: selecting(`"method":"prompts/list"`)},
	actResend:                              {before: selecting(`"method":"prompts/list"`)},
	actEditResend:                          {before: selecting(`"method":"prompts/list"`)},
	"next-mark":                            {before: marking},
	"previous-mark":                        {before: marking},
	"notes":                                {before: marking},
	"go-to-note":                           {before: marking},
	"close-notes":                          {before: marking},
	copies.ScopeNotes + "-" + kit.Bottom:   {before: marking},
	copies.ScopeNotes + "-" + kit.Top:      {before: marking},
	copies.ScopeNotes + "-" + kit.PageUp:   {before: marking},
	copies.ScopeNotes + "-" + kit.PageDown: {before: marking},
	copies.ScopeNotes + "-" + kit.Up:       {before: marking},
	copies.ScopeNotes + "-" + kit.Down:     {before: marking},
	"unfold-finding":                       {before: dying, after: func(st *stage) { st.Press("/", "cause", "\r") }},
	"fold-finding":                         {before: dying, after: func(st *stage) { st.Press("/", "cause", "\r") }},
	"fold-flood":                           {before: selecting("notifications/flood")},
	"play":                                 {before: recorded},
	"step-on":                              {before: recorded},
	"step-back":                            {before: recorded},
	"second-on":                            {before: recorded},
	"second-back":                          {before: recorded},
	"ten-seconds-on":                       {before: recorded},
	"ten-seconds-back":                     {before: recorded},
	"percent-on":                           {before: recorded},
	"percent-back":                         {before: recorded},
	"faster":                               {before: recorded},
	"slower":                               {before: recorded},
	"go-to-moment":                         {before: recorded},
	"next-point":                           {before: recorded},
	"previous-point":                       {before: recorded},
	host.ActReplay:                         {before: recorded},
	host.ActCompare:                        {before: pressing("O", "everything", "\r")},
	"compare-undo":                         {after: pressing("i")},
	"compare-accept":                       {after: pressing("i")},
	"compare-open-b":                       {after: pressing("g")},
	actNextSession:                         {before: pressing("O", "everything", "\r")},
	actPrevSession:                         {before: pressing("O", "everything", "\r")},
	steer.ActFocus:                         {before: holding},
	"hold":                                 {before: holding},
	"let-all-go":                           {before: holding},
	"presets":                              {after: pressing("\x14")}, // ctrl+t: raw bytes
	"catalog-subscribe":                    {after: pressing(keyTab)},
	actAlways: {after: func(st *stage) {
		st.Press("n")
		_, err := st.s.Send(st.T.Context(), []byte(`{"jsonrpc":"2.0","id":"changes","method":"tools/call","params":{"name":"plan"}}`))
		require.NoError(st.T, err)
		selecting(`"changes"`)(st)
		st.Press("r")
		st.WaitFor(quietTime)
	}},
	"compare-call-again": {after: func(st *stage) {
		st.Press(keyEsc, "<")
		for _, id := range []string{"first", "second"} {
			_, err := st.s.Send(st.T.Context(), []byte(`{"jsonrpc":"2.0","id":"`+id+`","method":"tools/call","params":{"name":"plan"}}`))
			require.NoError(st.T, err)
			st.Turn()
		}
		selecting(`"second"`)(st)
		st.Press("=")
	}},
	actCancel: {before: func(st *stage) {
		st.Turn()
		_, err := st.s.Send(st.T.Context(), []byte(`{"jsonrpc":"2.0","id":"waits","method":"tools/call","params":{"name":"plan"}}`))
		require.NoError(st.T, err)
		selecting(`"waits"`)(st)
	}},
	host.ActAnswer:           {before: serverAsking(mcp.MethodElicit, uitest.AskName)},
	"policy-answer":          {before: serverAsking(mcp.MethodElicit, uitest.AskName)},
	"answer-other":           {before: serverAsking(mcp.MethodElicit, uitest.AskName, mcp.MethodRoots, "{}")},
	"json-answer-other":      {before: serverAsking(mcp.MethodElicit, uitest.AskName, mcp.MethodRoots, "{}")},
	"answer-copy":            {before: serverAsking(mcp.MethodElicit, uitest.AskPage)},
	"json-answer-copy":       {before: serverAsking(mcp.MethodElicit, uitest.AskPage)},
	"answer-words-down":      {before: serverAsking(mcp.MethodElicit, askLong)},
	"answer-words-up":        {before: serverAsking(mcp.MethodElicit, askLong)},
	"json-answer-words-down": {before: serverAsking(mcp.MethodElicit, askLong)},
	"json-answer-words-up":   {before: serverAsking(mcp.MethodElicit, askLong)},
	"answer-call":            {before: belonging},
	"json-answer-call":       {before: belonging},
	"answer-add":             {before: serverAsking(mcp.MethodRoots, "{}")},
	"answer-remove":          {before: serverAsking(mcp.MethodRoots, "{}"), after: pressing("\x0e")}, // ctrl+n: add
	"form-add":               {after: func(st *stage) { st.app.visible.composer.Form().Select("/stops") }},
	"form-remove":            {after: func(st *stage) { st.app.visible.composer.Form().Select("/stops"); st.Press("\x0e") }},
}

// serverAsking makes the server send several requests, each with a method and its
// params.
func serverAsking(questions ...string) func(*stage) {
	return func(st *stage) {
		for i := 0; i < len(questions); i += 2 {
			st.asks(questions[i], questions[i+1])
		}
	}
}

// askLong is a request with more text than a screen has lines.
var askLong = `{"message":"` + strings.Repeat(`line\n`, 60) + `","requestedSchema":{"type":"object"}}`

// belonging makes the server send a request during a call of ours.
func belonging(st *stage) {
	go func() {
		_, _ = st.s.Request(st.T.Context(), mcp.MethodToolsCall, []byte(`{"name":"plan"}`), session.CallOptions{Timeout: time.Hour})
	}()
	st.Wait()
	serverAsking(mcp.MethodElicit, uitest.AskName)(st)
}

func pressing(keys ...string) func(*stage) { return func(st *stage) { st.Press(keys...) } }

func selecting(what string) func(*stage) { return func(st *stage) { st.selects(what) } }

// doing carries out actions that may have no key.
func doing(actions ...string) func(*stage) {
	return func(st *stage) {
		st.Turn()
		for _, id := range actions {
			st.app.visible.Do(id)
		}
		st.Wait()
	}
}

// recorded shows the log of the session as a recording.
func recorded(st *stage) {
	st.Turn()
	st.app.add(workspace.Opened{Source: st.s.Log(), Title: "session.jsonl"})
	st.Wait()
}

// holding shows a live tap with a held call.
func holding(st *stage) {
	live := uitest.NewLiveTap()
	live.Is.Held = append(live.Is.Held, uitest.HeldCall(1, time.Now(), 0, "delete", "{}"))
	require.NoError(st.T, live.Steer(st.T.Context(), true))
	log := uitest.LiveTapLog(st.T, live.Is.Held...)
	st.Turn()
	st.app.add(live.Opened(workspace.Opened{Source: log, Title: "files"}, time.Now()))
	st.Wait()
}

// overGrid shows a run behind the session.
func overGrid(st *stage) {
	st.Turn()
	r := uitest.Halfway(st.T)
	r.Source = st.s.Log()
	st.app.grid.view = fleet.New(&st.app.screen, r.Grid())
	st.Wait()
}

func searching(st *stage) { st.Press("/", "tools", "\r") }

// reset closes everything that is open. It returns a new stage if this one no
// longer has a running server.
func (st *stage) reset(t *testing.T) *stage {
	t.Helper()
	if st.app.quitting || len(st.app.screens) != 1 || st.s.Status().State != session.Ready {
		return newStage(t, st.app.screen.Width, st.app.screen.Height)
	}
	st.Turn()
	if st.app.grid.view != nil {
		st.app.Close(st.app.grid.view)
		st.app.show(st.app.screens[0])
		st.app.grid.view = nil
	}
	for _, q := range st.s.ServerRequests() {
		require.NoError(t, st.s.Answer(q.ID, []byte(`{"action":"decline"}`)))
	}
	st.Wait() // until the program has seen it
	for range 12 {
		if st.app.visible.scope() == traffic.Scope && !st.app.panes.zoom && st.app.visible.rows.Search == nil && st.app.visible.rows.Traffic.Shown == nil {
			break
		}
		st.Press(keyEsc)
		if st.app.visible.scope() == scopeLog {
			st.Press("2")
		}
	}
	require.Equal(t, traffic.Scope, st.app.visible.scope(), "esc returns to the traffic pane")
	st.Press("G")
	return st
}

// perform runs one action by its first key, or from the palette.
func (st *stage) perform(t *testing.T, action *host.Entry) {
	t.Helper()
	way, ok := ways[action.Scope]
	require.True(t, ok, "no way to scope %q of the action %q", action.Scope, action.ID)
	need := needs[action.ID]
	if need.before != nil {
		need.before(st)
	}
	way(st)
	if need.after != nil {
		need.after(st)
	}
	if action.Scope != keymap.Global {
		require.Equal(t, action.Scope, st.app.visible.scope(), "the way to %s: %s", action.ID, lazy(st.Text))
	}
	action, ok = st.app.actions.keys.ByID(action.ID) // that of the table finds the session
	require.True(t, ok)
	possible, why := action.State(st.app.visible.context())
	require.True(t, possible, "%s is not possible: %s\n%s", action.ID, why, lazy(st.Text))
	before, overlays := len(st.did), len(st.app.front.views)
	if len(action.Keys) > 0 {
		st.Press(uitest.KeyBytes(t, action.Keys[0]))
	} else {
		st.pick(t, action)
	}
	require.Contains(t, st.did[before:], action.ID)
	if action.Asks == "each time" {
		require.True(t, st.app.front.dialog != nil || len(st.app.front.views) > overlays, "%s does not ask for confirmation, as its help says", action.ID)
	}
	st.takeBack()
	if st.app.quitting {
		st.Ran.Wait()
		require.NoError(t, st.Err)
		require.False(t, st.Emu.IsAltScreen(), "%s returns the terminal", action.ID)
		return
	}
	requireExact(t, st.app.View().Content, st.app.screen.Width, st.app.screen.Height)
	st.RequireShown()
}

// pick runs an action from the palette.
func (st *stage) pick(t *testing.T, action *host.Entry) {
	t.Helper()
	st.Press(":", action.ID)
	p, ok := st.app.front.top().(*help.Palette)
	require.True(t, ok, "no palette to find %s in", action.ID)
	for range len(p.Picks().Shown) {
		if i, ok := p.Picks().Current(); ok && p.Picks().Items[i] == action.Title {
			break
		}
		st.Press(uitest.KeyBytes(t, "down"))
	}
	if action.ID == "set-log-level" {
		logging(st) // the state of the server has been read since
	}
	st.Press("\r")
}

// TestProgramActions runs each action of the table in the program, by the bytes
// of its key, and checks that the terminal shows the model's frame.
func TestProgramActions(t *testing.T) {
	t.Parallel()
	table := Actions()
	for _, scope := range append(slices.Clone(scopes), keymap.Scope{ID: keymap.Global}) {
		var actions []*host.Entry
		for _, action := range table.Reachable(scope.ID) {
			if action.Scope == scope.ID || action.ID == actRedraw { // which works everywhere
				actions = append(actions, action)
			}
		}
		t.Run(scope.ID, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var st *stage
				for _, action := range actions {
					if st == nil {
						st = newStage(t, 110, 30)
					} else {
						st = st.reset(t)
					}
					in := *action
					in.Scope = scope.ID
					st.perform(t, &in)
					if action.ID == actSuspend {
						require.Equal(t, int64(1), st.Suspended.Load())
					}
				}
			})
		})
	}
}

// lazy is formatted only when it is printed.
type lazy func() string

func (l lazy) String() string { return l() }

// dying makes the server crash, which is the cause of what follows.
func dying(st *stage) {
	st.x.Latest().Exit(executor.Exit{Kind: executor.ExitSignal, Signal: "SEGV", By: executor.EndedByServer})
	st.Wait()
	time.Sleep(time.Minute)
	st.Wait()
}

// watchedFiles starts a watch over files, with a call that was not re-sent.
func watchedFiles(st *stage) {
	none := errors.New("nothing to restart")
	first := true
	st.app.visible.watching = watch.New(st.app.ctx, &workspace.Watch{
		Again: func(context.Context, string) (*replayer.Round, error) {
			if !first {
				return nil, none
			}
			first = false
			return &replayer.Round{Cause: "main.go changed", Plan: &replayer.Plan{}, Result: &replayer.Result{}, Held: []string{"note"}, Tools: []string{"note"}}, nil
		},
		Rest:   func(context.Context) (*replayer.Round, error) { return nil, none },
		Always: func(context.Context, []string) (*replayer.Round, error) { return nil, none },
	}, st.app.compared.ShowRound)
	st.Press("\x17") // ctrl+w
}
