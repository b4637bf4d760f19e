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

	"mcpdbg/recordings/rerun"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/keymap"
)

// A stage is the program in a terminal, over a server that offers everything
// and a log that holds something for each action.
type stage struct {
	*terminal
	x     *fakeExecutor
	s     *session.Session
	did   []string // actions, in the order in which they were done
	lent  bool     // the terminal was given to another program
	asked int      // questions of the server
}

// noProgram takes the place of an editor or a pager.
type noProgram struct{}

func (noProgram) Run() error          { time.Sleep(programLeast); return nil }
func (noProgram) SetStdin(io.Reader)  {}
func (noProgram) SetStdout(io.Writer) {}
func (noProgram) SetStderr(io.Writer) {}

// stageTools are what the server of a stage offers to call.
const stageTools = `{"tools":[{"name":"echo","description":"Says it again.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}},` + longTool + `]}`

// stageServer answers what it is asked, but not calls of the tool plan.
func stageServer(p *fakeProcess, m message) {
	switch {
	case m.Method == "tools/list":
		p.out(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, strings.NewReplacer("\n", "", "\t", "").Replace(stageTools))
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
	x.capabilities = allCapabilities
	require.NoError(t, s.Open(t.Context()))
	everything(t, s, x)
	answers.Store(true)
	_, err := s.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":6,"method":"tools/list"}`))
	require.NoError(t, err)
	synctest.Wait()
	x.latest().tree = family
	for range 10 {
		x.latest().out(`{"jsonrpc":"2.0","method":"notifications/flood"}`)
	}
	st := &stage{x: x, s: s}
	st.terminal = inTerminal(t, Options{Session: s, Title: "fake (local)", Prompter: NewPrompter(), Launcher: &fakeLauncher{t: t}}, w, h)
	st.app.exec = func(_ tea.ExecCommand, done tea.ExecCallback) tea.Cmd {
		st.lent = true
		return tea.Exec(noProgram{}, done)
	}
	st.app.save = func(string, string) error { return nil }
	for id, do := range st.app.doers {
		st.app.doers[id] = st.recorded(id, do)
	}
	return st
}

// takeBack waits for the terminal, if another program has it. Who read keys
// before that takes one more: only a file can be read from until further notice.
func (st *stage) takeBack() {
	if st.lent {
		st.lent = false
		st.waitFor(time.Second)
		st.press("\x0c") // ctrl+l
	}
}

// recorded notes that an action is done.
func (st *stage) recorded(id string, do func(*App) tea.Cmd) func(*App) tea.Cmd {
	var noted func(a *App) tea.Cmd
	noted = func(a *App) tea.Cmd {
		st.did = append(st.did, id)
		if do != nil {
			return do(a)
		}
		a.doers[id] = nil // the way that Do goes for what moves about
		defer func() { a.doers[id] = noted }()
		return a.Do(id)
	}
	return noted
}

// sendKeys are the bytes of keys that are more than a character.
var sendKeys = map[string]string{
	"space": " ", "enter": "\r", "tab": keyTab, "esc": keyEsc, "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"insert": "\x1b[2~", "delete": "\x1b[3~", "pgup": "\x1b[5~", "pgdown": "\x1b[6~",
	"shift+right": "\x1b[1;2C", "shift+left": "\x1b[1;2D", "ctrl+right": "\x1b[1;5C", "ctrl+left": "\x1b[1;5D",
	"shift+tab": "\x1b[Z", "shift+up": "\x1b[1;2A", "shift+down": "\x1b[1;2B", "shift+pgup": "\x1b[5;2~", "shift+pgdown": "\x1b[6;2~",
	"alt+up": "\x1b[1;3A", "alt+down": "\x1b[1;3B", "ctrl+up": "\x1b[1;5A", "ctrl+down": "\x1b[1;5B", "ctrl+delete": "\x1b[3;5~", "f2": "\x1bOQ", "f3": "\x1bOR", "f5": "\x1b[15~", "f7": "\x1b[18~", "f8": "\x1b[19~", "f9": "\x1b[20~",
}

// bytesOf are what a terminal sends for a key.
func bytesOf(t *testing.T, key string) string {
	t.Helper()
	if letter, ok := strings.CutPrefix(key, "ctrl+"); ok && len(letter) == 1 {
		return string(letter[0] & 0x1f)
	}
	if len([]rune(key)) == 1 {
		return key
	}
	bytes, ok := sendKeys[key]
	require.True(t, ok, "what does a terminal send for %q?", key)
	return bytes
}

// selects puts the cursor of the traffic pane on a row that holds a text.
func (st *stage) selects(what string) {
	st.t.Helper()
	st.press("2")
	d := driver{App: st.app, t: st.t}
	st.app.traffic.Select(d.row(what))
	st.press("h") // it is noticed with the next key
}

// composes opens the composer on a message or on raw bytes: it opens as it was
// left.
func (st *stage) composes(view composeView) {
	st.press("c")
	if st.app.composer.view != view {
		st.press("\x14") // ctrl+t
	}
}

// marking marks a row, if none is marked.
func marking(st *stage) {
	if len(st.app.traffic.marks) == 0 {
		st.press("m")
	}
}

// fills opens a form from the catalog, which opens as it was left.
func (st *stage) fills() {
	st.press("C")
	if st.app.top().(picking).picks().query != "" {
		st.press(keyEsc)
	}
	st.press("plan", "\r")
}

// asks has the server ask a person something.
func (st *stage) asks(method, params string) {
	st.turn()
	person(st.t, st.s)
	st.asked++
	st.x.latest().out(`{"jsonrpc":"2.0","id":"s-%d","method":%q,"params":%s}`, st.asked, method, params)
	st.wait()
}

// answers opens what the server asks, which is a form if nothing else waits.
func (st *stage) answers() {
	if len(st.app.waiting) == 0 {
		st.asks(mcp.MethodElicit, askName)
	}
	st.press("A")
}

// ways lead from the traffic pane to each scope.
var ways = map[string]func(st *stage){
	keymap.Global: func(*stage) {},
	scopeTraffic:  func(st *stage) { st.press("2") },
	scopeDetail:   func(st *stage) { st.press("3") },
	scopeStderr:   func(st *stage) { st.press("4") },
	scopeEvents:   func(st *stage) { st.press("5") },
	scopeSessions: func(st *stage) { st.press("1") },
	scopeCatalog:  func(st *stage) { st.press("C") },
	scopePalette:  func(st *stage) { st.press(":") },
	scopeHelp:     func(st *stage) { st.press("?") },
	scopeHome:     func(st *stage) { st.press("O") },
	scopeGrid:     func(st *stage) { overGrid(st); st.press("\x07") },
	scopeAgain:    func(st *stage) { recorded(st); st.press("U") },
	scopeCompare: func(st *stage) {
		st.press("O", "everything", "\r", "D", "\r")
		require.NotNil(st.t, st.app.top().(*comparing).c)
	},
	scopeCompareWith: func(st *stage) { st.press("O", "everything", "\r", "D") },
	scopeInputs:      func(st *stage) { st.press("O", "weather", "\r") },
	scopeForm:        (*stage).fills,
	scopeComposer:    func(st *stage) { st.composes(composeMessage) },
	scopePresets:     func(st *stage) { st.composes(composeRaw); st.press("\x07") }, // ctrl+g
	scopePrompt:      func(st *stage) { st.press("f") },
	scopeDialog:      func(st *stage) { st.press("\x12") }, // ctrl+r
	scopeStop:        func(st *stage) { st.press("K") },
	scopeProcess:     func(st *stage) { st.press("I") },
	scopeTrouble:     func(st *stage) { st.press("!") },
	scopeTree:        func(st *stage) { st.press("I", "x") },
	scopeFindings:    func(st *stage) { st.press("L") },
	scopeNotes:       func(st *stage) { st.press("B") },
	scopePolicies:    func(st *stage) { st.press("w") },
	scopeAnswer:      (*stage).answers,
	scopeAnswerText: func(st *stage) {
		st.answers()
		st.press("\x14") // ctrl+t
	},
	scopeCopy: func(st *stage) { st.press("y") },
	scopeAsk: func(st *stage) {
		st.turn()
		go func() { _, _ = st.app.opts.Prompter.Ask(st.t.Context(), promptChallenge) }()
		st.waitFor(askPause + time.Second)
	},
}

// needs are what some actions need before they are possible, beyond that they
// can be reached: what is done in the traffic pane before the way is gone, and
// what at the end of it.
var needs = map[string]struct{ before, after func(st *stage) }{
	actWatchPause:                  {before: watchedFiles},
	actWatchNow:                    {before: watchedFiles},
	actWatchRest:                   {before: watchedFiles},
	actWatchAlways:                 {before: watchedFiles},
	actGrid:                        {before: overGrid},
	actNextMatch:                   {before: searching},
	actPrevMatch:                   {before: searching},
	actPartner:                     {before: selecting(`"method":"initialize"`)},
	actViewPair:                    {before: selecting(`"method":"initialize"`)},
	actViewAround:                  {before: selecting(`"method":"initialize"`)},
	actOtherSide:                   {before: func(st *stage) { selecting(`"method":"initialize"`)(st); st.press("b") }},
	actResend:                      {before: selecting(`"method":"prompts/list"`)},
	actEditResend:                  {before: selecting(`"method":"prompts/list"`)},
	actNextMark:                    {before: marking},
	actPrevMark:                    {before: marking},
	actNotes:                       {before: marking},
	actGoToNote:                    {before: marking},
	actCloseNotes:                  {before: marking},
	scopeNotes + "-" + actBottom:   {before: marking},
	scopeNotes + "-" + actTop:      {before: marking},
	scopeNotes + "-" + actPageUp:   {before: marking},
	scopeNotes + "-" + actPageDown: {before: marking},
	scopeNotes + "-" + actUp:       {before: marking},
	scopeNotes + "-" + actDown:     {before: marking},
	actFlood:                       {before: selecting("notifications/flood")},
	actPlay:                        {before: recorded},
	actStepOn:                      {before: recorded},
	actStepBack:                    {before: recorded},
	actSecondOn:                    {before: recorded},
	actSecondBack:                  {before: recorded},
	actTenOn:                       {before: recorded},
	actTenBack:                     {before: recorded},
	actPercentOn:                   {before: recorded},
	actPercentBack:                 {before: recorded},
	actFaster:                      {before: recorded},
	actSlower:                      {before: recorded},
	actMoment:                      {before: recorded},
	actNextPoint:                   {before: recorded},
	actPrevPoint:                   {before: recorded},
	actAgain:                       {before: recorded},
	actCompare:                     {before: pressing("O", "everything", "\r")},
	actCompareUndo:                 {after: pressing("i")},
	actCompareAccept:               {after: pressing("i")},
	actCompareOpenB:                {after: pressing("g")},
	actWhole:                       {before: func(st *stage) { recorded(st); st.press(",") }},
	actNextSession:                 {before: pressing("O", "everything", "\r")},
	actPrevSession:                 {before: pressing("O", "everything", "\r")},
	actPresets:                     {after: pressing("\x14")}, // ctrl+t: raw bytes
	actCatalogSubscribe:            {after: pressing(keyTab)},
	actCancel: {before: func(st *stage) {
		st.turn()
		_, err := st.s.Send(st.t.Context(), []byte(`{"jsonrpc":"2.0","id":"waits","method":"tools/call","params":{"name":"plan"}}`))
		require.NoError(st.t, err)
		selecting(`"waits"`)(st)
	}},
	actCancelCall: {before: func(st *stage) {
		st.fills()
		st.press(keyCtrlS, keyCtrlS) // again although it is not valid
		require.Len(st.t, st.app.calls, 1)
	}},
	actAnswer:                       {before: serverAsking(mcp.MethodElicit, askName)},
	actPolicyAnswer:                 {before: serverAsking(mcp.MethodElicit, askName)},
	actAnswerOther:                  {before: serverAsking(mcp.MethodElicit, askName, mcp.MethodRoots, "{}")},
	actAnswerText + actAnswerOther:  {before: serverAsking(mcp.MethodElicit, askName, mcp.MethodRoots, "{}")},
	actAnswerCopy:                   {before: serverAsking(mcp.MethodElicit, askPage)},
	actAnswerText + actAnswerCopy:   {before: serverAsking(mcp.MethodElicit, askPage)},
	actAnswerDown:                   {before: serverAsking(mcp.MethodElicit, askLong)},
	actAnswerUp:                     {before: serverAsking(mcp.MethodElicit, askLong)},
	actAnswerText + actAnswerDown:   {before: serverAsking(mcp.MethodElicit, askLong)},
	actAnswerText + actAnswerUp:     {before: serverAsking(mcp.MethodElicit, askLong)},
	actAnswerCall:                   {after: belonging},
	actAnswerText + actAnswerCall:   {after: belonging},
	scopeAnswer + "-" + fieldAdd:    {before: serverAsking(mcp.MethodRoots, "{}")},
	scopeAnswer + "-" + fieldRemove: {before: serverAsking(mcp.MethodRoots, "{}"), after: pressing("\x0e")}, // ctrl+n: add
	actFormAdd:                      {after: func(st *stage) { st.app.composer.form.Select("/stops") }},
	actFormRemove:                   {after: func(st *stage) { st.app.composer.form.Select("/stops"); st.press("\x0e") }},
}

// serverAsking has the server ask several things, each a method and its params.
func serverAsking(questions ...string) func(*stage) {
	return func(st *stage) {
		for i := 0; i < len(questions); i += 2 {
			st.asks(questions[i], questions[i+1])
		}
	}
}

// askLong is a question with more words than a screen has lines.
var askLong = `{"message":"` + strings.Repeat(`line\n`, 60) + `","requestedSchema":{"type":"object"}}`

// belonging has the question that is open belong to a call of ours.
func belonging(st *stage) {
	d := driver{App: st.app, t: st.t}
	row, ok := d.App.rows.at(d.row("prompts/list"))
	require.True(st.t, ok)
	e, err := d.source.Entry(row, 1)
	require.NoError(st.t, err)
	st.app.top().(*answering).ask.Parent = e.N
}

func pressing(keys ...string) func(*stage) { return func(st *stage) { st.press(keys...) } }

func selecting(what string) func(*stage) { return func(st *stage) { st.selects(what) } }

// recorded shows the log of the session as a recording.
func recorded(st *stage) {
	st.turn()
	st.app.add(Opened{Source: st.s.Log(), Title: "session.jsonl"})
	st.wait()
}

// overGrid puts a run behind the session.
func overGrid(st *stage) {
	st.turn()
	r := halfway(st.t)
	r.source = st.s.Log()
	st.app.grid = newGridScreen(st.app, r.run())
	st.wait()
}

func searching(st *stage) { st.press("/", "tools", "\r") }

// reset leaves all that is open. It gives another stage if this one has no
// running server any more.
func (st *stage) reset(t *testing.T) *stage {
	t.Helper()
	if st.app.quitting || len(st.app.subjects) != 1 || st.s.Status().State != session.Ready {
		return newStage(t, st.app.width, st.app.height)
	}
	st.turn()
	if st.app.grid != nil {
		st.app.leaveGrid(st.app.subjects[0])
		st.app.grid = nil
	}
	for _, q := range st.s.Asks() {
		require.NoError(t, st.s.Answer(q.ID, []byte(answerDecline)))
	}
	st.wait() // until the program knows
	for range 12 {
		if st.app.scope() == scopeTraffic && !st.app.zoom && st.app.search == nil && st.app.traffic.shown == nil {
			break
		}
		st.press(keyEsc)
		if st.app.scope() == scopeEvents || st.app.scope() == scopeStderr {
			st.press("2")
		}
	}
	require.Equal(t, scopeTraffic, st.app.scope(), "esc leads back")
	st.press("G")
	return st
}

// perform does one action by its first key, or through the palette.
func (st *stage) perform(t *testing.T, action *entry) {
	t.Helper()
	way, ok := ways[action.Scope]
	require.True(t, ok, "no way to the scope %q of the action %q", action.Scope, action.ID)
	need := needs[action.ID]
	if need.before != nil {
		need.before(st)
	}
	way(st)
	if need.after != nil {
		need.after(st)
	}
	if action.Scope != keymap.Global {
		require.Equal(t, action.Scope, st.app.scope(), "the way to %s: %s", action.ID, lazy(st.screen))
	}
	possible, why := action.State(st.app)
	require.True(t, possible, "%s is not possible: %s\n%s", action.ID, why, lazy(st.screen))
	before, overlays := len(st.did), len(st.app.overlays)
	if len(action.Keys) > 0 {
		st.press(bytesOf(t, action.Keys[0]))
	} else {
		st.pick(t, action)
	}
	require.Contains(t, st.did[before:], action.ID)
	if action.Destructive {
		require.True(t, st.app.dialog != nil || len(st.app.overlays) > overlays, "%s does not ask first, as help says", action.ID)
	}
	st.takeBack()
	if st.app.quitting {
		st.ran.Wait()
		require.NoError(t, st.err)
		require.False(t, st.emu.IsAltScreen(), "%s gives the terminal back", action.ID)
		return
	}
	requireExact(t, st.app.View().Content, st.app.width, st.app.height)
	st.requireShown()
}

// pick does an action through the palette.
func (st *stage) pick(t *testing.T, action *entry) {
	t.Helper()
	st.press(":", action.ID)
	p, ok := st.app.top().(*palette)
	require.True(t, ok, "no palette to find %s in", action.ID)
	for range len(p.picker.shown) {
		if i, ok := p.picker.current(); ok && p.actions[i].ID == action.ID {
			break
		}
		st.press(sendKeys["down"])
	}
	st.press("\r")
}

// TestProgramActions does each action of the table in the program, by its key
// as a terminal sends it, and sees that the terminal shows the model's frame.
func TestProgramActions(t *testing.T) {
	t.Parallel()
	table := Actions()
	for _, scope := range append(slices.Clone(scopes), keymap.Scope{ID: keymap.Global}) {
		var actions []*entry
		for _, action := range table.Reachable(scope.ID) {
			if action.Scope == scope.ID || action.ID == actRedraw { // that from everywhere
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
						require.Equal(t, int64(1), st.suspended.Load())
					}
				}
			})
		})
	}
}

// lazy is formatted when it is printed.
type lazy func() string

func (l lazy) String() string { return l() }

// watchedFiles has files watched, and a call not re-sent.
func watchedFiles(st *stage) {
	none := errors.New("nothing to restart")
	st.app.watching = &watching{ctx: st.app.ctx, held: []string{"note"}, tools: []string{"note"}, Watch: &Watch{
		Again:  func(context.Context, string) (*rerun.Round, error) { return nil, none },
		Rest:   func(context.Context) (*rerun.Round, error) { return nil, none },
		Always: func(context.Context, []string) (*rerun.Round, error) { return nil, none },
	}}
}
