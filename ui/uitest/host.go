package uitest

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/workspace"
)

// A Host is a fake of host.Host for one workspace. Its fields are the screen's requests
// so far, the latest last. It belongs to the goroutine of the test.
type Host struct {
	Opened, Closed    []host.View // Opened are those not closed yet
	Notices, Warnings []string
	Dialog            *host.Dialog         // the open one
	Line              *host.Prompt         // the open prompt, which Type answers
	Selected          []int                // rows of the traffic
	GoneTo            []int                // rows of any list
	Moments           []int                // rows that were not shown yet
	Filter            *filter.Filter       // of the traffic
	Filtered          func(*filter.Filter) // called when a screen sets it; may be nil
	Value             *Value               // nil without a cursor in the detail
	Passing           *table.Folded        // the rows that pass it
	Changes           int                  // of marks, notes and problems
	Done              []string             // actions
	Added             []workspace.Opened
	Timers            []Timer // that Elapse has not ended
	Programs          []Program
	Follows           bool     // the lists of rows follow new ones
	Kinds             []string // of rows whose lists were made to follow
	Shown             []*workspace.Workspace
	All               []*workspace.Workspace // the open ones: at first the workspace, unless it is the empty one
	Clip              string                 // the text that was copied last
	T                 testing.TB
	Under             func() host.View                                             // has the focus while no other view is open, such as the composer; may be nil
	Saved             map[string]string                                            // new files
	Outside           func(data []byte, suffix string) (program string, err error) // opens data in another program

	Table *keymap.Table[host.Context] // of the help and the palette
	Focus string                      // the scope below them

	ws     *workspace.Workspace
	screen kit.Screen
	Keys   map[string]string // of actions, in place of their names
	said   string
	late   chan tea.Msg // what Begin and KeepTime have received; nil before
	timed  bool         // called
}

var _ host.Host = (*Host)(nil)

// A Timer is a message that After delivers later.
type Timer struct {
	Wait    time.Duration
	Message host.Message
}

// A Program is one that Exec gives the terminal to, until Exit.
type Program struct {
	Command tea.ExecCommand
	over    func(error) host.Message
}

// NewHost returns the host of a workspace, with a screen of w by h cells without
// colours.
func NewHost(t testing.TB, ws *workspace.Workspace, w, h int) *Host {
	t.Helper()
	f := &Host{T: t, ws: ws, screen: kit.Screen{Width: w, Height: h, Top: 1, Theme: paint.NewTheme(paint.Options{})}}
	f.screen.Panes = paint.Rect{Y: 1, W: w, H: h - 2}
	if !ws.Empty() {
		f.All = append(f.All, ws)
	}
	return f
}

// NewWorkspace returns the workspace of a recording with all rows, or the empty one for
// workspace.NoSource.
func NewWorkspace(t testing.TB, source session.Source) *workspace.Workspace {
	t.Helper()
	return NewNamed(t, source, "session.jsonl", 1)
}

// NewNamed is NewWorkspace with a title and a number.
func NewNamed(t testing.TB, source session.Source, title string, number int) *workspace.Workspace {
	t.Helper()
	ctx, forget := context.WithCancel(t.Context())
	t.Cleanup(forget)
	ws := workspace.New(ctx, forget, workspace.Opened{Source: source, Title: title}, number)
	pull(ws)
	return ws
}

// pull takes in all rows of the log, their catalog, and the state of the session.
func pull(ws *workspace.Workspace) {
	p := ws.Shown
	for p.Index.Pull(p.Source) {
	}
	p.Lifecycle.Pull(p.Index.Events)
	p.Catalog.Pull(p.Source, &p.Rows, p.Index.Offers)
	ws.Stats = p.Source.Stats()
	ws.File = ws.Stats
	if ws.Session != nil {
		ws.Status, ws.Clock = ws.Session.Status(), ws.Session.Log().Now()
	}
}

// Context returns what an action gets: the workspace and the focused view.
func (f *Host) Context() host.Context {
	c := host.Context{Host: f, Workspace: f.ws}
	switch n := len(f.Opened); {
	case n > 0:
		c.View = f.Opened[n-1]
	case f.Under != nil:
		c.View = f.Under()
	}
	return c
}

