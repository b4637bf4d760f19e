package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/keymap"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

// App is the model of the program. It belongs to the goroutine of the
// program; make one with newApp.
type App struct {
	*subject            // what messages and actions are about
	noServer string     // why a recording can't do what needs a server; made once
	front    *subject   // what is on the screen: the same, but for messages about another one
	subjects []*subject // all, in the order of the list; none at home
	nobody   *subject   // what is on the screen at home
	drawn    int        // subjects there have been
	sessions *sessionList
	compared *comparing  // that was looked at last; nil before
	grid     *gridScreen // of the run over many targets; nil without

	ctx   context.Context
	opts  Options
	keys  *keymap.Table[*App]
	doers map[string]func(*App) tea.Cmd
	watch func(*subject) // begins to send changed for a new subject

	theme   *theme.Theme
	dark    bool
	profile theme.Profile

	width, height int
	layout        layout
	focus         paneID
	list          paneID // the pane with a list that was focused last
	strip         paneID // stderr or events
	zoom          bool
	splits        splits
	pointer       pointer

	ticking bool
	later   func(time.Duration, tea.Msg) tea.Cmd
	exec    func(tea.ExecCommand, tea.ExecCallback) tea.Cmd // gives the terminal to a program
	save    func(name, text string) error                   // writes a file that is not there yet

	prompt   *prompt
	overlays []opened // the last has the keys
	dialog   *dialog
	ask      *ask // nil without a question of the Prompter
	notice   notice
	quitting bool

	canvas  paint.Canvas
	chrome  [4]paint.Lines // header, tabs, footer, player line
	painted [paneCount]paint.Lines
	dirty   [paneCount]bool
	stale   bool // something on the frame has changed
	frame   string
}

// selection is the row that actions are about.
type selection struct {
	ok     bool
	number int
	row    session.Row
}

// notice is a message in the last line, until the next key.
type notice struct {
	text string
	bad  bool
}

// changed says that the log has changed.
type changed struct{}

// tick comes while a clock is on the screen: see pace.
type tick struct{}

func newApp(ctx context.Context, opts Options) *App {
	a := &App{
		ctx: ctx, opts: opts, watch: func(*subject) {}, exec: tea.Exec, save: writeNew,
		dark: true, profile: theme.TrueColor,
		focus: trafficID, list: trafficID, strip: stderrID,
		later: func(d time.Duration, msg tea.Msg) tea.Cmd {
			return func() tea.Msg { return after(ctx, d, msg) }
		},
	}
	var err error
	if a.keys, a.doers, err = bind(actions(), opts.Keys); err != nil {
		panic("ui: " + err.Error()) // Run has looked at them
	}
	a.pointer.released = opts.NoMouse
	if a.opts.quitting == nil {
		a.opts.quitting = func() {}
	}
	if opts.NoColor || opts.Theme == ThemeNone {
		a.profile = theme.NoColor
	}
	a.theme = a.newTheme()
	a.sessions = &sessionList{app: a}
	a.nobody = a.newSubject(Opened{Source: emptySource{}})
	a.subject, a.front = a.nobody, a.nobody
	for _, o := range opts.given() {
		a.subjects = append(a.subjects, a.newSubject(o))
		a.warn(o)
	}
	if opts.Grid != nil {
		a.grid = newGridScreen(a, opts.Grid)
	}
	switch {
	case len(a.subjects) > 0:
		a.subject, a.front = a.subjects[0], a.subjects[0]
	case a.grid == nil:
		a.push(&home{})
	}
	if a.grid != nil {
		a.toGrid()
	}
	return a
}

// given is all that is to be shown from the start.
func (o *Options) given() []Opened {
	if o.Session == nil && o.Source == nil {
		return o.Opened
	}
	first := Opened{Session: o.Session, Source: o.Source, Title: o.Title, Start: o.Start, Notes: o.Notes, Watch: o.Watch}
	return append([]Opened{first}, o.Opened...)
}

// after returns msg when d has passed, and nothing when ctx ends before.
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

// Init asks for the background colour and starts the server, if that is asked
// for.
func (a *App) Init() tea.Cmd {
	cmds := []tea.Cmd{tea.RequestBackgroundColor}
	for _, s := range a.subjects {
		if s.launch != nil {
			a.as(s, func() { cmds = append(cmds, s.tagged(a.start("start", s.launch))) })
		}
	}
	if h, ok := a.top().(*home); ok {
		cmds = append(cmds, a.tagged(a.loadHome(h)))
	}
	return tea.Batch(cmds...)
}

// Update takes one message. One that is about a subject is taken with that on
// the screen, which it then leaves again.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch typed := msg.(type) {
	case about:
		return a, a.takeAbout(typed)
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		if s, ok := a.aside(); ok {
			return a, a.takeAbout(about{s, msg})
		}
	}
	about := a.subject
	cmd := about.tagged(a.take(msg))
	return a, tea.Batch(cmd, a.tagged(a.settle()))
}

func (a *App) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.width, a.height = msg.Width, msg.Height
		a.arrange()
	case tea.ColorProfileMsg:
		a.setProfile(msg.Profile)
	case tea.BackgroundColorMsg:
		a.dark = msg.IsDark()
		a.setTheme()
	case tea.KeyPressMsg:
		return a.key(msg)
	case tea.PasteMsg:
		if a.ask != nil {
			return a.askPaste(msg)
		}
		return a.typed(msg)
	case tea.MouseMsg:
		return a.mouse(msg)
	case pointerDue:
		return a.frameOver()
	case asked:
		return a.nextQuestion()
	case quiet:
		return a.quietNow(msg)
	case changed:
		return a.refresh()
	case filesChanged:
		return a.filesChanged(msg.cause)
	case gridChanged:
		return a.refreshGrid()
	case playTick:
		return a.ticked(msg)
	case tick:
		a.ticking = false
		a.observeAll()
		return tea.Batch(a.takeSample(), a.refreshGrid())
	case scanned:
		a.mark(trafficID)
		return a.traffic.found(msg, a.index.scanned)
	case finding:
		return a.keepFinding(msg)
	case foundRow:
		return a.foundRow(msg)
	case counted:
		return a.counted(msg)
	case loadedEntry:
		return a.detail.loaded(msg)
	case detailHit:
		a.say(a.detail.found(msg))
	case result:
		return a.result(msg)
	}
	return nil
}

