package ui

import (
	"context"
	"image/color"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/compare"
	"mcpdbg/ui/copies"
	"mcpdbg/ui/fleet"
	"mcpdbg/ui/help"
	"mcpdbg/ui/home"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/process"
	"mcpdbg/ui/server"
	"mcpdbg/ui/steer"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// App is the model of the program. It belongs to the goroutine of the program;
// make one with newApp.
type App struct {
	screen   kit.Screen
	visible  *sessionScreen
	screens  []*sessionScreen // all, in the order of the list; empty at home
	blank    *sessionScreen   // shown at home
	drawn    int
	sessions *sessionList
	compared *compare.State
	grid     gridState

	workspaces []*workspace.Workspace

	ctx     context.Context
	opts    Options
	actions actionTable
	outside outside

	colors colors

	panes   paneState
	pointer pointer

	ticking bool

	front    front
	typed    map[string]*kit.History // the texts of one-line prompts, by their label
	quitting bool

	canvas canvas
}

type paneState struct {
	layout   layout
	arranged arrangement // what the layout is for
	focus    paneID
	list     paneID // the pane with a list that was focused last
	log      paneID // stderr or events
	zoom     bool
	alone    bool // stderr or events, while it has the focus
	splits   splits
}

type colors struct {
	profile    paint.Profile
	light      bool        // the background, if known
	known      bool        // from the terminal, or from COLORFGBG
	background color.Color // that the terminal reports, or nil
	tried      Theme       // under the cursor of the palette, or ""
}

// A front is what is open over the panes, each above the one before it.
type front struct {
	notice notice
	number int      // of the notice
	views  []opened // the last has the focus
	prompt *prompt
	dialog *dialog
	menu   *help.Menu // over all but ask; nil while closed
	ask    *ask       // nil without a question of the Prompter
}

type outside struct {
	watch func(*sessionScreen) // starts sending changed for a new session screen
	later func(time.Duration, tea.Msg) tea.Cmd
	exec  func(tea.ExecCommand, tea.ExecCallback) tea.Cmd // runs a program in the terminal
	save  func(name, text string) error                   // writes a new file; fails if it exists
	view  func(ctx context.Context, data []byte, suffix string) (program string, err error)
}

func newOutside(ctx context.Context) outside {
	viewer := &host.Viewer{} // Run replaces it by one that it closes
	return outside{
		watch: func(*sessionScreen) {}, exec: tea.Exec, save: copies.WriteNew, view: viewer.Open,
		later: func(d time.Duration, msg tea.Msg) tea.Cmd {
			return func() tea.Msg { return after(ctx, d, msg) }
		},
	}
}

type actionTable struct {
	app     *App
	keys    *keymap.Table[host.Context]
	effects map[string]func(host.Context) tea.Cmd // by action id; nil moves the cursor
}

// A canvas is what was painted last, and what of it has to be painted again.
type canvas struct {
	app     *App
	chrome  [6]paint.Lines // header, names of sessions, footer, player line, replay line, marks of the player
	painted [paneCount]paint.Lines
	dirty   [paneCount]bool
	stale   bool // something on the frame has changed
	text    string
	hints   hints
}

// notice is shown in the last line until the next key or for a while.
type notice struct {
	text       string
	bad, timed bool
}

type noticeOver int

// fade removes a notice after 4 s, a warning after 10 s.
func (f *front) fade(later func(time.Duration, tea.Msg) tea.Cmd) tea.Cmd {
	if f.notice.text == "" || f.notice.timed {
		return nil
	}
	f.notice.timed, f.number = true, f.number+1
	stays := map[bool]time.Duration{false: 4 * time.Second, true: 10 * time.Second}[f.notice.bad]
	return later(stays, noticeOver(f.number))
}

type changed struct{}

// tick arrives while a clock is on the screen: see pace.
type tick struct{}

func newApp(ctx context.Context, opts Options) *App {
	a := &App{
		ctx: ctx, opts: opts, outside: newOutside(ctx),
		screen: kit.Screen{ASCII: opts.ASCII},
		typed:  map[string]*kit.History{},
		colors: colors{profile: paint.TrueColor},
		panes:  paneState{focus: trafficID, list: trafficID, log: stderrID},
	}
	a.actions.app, a.canvas.app, a.grid.app = a, a, a
	a.screen.Graphics.Off, a.screen.Graphics.Blocks = opts.Pictures == picturesOff, opts.Pictures == picturesBlocks
	var err error
	if a.actions.keys, a.actions.effects, err = bind(func(c host.Context) *sessionScreen { return a.screenOf(c.Workspace) }, opts.Keys); err != nil {
		panic("ui: " + err.Error())
	}
	a.pointer = pointer{app: a, released: opts.NoMouse}
	if a.opts.quitting == nil {
		a.opts.quitting = func() {}
	}
	if opts.NoColor || opts.Theme == themeNone {
		a.colors.profile = paint.NoColor
	}
	a.screen.Theme = a.colors.newTheme(a.opts.Theme)
	a.sessions = &sessionList{app: a}
	a.compared = &compare.State{Idle: a.idle, Resend: sendRow}
	a.blank = a.newSessionScreen(workspace.Opened{Source: workspace.NoSource()})
	a.visible = a.blank
	for _, o := range opts.given() {
		a.screens = append(a.screens, a.newSessionScreen(o))
		warnOfOpening(a, o)
	}
	if opts.Grid != nil {
		a.grid.view = fleet.New(&a.screen, opts.Grid)
	}
	switch {
	case len(a.screens) > 0:
		a.visible = a.screens[0]
	case a.grid.view == nil:
		a.visible.push(home.New(opts.Launcher))
	}
	if a.grid.view != nil {
		a.grid.show()
	}
	return a
}

// idle reports whether a session is visible and nothing is open over its panes.
func (a *App) idle(c host.Context) bool {
	return a.screenOf(c.Workspace) == a.visible && a.front.top() == nil && a.front.dialog == nil && a.front.prompt == nil && !a.visible.composer.IsOpen()
}

func (o *Options) given() []workspace.Opened {
	if o.Session == nil && o.Source == nil {
		return o.Opened
	}
	first := workspace.Opened{Session: o.Session, Source: o.Source, Title: o.Title, Start: o.Start, Notes: o.Notes, Watch: o.Watch}
	return append([]workspace.Opened{first}, o.Opened...)
}

// after returns msg after d, or nil if ctx ends before.
func after(ctx context.Context, d time.Duration, msg tea.Msg) tea.Msg {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return msg
	case <-ctx.Done():
		return nil
	}
}

