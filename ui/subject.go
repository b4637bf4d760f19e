package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/theme"
)

// A subject is one session, or one recording, with all that the screen shows of
// it. The App shows one of them at a time; the others go on.
type subject struct {
	*projection             // that is shown
	whole       *projection // of the log
	tail        *projection // of its last rows, while the others are read; else nil
	log         session.Source
	reading     atOnce    // the log, until all of it is read; else nil
	playback    *playback // of a recording; nil if there is nothing to play
	notes       noteKeeper
	wrongRows   int // lines that the verdict took last

	number  int
	target  int // of a grid that it was opened from, or noTarget
	title   string
	path    string                      // of a recording, as Opened.File has it
	name    string                      // of the program that is debugged, for the window's title
	session *session.Session            // nil for a recording
	launch  func(context.Context) error // starts the server at the beginning; nil if it is not to
	release func(context.Context) error // ends the session, if it is ours to end
	gone    <-chan struct{}             // closed when it is no longer shown
	forget  context.CancelFunc          // closes gone

	catalogShown *catalogView     // open or not; nil before it was first
	replay       *replaying       // that runs here; nil without
	watching     *watching        // over files; nil without
	calls        []*call          // made by the person: under way, or cancelled and watched
	afterwards   []uint32         // rows with progress, since a call was cancelled
	subscribed   map[string]*call // resources, by URI

	stats   session.Stats // of what is shown
	file    session.Stats // of the whole log
	status  session.Status
	waiting []session.Ask // for the person's answer, oldest first
	asks    serverAsks
	rate    meter

	traffic  *traffic
	stderr   *lines
	events   *lines
	detail   *detail
	composer *composer
	selected selection

	search  *search
	hits    *highlight
	finding *find // under way; messages of another one are dropped

	sample   sample
	starting bool // Start or Restart is under way
	stop     context.CancelFunc
}

// newSubject makes what is shown of a session or a recording.
func (a *App) newSubject(o Opened) *subject {
	a.drawn++
	source := o.Source
	if source == nil {
		source = o.Session.Log()
	}
	ctx, forget := context.WithCancel(a.ctx)
	s := &subject{
		whole: newProjection(source), log: source,
		number: a.drawn, target: noTarget, title: o.Title, path: o.File, session: o.Session, launch: o.Start, release: o.Close,
		gone: ctx.Done(), forget: forget,
		hits: &highlight{}, starting: o.Start != nil, stop: func() {},
	}
	s.projection, s.notes.file = s.whole, o.Notes
	if o.Watch != nil {
		s.watching = &watching{Watch: o.Watch, ctx: ctx}
	}
	s.readEnd()
	s.subscribed = map[string]*call{}
	s.asks = newServerAsks()
	if s.session != nil {
		s.noticeCalls()
	} else {
		s.playback = newPlayback(s.whole, a.opts.Idle)
	}
	if argv := s.source.Header().Argv; len(argv) > 0 {
		s.name = windowTitle(argv[0])
	}
	look := a.look()
	s.traffic = newTraffic(s.projection, s.hits, a.theme, look)
	s.stderr = newLines(stderrID, s.projection, s.hits, a.theme, look)
	s.events = newLines(eventsID, s.projection, s.hits, a.theme, look)
	s.detail = newDetail(s.projection, a.theme, look)
	s.composer = newComposer(openDrafts(a.opts.Drafts, s.title, s.source.Header()))
	return s
}

// noticeCalls looks for what calls of the person have to do with.
func (s *subject) noticeCalls() {
	s.index.notice = func(number uint32, row *session.Row) {
		if row.Kind == session.KindStart {
			clear(s.subscribed)
		}
		if len(s.calls) > 0 {
			s.noticeProgress(number, row)
		}
	}
}

func (s *subject) setTheme(th *theme.Theme) {
	s.traffic.setTheme(th)
	s.stderr.setTheme(th)
	s.events.setTheme(th)
	s.detail.setTheme(th)
}

// add shows a session or a recording, and starts its server if that is wanted.
func (a *App) add(o Opened) tea.Cmd {
	s := a.newSubject(o)
	a.subjects = append(a.subjects, s)
	a.show(s)
	a.warn(o)
	a.watch(s)
	if s.launch == nil {
		return nil
	}
	return s.tagged(a.start("start", s.launch))
}

// warn says what is to be known of what was opened.
func (a *App) warn(o Opened) {
	if o.Warning != "" {
		a.complain(o.Warning)
	} else if text := skippedOf(o.Source); text != "" {
		a.say("not understood in " + o.Title + ": " + text)
	}
}

// show puts a subject on the screen. A recording that plays pauses when it
// leaves it: nobody would see what it shows.
func (a *App) show(s *subject) {
	if was := a.front; was != nil && was != s && was.playback != nil && was.playback.pause() {
		a.say(was.title + " is paused: it was playing")
	}
	a.subject, a.front = s, s
	a.observe()
	a.arrange()
}

// as does something about a subject that may not be the one on the screen.
func (a *App) as(s *subject, do func()) {
	before := a.subject
	a.subject = s
	do()
	a.subject = before
}

// An about is a message for one subject, whichever is on the screen.
type about struct {
	subject *subject
	msg     tea.Msg
}

// takeAbout takes a message as one about its subject, whatever is on the screen.
func (a *App) takeAbout(m about) tea.Cmd {
	select {
	case <-m.subject.gone:
		return nil // it was closed in the meantime
	default:
	}
	a.subject = m.subject
	cmd := m.subject.tagged(a.take(m.msg))
	cmd = tea.Batch(cmd, a.tagged(a.settle()))
	if a.subject != a.front {
		a.subject = a.front
		a.arrange()
	}
	return cmd
}

// tagged has the messages of a command come back to this subject.
func (s *subject) tagged(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg { return s.address(cmd()) }
}

// address puts the subject on a message of ours.
func (s *subject) address(msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case tea.BatchMsg:
		for i, cmd := range msg {
			msg[i] = s.tagged(cmd)
		}
	case changed, playTick, scanned, finding, foundRow, counted, loadedEntry, detailHit, result:
		return about{s, msg}
	}
	return msg
}