// Colours gives the screen the colours of a dark theme.
func (f *Host) Colours() { f.screen.Theme = paint.NewTheme(paint.Options{Profile: paint.TrueColor}) }

// Resize changes the size of the screen, in cells.
func (f *Host) Resize(w, h int) {
	f.screen.Width, f.screen.Height = w, h
	f.screen.Panes = paint.Rect{Y: 1, W: w, H: h - 2}
}

// SelectRow selects a row of the log, as the list of rows does.
func (f *Host) SelectRow(number int) {
	f.T.Helper()
	row, ok := f.ws.Shown.Rows.At(number)
	require.True(f.T, ok, "no row %d", number)
	f.ws.Selected = workspace.Selection{OK: true, Traffic: true, Number: number, Row: row}
	f.ws.Viewed, f.ws.AtRow, f.ws.Overview = f.ws.Selected, number, false
	f.ws.Viewed.Row, f.ws.Viewed.OK = f.ws.Shown.Paired(number)
}

// Said returns the latest notice, or warning after "x ".
func (f *Host) Said() string { return f.said }

// Act carries out an action by its id, with all that follows. The action must be enabled.
func (f *Host) Act(actions []host.Action, id string) {
	f.T.Helper()
	i := slices.IndexFunc(actions, func(a host.Action) bool { return a.ID == id })
	require.GreaterOrEqual(f.T, i, 0, "no action %q", id)
	if enabled := actions[i].Enabled; enabled != nil {
		ok, why := enabled(f.Context())
		require.True(f.T, ok, "%s: %s", id, why)
	}
	f.Run(actions[i].Do(f.Context()))
}

// Run runs a command, delivers its message, and runs what follows. It drops messages
// other than a host.Message.
func (f *Host) Run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	f.take(cmd())
}

func (f *Host) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.BatchMsg:
		for _, cmd := range msg {
			f.Run(cmd)
		}
	case host.Message:
		f.Run(msg.Deliver(f.Context()))
	default:
		if fmt.Sprintf("%T", msg) == "tea.setClipboardMsg" {
			f.Clip = fmt.Sprint(msg)
		}
	}
}

// Begin runs a long command, and those of a batch, in the background. Arrive delivers its
// message.
func (f *Host) Begin(cmd tea.Cmd) {
	if f.late == nil {
		f.late = make(chan tea.Msg, 100)
	}
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, cmd := range batch {
				f.Begin(cmd)
			}
			return
		}
		f.late <- msg
	}()
}

// KeepTime has the messages of After ready for Arrive when they are due, in place of
// Timers.
func (f *Host) KeepTime() {
	f.Begin(nil)
	f.timed = true
}

// Arrive waits for a session and commands in the background, delivers their messages, and
// takes in the changes of the log.
func (f *Host) Arrive() {
	synctest.Wait()
	for len(f.late) > 0 {
		f.take(<-f.late)
		synctest.Wait()
	}
	pull(f.ws)
}

// Elapse delivers the messages of all timers set so far.
func (f *Host) Elapse() {
	due := f.Timers
	f.Timers = nil
	for _, timer := range due {
		f.Run(timer.Message.Deliver(f.Context()))
	}
}

// Exit ends the first program with an error, or nil.
func (f *Host) Exit(err error) {
	f.T.Helper()
	require.NotEmpty(f.T, f.Programs, "no program has the terminal")
	p := f.Programs[0]
	f.Programs = f.Programs[1:]
	f.Run(p.over(err).Deliver(f.Context()))
}

// RunProgram runs the first program, and ends it.
func (f *Host) RunProgram() {
	f.T.Helper()
	require.NotEmpty(f.T, f.Programs, "no program has the terminal")
	f.Exit(f.Programs[0].Command.Run())
}

// Type accepts a text in the open prompt, which closes it.
func (f *Host) Type(text string) {
	f.T.Helper()
	require.NotNil(f.T, f.Line, "no prompt is open")
	cmd, err := f.Line.Accept(f.Context(), text)
	require.NoError(f.T, err)
	f.Line = nil
	f.Run(cmd)
}