// Init requests the terminal's background colour and starts the server if requested.
func (a *App) Init() tea.Cmd {
	cmds := []tea.Cmd{tea.RequestBackgroundColor}
	for _, s := range a.screens {
		if s.ws.Launch != nil {
			cmds = append(cmds, s.tagged(s.start("start", s.ws.Launch)))
		}
		if s.ws.Tap != nil && s.ws.Tap.Attach {
			cmds = append(cmds, s.tagged(host.Attach(s.context())))
		}
	}
	if h, ok := a.front.top().(*home.View); ok {
		cmds = append(cmds, a.visible.tagged(h.Load(a.visible.context())))
	}
	return tea.Batch(cmds...)
}

// Update delivers a message: to the session that it is addressed to, keys to the focused
// one, all others to the visible one.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	s := a.visible
	a.screen.Graphics.Take(msg)
	switch typed := msg.(type) {
	case addressed:
		if typed.screen.closed() {
			return a, nil
		}
		s, msg = typed.screen, typed.msg
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		s = a.focused()
	}
	visible := a.visible
	cmd := s.tagged(s.take(msg))
	if a.visible != visible {
		s = a.visible
	}
	cmd = tea.Batch(cmd, s.tagged(s.settle()))
	a.tryTheme()
	if s != a.visible {
		a.arrange()
	}
	return a, tea.Batch(cmd, a.screen.Graphics.Write(a.outside.later))
}

func (sc *sessionScreen) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		sc.app.screen.Width, sc.app.screen.Height = msg.Width, msg.Height
		sc.app.arrange()
	case tea.ColorProfileMsg:
		sc.app.setProfile(msg.Profile)
	case tea.BackgroundColorMsg:
		sc.app.colors.light, sc.app.colors.known, sc.app.colors.background = !msg.IsDark(), true, msg.Color
		sc.app.setTheme()
	case tea.EnvMsg:
		sc.app.colors.setFGBG(msg.Getenv("COLORFGBG"))
		sc.app.setTheme()
	case tea.KeyPressMsg:
		if sc.app.opts.Still { // no clock does it
			sc.app.observeAll()
			return tea.Batch(process.TakeSample(sc.context()), sc.app.actions.key(sc, msg))
		}
		return sc.app.actions.key(sc, msg)
	case tea.PasteMsg:
		if sc.app.front.ask != nil {
			sc.app.front.ask.paste(msg)
			return nil
		}
		return sc.app.actions.typed(sc, msg)
	case tea.MouseMsg:
		return sc.app.pointer.report(sc, msg)
	case pointerDue:
		return sc.app.pointer.frameOver(sc)
	case asked:
		return sc.app.nextQuestion()
	case quiet:
		quietOver(sc.app, msg)
	case changed:
		return sc.Refresh()
	case noticeOver:
		if int(msg) == sc.app.front.number && sc.app.front.notice.timed {
			sc.app.front.notice, sc.app.canvas.stale = notice{}, true
		}
	case gridChanged:
		return sc.app.grid.refresh()
	case tick:
		sc.app.ticking = false
		sc.app.observeAll()
		return tea.Batch(process.TakeSample(sc.context()), sc.app.grid.refresh())
	case host.Result:
		sc.observe()
		return msg.Deliver(sc.context())
	case host.Message:
		return msg.Deliver(sc.context())
	}
	return nil
}

