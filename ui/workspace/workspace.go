package workspace

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/secret"
	"mcpdbg/session/via"
)

// InlineLimit is the largest message, in bytes, read immediately when the cursor moves; a
// longer one is read in a command.
const InlineLimit = 64 << 10

// A Workspace is the data of one session or recording on the screen. It must be used by
// the program's goroutine only.
type Workspace struct {
	Shown        *Projection // the one on the screen
	Whole        *Projection // of the whole log
	Tail         *Projection // of the last rows, while the others are read; else nil
	Log          session.Source
	Reading      atOnce    // the log, until completely read; else nil
	Playback     *Playback // of a recording; nil if it cannot be played
	Notes        Notes
	Number       int
	Target       int    // of the grid that opened it, or noTarget
	NoServer     string // why there is no server to act on, once asked for
	Title        string
	Path         string                      // of a recording, as in Opened.File
	DigestKey    func() *secret.Key          // as in ui.Options
	Name         string                      // of the debugged program, for the window title
	Session      *session.Session            // nil for a recording
	Tap          *Tap                        // that writes the recording; nil for another one
	Launch       func(context.Context) error // starts the server after opening, if not nil
	Release      func(context.Context) error // ends the session if it is ours
	Closed       <-chan struct{}             // when the workspace is removed from the screen
	Close        context.CancelFunc          // closes Gone
	Calls        []*Call                     // made by the user: pending, or cancelled and watched
	Trusted      map[string]bool             // tools that are called again without a question
	acted        uint32                      // row of the latest act of sending, plus one
	sent         int                         // see TakeSent
	LateProgress []uint32                    // rows with progress since a call was cancelled
	Subscribed   map[string]*Call            // subscribed resources, by URI
	Stats        session.Stats               // of the rows shown
	File         session.Stats               // of the whole log
	Status       session.Status
	Clock        int64                   // time on the log's clock at the last check; -1 if it does not run
	Unreachable  bool                    // requests can no longer get a response
	Waiting      []session.ServerRequest // requests that wait for the user, oldest first
	Delayed      []session.ServerRequest // requests that policies answer later, oldest first
	Rate         Meter
	Overview     bool // no row is selected yet, so the detail shows the server
	Selected     Selection
	Viewed       Selection   // shown in the detail: of an exchange, usually the response
	AtRow        int         // under the cursor in the traffic, or -1
	alone        int         // see Alone
	aloneIn      *Projection // that has the row
	Sample       Sample
	Starting     bool // Start or Restart is running
	Stop         context.CancelFunc
	Unbuilt      *BuildError // why the last round of the watch did not start, or nil
}

// New returns the workspace of an opened session or recording. forget closes it and ends
// ctx.
func New(ctx context.Context, forget context.CancelFunc, o Opened, number int) *Workspace {
	source := o.Source
	if source == nil {
		source = o.Session.Log()
	}
	ws := &Workspace{
		Whole: NewProjection(source), Log: source,
		Number: number, Target: noTarget, Title: o.Title, Path: o.File, Session: o.Session, Tap: o.Tap, Launch: o.Start, Release: o.Close,
		Closed: ctx.Done(), Close: forget,
		Overview: true, Starting: o.Start != nil, Stop: func() {}, Subscribed: map[string]*Call{}, Clock: -1, AtRow: -1,
	}
	ws.Shown, ws.Notes = ws.Whole, Notes{File: o.Notes, Texts: map[int]string{}}
	ws.readEnd()
	if argv := source.Header().Argv; len(argv) > 0 {
		ws.Name = WindowTitle(argv[0])
	}
	return ws
}

// Selection is the row that actions apply to.
type Selection struct {
	OK      bool
	Traffic bool // it was selected in the traffic
	Number  int
	Row     session.Row
	First   *session.Row // request of the first round, if the row is of a later one and shown for all; else nil
	Follows bool         // the list selects new rows as they arrive
}

// Requests returns the server requests that can be answered now, those that wait for the
// user first.
func (w *Workspace) Requests() []session.ServerRequest { return slices.Concat(w.Waiting, w.Delayed) }

// PullRequests takes in the pending requests of a running session.
func (w *Workspace) PullRequests() {
	w.Waiting, w.Delayed = w.Session.ServerRequests(), w.Session.DelayedRequests()
}

// FullTitle returns the title without the host in brackets, shown next to it. The place in
// it is the one that the process runs in, once that is known. The title of a tap, unless
// the user has named it, is its client and its server.
func (w *Workspace) FullTitle() string {
	if w.Shown.Tap() && (w.Path == "" || w.Title == filepath.Base(w.Path)) {
		title := w.Shown.Client() + " → " + cmp.Or(w.Shown.Source.Header().Name, w.Title)
		if w.Host() == "" {
			title += " (local)"
		}
		return title
	}
	header := w.Shown.Source.Header()
	planned := cmp.Or(via.Where(header.ExecServer, header.Via, header.Host), "local")
	if place := w.Shown.Lifecycle.Start.Via; place != "" && place != planned {
		if name, ok := strings.CutSuffix(w.Title, " ("+wording.Place(planned)+")"); ok {
			return name + " (" + wording.Place(wording.Join(" on ", place, w.Host())) + ")"
		}
	}
	if host := w.Host(); host != "" {
		return strings.TrimSuffix(w.Title, " ("+host+")")
	}
	return w.Title
}

// SessionName returns the title without the place, shown next to it.
func (w *Workspace) SessionName() string {
	title := w.FullTitle()
	return strings.TrimSuffix(title, " (local)")
}

// WindowTitle keeps of outside text only letters, digits and a few marks.
func WindowTitle(program string) string {
	safe := strings.Map(func(r rune) rune {
		if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./@ ", r)) {
			return r
		}
		return -1
	}, program)
	const longest = 60
	return "mcpdbg " + safe[:min(len(safe), longest)]
}

// SetTarget records the target of the run that opened the workspace.
func (w *Workspace) SetTarget(target int) { w.Target, w.NoServer = target, "" }

// OfTarget reports whether this is the recording of a target of a run.
func (w *Workspace) OfTarget() bool { return w.Session == nil && w.Target != noTarget }

// noTarget is of a workspace not opened from a grid.
const noTarget = -1

// ErrNoSession is the error of reading from NoSource, and why actions are disabled on it.
var ErrNoSession = errors.New("no session is open")

// NoSource returns the empty source shown without a session.
func NoSource() session.Source { return noSource{} }

type noSource struct{}

func (noSource) Header() session.Header      { return session.Header{} }
func (noSource) Len() int                    { return 0 }
func (noSource) Rows(int, []session.Row) int { return 0 }
func (noSource) Method(uint16) string        { return "" }
func (noSource) Stats() session.Stats        { return session.Stats{} }
func (noSource) Changed() <-chan struct{}    { return nil }
func (noSource) Entry(session.Row, int) (session.Entry, error) {
	return session.Entry{}, ErrNoSession
}
func (noSource) ReadLine(session.Row, []byte, int64) (int, error) { return 0, ErrNoSession }

// Empty reports whether this is the workspace shown without a session.
func (w *Workspace) Empty() bool { return w.Log == NoSource() }

// A Sample is the process tree a moment ago.
type Sample struct {
	Tree    []executor.Descendant
	At      time.Time
	Err     error
	Running bool // a command takes the next one
	Ended   bool // taken after the end of the process
}