// refresh looks at the log, which has changed.
func (a *App) refresh() tea.Cmd {
	a.traffic.keep()
	more, turned := a.readOn()
	if turned != nil {
		return turned
	}
	more = a.index.pull(a.source) || more
	a.story.pull(a.index.events)
	a.catalog.pull(a.source, &a.rows, a.index.offers)
	if a.judges() {
		a.trouble.behind = a.trouble.tracker.Advance(verdictRowsAtOnce)
		more = a.trouble.behind || more
	}
	a.observe()
	a.stderr.SetFilter(a.index.stderr)
	a.recallFindings()
	a.findings.follow(a.index.events)
	a.events.SetFilter(a.findings.events)
	a.markAll()
	cmd := tea.Batch(a.placeNotes(), a.lintOn(), a.traffic.grown(), a.countOn(), a.keepCatalog())
	a.watchCancelled()
	if more {
		return tea.Batch(cmd, func() tea.Msg { return changed{} })
	}
	return cmd
}

// observe reads what the header shows.
func (a *App) observe() {
	a.stats = a.source.Stats()
	a.file = a.stats
	if a.log != a.source {
		a.file = a.log.Stats()
	}
	if a.session != nil {
		a.status = a.session.Status()
		a.waiting = forPerson(a.session.Asks())
		a.tendAnswers()
		a.traffic.clock = a.session.Log().Now()
		a.rate.sample(a.traffic.clock, a.stats.Out+a.stats.In)
	} else if a.traffic.clock = -1; a.playback != nil && a.playback.past != nil {
		a.traffic.clock = a.playback.at().Microseconds()
	}
	a.traffic.outOfReach = a.outOfReach()
	a.trouble.look(a)
	a.mark(trafficID)
}

// observeAll reads what the list of sessions shows too.
func (a *App) observeAll() {
	for _, s := range a.subjects {
		a.as(s, a.observe)
	}
	a.mark(sessionsID)
}

// settle brings what depends on other state up to date, after each message.
func (a *App) settle() tea.Cmd {
	a.selectRow()
	for _, l := range []*lines{a.stderr, a.events} {
		if a.subject == a.front && !a.layout.pane[l.id].Empty() {
			l.seen = len(l.all())
		}
	}
	cmd := a.detail.show(a.selected)
	a.detail.setNote(a.noteOf(a.selected))
	if a.detail.changed {
		a.detail.changed = false
		a.mark(detailID)
	}
	if (len(a.verdictRows()) != a.layout.verdict.H || a.callLines() != a.layout.calls.H) && a.layout.mode != tooSmall {
		a.arrange()
	}
	if a.ticking {
		return cmd
	}
	if pace := a.pace(); pace > 0 {
		a.ticking = true
		return tea.Batch(cmd, a.later(pace, tick{}))
	}
	return cmd
}

// pace is how often the clocks on the screen move; 0 if there is none. Those of
// sessions that are not shown move in the list of sessions.
func (a *App) pace() (least time.Duration) {
	if a.gridShown() && !a.grid.over() {
		least = spinEvery
	}
	for _, s := range a.subjects {
		a.as(s, func() {
			if p := a.ownPace(); p > 0 && (least == 0 || p < least) {
				least = p
			}
		})
	}
	return least
}

// ownPace is the pace of one session.
func (a *App) ownPace() time.Duration {
	switch {
	case a.session == nil:
		return 0
	case a.story.starting, a.status.Ending.Step != 0:
		return spinEvery
	case a.watchesProcess():
		return sampleEvery
	case a.stats.PendingOut+a.stats.PendingIn > 0, a.linkLives(), len(a.questions()) > 0, a.rate.runs(), a.trouble.runs(a):
		return time.Second
	}
	return 0
}

// selectRow finds the row that actions are about: that of the list which was
// focused last.
func (a *App) selectRow() {
	number, ok := a.lists(a.list).Cursor()
	if !ok {
		a.selected = selection{}
		return
	}
	row, ok := a.rows.at(number)
	a.selected = selection{ok: ok, number: number, row: row}
}

// arrange divides the screen anew.
func (a *App) arrange() {
	a.layout = arrange(arrangement{
		width: a.width, height: a.height, focus: a.focus, strip: a.strip, zoom: a.zoom, composing: a.composer.open, filling: a.composer.view == composeForm || a.composer.view == composeJSON,
		sessions: len(a.subjects) > 1 || a.focus == sessionsID, verdict: len(a.verdictRows()), splits: a.splits,
		calls: a.callLines(), player: a.playback != nil,
	})
	for _, id := range panes {
		if r := a.layout.pane[id].Inner(); !r.Empty() {
			a.pane(id).setSize(r.W, r.H)
		}
	}
	if r := a.layout.pane[composerID].Inner(); !r.Empty() {
		a.composer.setSize(r.W, r.H)
	}
	a.markAll()
}

// say shows a message in the last line.
func (a *App) say(text string) { a.notice, a.stale = notice{text: text}, true }

// complain shows a message about something that did not work.
func (a *App) complain(text string) { a.notice, a.stale = notice{text: text, bad: true}, true }