func (sc *sessionScreen) Refresh() tea.Cmd {
	sc.rows.Traffic.Keep()
	more, turned := sc.readOn()
	if turned != nil {
		return turned
	}
	more = sc.ws.Shown.Index.Pull(sc.ws.Shown.Source) || more
	sc.ws.Shown.Lifecycle.Pull(sc.ws.Shown.Index.Events)
	sc.ws.Shown.Catalog.Pull(sc.ws.Shown.Source, &sc.ws.Shown.Rows, sc.ws.Shown.Index.Offers)
	more = sc.ws.PullCauses() || more
	sc.observe()
	begin(sc)
	sc.ws.RecallProblems()
	sc.ws.Shown.Problems.Follow(sc.ws.Shown.Index.Events)
	sc.rows.RelistLines()
	sc.app.canvas.markAll()
	showNews(sc)
	cmd := tea.Batch(copies.PlaceNotes(sc.context()), sc.problems.Check(sc.context()), sc.rows.Grown(), sc.rows.CountOn(), server.RefreshLists(sc.context()), sc.time.Grown(sc.context()))
	sc.placeCursor()
	host.WatchCancelled(sc.context())
	if more {
		return tea.Batch(cmd, func() tea.Msg { return changed{} })
	}
	return cmd
}

// showNews selects the row of a message that the user has sent, or of a lost call.
func showNews(sc *sessionScreen) {
	if sc.rows.Traffic.ShowNews() && sc == sc.app.visible {
		sc.app.panes.list = trafficID
		sc.app.canvas.mark(trafficID)
	}
}

func (sc *sessionScreen) observe() {
	sc.ws.Stats = sc.ws.Shown.Source.Stats()
	sc.ws.File = sc.ws.Stats
	if sc.ws.Shown != sc.ws.Whole {
		sc.ws.File = sc.ws.Log.Stats()
	}
	if sc.ws.Tap != nil {
		sc.ws.Tap.Pull()
		if workspace.PlaceHeld(sc.ws) {
			sc.rows.Traffic.Relist()
		}
		sc.app.canvas.mark(heldID)
	}
	if sc.ws.Session != nil {
		sc.ws.Status = sc.ws.Session.Status()
		sc.requests.Observe(sc.context())
		sc.ws.Clock = sc.ws.Session.Log().Now()
		sc.ws.Rate.Sample(sc.ws.Clock, sc.ws.Stats.Out+sc.ws.Stats.In)
	} else if sc.ws.Clock = -1; sc.ws.Playback != nil && sc.ws.Playback.Past != nil {
		sc.ws.Clock = sc.ws.Playback.At().Microseconds()
	}
	sc.ws.Unreachable = sc.ws.NoReply()
	sc.ws.UpdateCauses()
	sc.app.canvas.mark(trafficID)
}

func (a *App) observeAll() {
	for _, s := range a.screens {
		s.observe()
	}
	a.canvas.mark(sessionsID)
}

// settle updates state that depends on other state, after each message.
func (sc *sessionScreen) settle() tea.Cmd {
	sc.selectRow()
	list, _ := sc.listOf(sc.app.panes.list)
	sc.rows.MoveLines(list)
	if sc.rows.Look() {
		for _, id := range []paneID{trafficID, stderrID, eventsID} {
			sc.app.canvas.mark(id)
		}
	}
	cmd := tea.Batch(sc.detail.Show(sc.ws.Viewed), sc.app.front.fade(sc.app.outside.later), sc.app.front.awaitQuiet(sc.app.outside.later))
	if sc.ws.Overview {
		cmd = tea.Batch(cmd, server.ReadLists(sc.context()))
	}
	sc.detail.SetNote(sc.ws.Note())
	if sc.overview.Switched(sc.ws.Overview) {
		sc.app.canvas.markAll()
	} else if sc.detail.Changed() {
		sc.app.canvas.mark(detailID)
	}
	if sc.app.panes.layout.mode != tooSmall && sc.app.arrangement() != sc.app.panes.arranged {
		sc.app.arrange()
	}
	if sc.app.ticking {
		return cmd
	}
	if pace := sc.app.pace(); pace > 0 {
		sc.app.ticking = true
		return tea.Batch(cmd, sc.app.outside.later(pace, tick{}))
	}
	return cmd
}