// Screen is a screen without colours.
func (f *Host) Screen() *kit.Screen { return &f.screen }

// Lifetime ends with the test.
func (f *Host) Lifetime() context.Context { return f.T.Context() }

// Workspaces returns All.
func (f *Host) Workspaces() []*workspace.Workspace { return f.All }

// Show makes a workspace the one of Context, and records it in Shown.
func (f *Host) Show(ws *workspace.Workspace) { f.ws, f.Shown = ws, append(f.Shown, ws) }

// Add records a session in Added, and starts nothing.
func (f *Host) Add(o workspace.Opened) tea.Cmd {
	f.Added = append(f.Added, o)
	return nil
}

// Panes are fakes, too.
func (f *Host) Panes(*workspace.Workspace) host.Panes { return panes{f} }

// Open records a view in Opened.
func (f *Host) Open(_ *workspace.Workspace, v host.View) { f.Opened = append(f.Opened, v) }

// Close moves an open view to Closed. It ignores others, as the shell does.
func (f *Host) Close(v host.View) {
	if i := slices.Index(f.Opened, v); i >= 0 {
		f.Opened, f.Closed = slices.Delete(f.Opened, i, i+1), append(f.Closed, v)
	}
}

// Views are the open views.
func (f *Host) Views(*workspace.Workspace) []host.View { return f.Opened }

// Redraw does nothing: Plain always paints.
func (f *Host) Redraw() {}

// Confirm records a dialog in Dialog.
func (f *Host) Confirm(_ *workspace.Workspace, d *host.Dialog) { f.Dialog = d }

// Dismiss closes the open dialog about a subject.
func (f *Host) Dismiss(_ *workspace.Workspace, about host.Subject) {
	if f.Dialog != nil && f.Dialog.About == about {
		f.Dialog = nil
	}
}

// Prompt records a prompt in Line.
func (f *Host) Prompt(_ *workspace.Workspace, p host.Prompt) { f.Line = &p }

// Do records an action in Done.
func (f *Host) Do(_ *workspace.Workspace, action, word string) tea.Cmd {
	f.Done = append(f.Done, strings.TrimSpace(action+" "+word))
	return nil
}

// Actions is Table, or an empty one.
func (f *Host) Actions() *keymap.Table[host.Context] {
	if f.Table == nil {
		return &keymap.Table[host.Context]{}
	}
	return f.Table
}

// Beneath is Focus.
func (f *Host) Beneath(*workspace.Workspace) string { return f.Focus }

// After records a message in Timers once its command runs: see also KeepTime.
func (f *Host) After(wait time.Duration, m host.Message) tea.Cmd {
	return func() tea.Msg {
		if f.timed {
			time.AfterFunc(wait, func() { f.late <- m })
		} else {
			f.Timers = append(f.Timers, Timer{wait, m})
		}
		return nil
	}
}

// Notify records a text in Notices.
func (f *Host) Notify(text string) { f.Notices, f.said = append(f.Notices, text), text }

// Warn records a text in Warnings.
func (f *Host) Warn(text string) { f.Warnings, f.said = append(f.Warnings, text), "x "+text }

// Exec records a program in Programs once its command runs.
func (f *Host) Exec(_ *workspace.Workspace, program tea.ExecCommand, over func(error) host.Message) tea.Cmd {
	return func() tea.Msg {
		f.Programs = append(f.Programs, Program{program, over})
		return nil
	}
}

// Save records a file in Saved. It fails if there is one.
func (f *Host) Save(name, text string) error {
	if _, ok := f.Saved[name]; ok {
		return fs.ErrExist
	}
	if f.Saved == nil {
		f.Saved = map[string]string{}
	}
	f.Saved[name] = text
	return nil
}

// OpenOutside calls Outside.
func (f *Host) OpenOutside(data []byte, suffix string) (program string, err error) {
	return f.Outside(data, suffix)
}

// Key returns the first key of an action of a Room, and the id of any other one in
// brackets.
func (f *Host) Key(action string) string { return cmp.Or(f.Keys[action], "["+action+"]") }