// pace returns how often the clocks on the screen change; 0 without clocks. Those of
// hidden sessions change in the list of sessions.
func (a *App) pace() (least time.Duration) {
	if a.opts.Still {
		return 0
	}
	if a.grid.shown() && !a.grid.view.Over() {
		least = spinEvery
	}
	for _, s := range a.screens {
		if p := s.ownPace(); p > 0 && (least == 0 || p < least) {
			least = p
		}
	}
	return least
}

func (sc *sessionScreen) ownPace() time.Duration {
	switch {
	case sc.ws.Session == nil && sc.ws.Tap != nil && len(sc.ws.Tap.State.Held) > 0:
		return time.Second
	case sc.ws.Session == nil:
		return 0
	case sc.ws.Shown.Lifecycle.Starting, sc.ws.Status.ShutdownStep.Step != 0:
		return spinEvery
	case process.Watches(sc.context()):
		return process.SampleEvery
	case sc.rows.Traffic.Counts():
		return traffic.CountEvery
	case sc.ws.Stats.PendingOut+sc.ws.Stats.PendingIn > 0, sc.ws.LinkActive(), len(sc.ws.Requests()) > 0, len(sc.ws.Calls) > 0, sc.ws.Rate.Active(), sc.ws.CausesNeedClock():
		return time.Second
	}
	return 0
}

func (sc *sessionScreen) placeCursor() {
	sc.ws.AtRow = -1
	if number, ok := sc.rows.Traffic.Cursor(); ok {
		sc.ws.AtRow = number
	}
}

// selectRow finds the row that actions apply to: that of the list that was
// focused last.
func (sc *sessionScreen) selectRow() {
	sc.placeCursor()
	number, ok := sc.lists(sc.app.panes.list).Cursor()
	if !ok || sc.ws.Overview {
		sc.ws.Selected, sc.ws.Viewed = workspace.Selection{}, workspace.Selection{}
		return
	}
	row, ok := sc.ws.Shown.Rows.At(number)
	sc.ws.Selected = workspace.Selection{OK: ok, Traffic: sc.app.panes.list == trafficID, Number: number, Row: row, Follows: sc.lists(sc.app.panes.list).Following()}
	sc.ws.Viewed = sc.ws.Selected
	if ok && sc.ws.Selected.Traffic {
		v := &sc.ws.Viewed
		v.Number = sc.rows.Traffic.Viewed(number)
		v.Row, v.OK = sc.ws.Shown.Paired(v.Number)
		v.First = sc.rows.Traffic.First(v.Number)
	}
}

func (a *App) arrangement() arrangement {
	v := a.visible
	of := arrangement{
		width: a.screen.Width, height: a.screen.Height, focus: a.panes.focus, log: a.panes.log, logs: a.opts.Log, zoom: a.panes.zoom, alone: a.panes.alone,
		composing: v.composer.IsOpen(), filling: v.composer.Height(), sessions: len(a.screens) > 1, verdict: len(v.problems.Lines(v.context())), splits: a.panes.splits,
		replaying: v.replay.Running(), held: steer.Rows(v.ws, a.screen.Height),
	}
	if v.ws.Playback != nil {
		of.player = 1
		if v.ws.Playback.Past != nil && of.height >= kit.PanesHeight {
			of.player = 2
		}
	}
	of.moment = of.width < bothWidth && of.height < openHeight && v.rows.AtMoment()
	return of
}

func (a *App) arrange() {
	a.panes.arranged = a.arrangement()
	if a.panes.focus == heldID && a.panes.arranged.held == 0 {
		a.panes.focus, a.panes.zoom = a.panes.list, false
		a.panes.arranged = a.arrangement()
	}
	a.panes.layout = arrange(a.panes.arranged)
	above := 1 + a.panes.layout.verdict.H
	a.screen.Panes = paint.Rect{Y: above, W: a.screen.Width, H: a.screen.Height - above - 1 - a.panes.layout.replay.H}
	a.screen.Top = 1
	if a.screen.Height >= kit.PanesHeight {
		a.screen.Top += a.panes.layout.verdict.H
	}
	for _, id := range panes {
		if r := a.panes.layout.pane[id].Body(); !r.Empty() {
			a.visible.pane(id).SetSize(r.W, r.H)
		}
	}
	if r := a.panes.layout.pane[detailID].Body(); !r.Empty() {
		a.visible.detail.SetSize(r.W, r.H)
		a.visible.overview.SetSize(r.W, r.H)
	}
	a.visible.composer.Place(a.panes.layout.pane[composerID])
	a.canvas.markAll()
}
