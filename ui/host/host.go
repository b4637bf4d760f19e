// Package host is all that a screen knows of the shell: the Host, the View and the
// actions of both, and what the interface and its surroundings know of each other, such
// as the Launcher that lists and opens servers and recordings.
//
// It also sends the user's requests from any screen. A pending call has a line above the
// footer with its progress, and can be cancelled; a cancelled call is watched for a late
// response.
package host

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/workspace"
)

// A Host is all that a screen may use of the shell, on the goroutine of the program.
type Host interface {
	Screen() *kit.Screen
	Lifetime() context.Context

	// Workspaces are all open sessions and recordings in list order, not to be changed.
	Workspaces() []*workspace.Workspace
	Show(*workspace.Workspace)
	// Add shows another session or recording, and starts its server if requested.
	Add(workspace.Opened) tea.Cmd
	Panes(*workspace.Workspace) Panes

	// Open shows a view of a workspace over all others, focused.
	Open(*workspace.Workspace, View)
	// Close closes a view, wherever it is.
	Close(View)
	Views(*workspace.Workspace) []View
	Redraw()

	// Confirm replaces an open dialog.
	Confirm(*workspace.Workspace, *Dialog)
	// Dismiss closes the open dialog if it is about this workspace and subject.
	Dismiss(*workspace.Workspace, Subject)
	Prompt(*workspace.Workspace, Prompt)

	Actions() *keymap.Table[Context]
	// Beneath is the scope of a workspace below the help and the palette.
	Beneath(*workspace.Workspace) string
	// Do carries out an action as if its key had been pressed, with one of the words that
	// it takes, or "".
	Do(ws *workspace.Workspace, action, word string) tea.Cmd
	// After delivers a message to the workspace of the command after a delay.
	After(time.Duration, Message) tea.Cmd

	// Notify shows a message in the last line until the next key.
	Notify(text string)
	// Warn shows a message about a failure, like Notify.
	Warn(text string)

	// Exec gives the terminal to a program. The result of over is delivered to the
	// workspace.
	Exec(ws *workspace.Workspace, program tea.ExecCommand, over func(error) Message) tea.Cmd

	// Save writes a new file, and fails if it exists. OpenOutside opens data in another
	// program, which it returns; suffix ends a file name. Both may be called on any
	// goroutine.
	Save(name, text string) error
	OpenOutside(data []byte, suffix string) (program string, err error)

	// Key returns the shown key of an action; without one, the key of the command list
	// with the action's title.
	Key(action string) string
}

// A View is a part of the screen with its own scope in the action table. It covers the
// panes and has the focus until it is closed.
type View interface {
	Scope() string
	// Update takes a key that triggers no action in the scope, or pasted text.
	Update(Context, tea.Msg) tea.Cmd
	// Draw paints the view over the Host's Screen.
	Draw(Context)
}

// A Picking is a view with a picker in it.
type Picking interface {
	View
	Picks() *kit.Picker
}

// A Reading is a view with a text that scrolls.
type Reading interface {
	View
	Text() *kit.Text
}

// A Moving is a view that moves a cursor or a text in its own way.
type Moving interface {
	View
	// Move moves by a line or a page, or to an end: way is the name of a movement action
	// of package kit.
	Move(c Context, way string) tea.Cmd
}

// A Stepping is a view that does more when closed, or goes a step back first.
type Stepping interface {
	View
	Back(Context) tea.Cmd
}

// A Clicking is a view that takes clicks. Click selects the item at a cell of the screen;
// again reports that it was selected before.
type Clicking interface {
	View
	Click(x, y int) (again, hit bool)
}

// A Pressing is a view with places that act when clicked.
type Pressing interface {
	View
	// Press handles a click on a cell of the screen; hit is false without a place there.
	Press(c Context, x, y int) (cmd tea.Cmd, hit bool)
}

// A Message is the end of background work for a workspace, returned by commands.
type Message interface {
	// Deliver is called in Update, with the workspace of the command, visible or not.
	Deliver(Context) tea.Cmd
}

// A Context is what an action or a view is about: the shell, the workspace, visible or
// not, and the focused view, or nil.
type Context struct {
	Host      Host
	Workspace *workspace.Workspace
	View      View
	// Word is the one of Entry.Words typed after the name of the action in the palette,
	// or "".
	Word string
}

// An Entry describes an action in the table.
type Entry = keymap.Action[Context]

// An Action is an entry with its effect; nil inherits the effect.
type Action struct {
	Entry
	Do func(Context) tea.Cmd
}

// CloseName is the name of the inherited action that closes a view.
const CloseName = "close"

// Override returns an action that changes an inherited one, but not its effect.
func Override(e Entry) Action { return Action{Entry: e} }

// On adapts the effect of an action on a view of type V. It does nothing while another
// view has the focus.
func On[V View](do func(Context, V) tea.Cmd) func(Context) tea.Cmd {
	return func(c Context) tea.Cmd {
		if v, ok := c.View.(V); ok {
			return do(c, v)
		}
		return nil
	}
}

// A Result ends a command: a message for the user, and what follows.
type Result struct {
	What string // the attempt, for the message about Err
	Text string
	Err  error
	Then func(Context) tea.Cmd // called in Update, with the workspace of the command; may be nil
}

// Deliver shows the error or the text, and continues with Then.
func (r Result) Deliver(c Context) tea.Cmd {
	switch {
	case r.Err != nil && !errors.Is(r.Err, context.Canceled):
		c.Host.Warn(r.What + ": " + r.Err.Error())
	case r.Text != "":
		c.Host.Notify(r.Text)
	}
	if r.Then != nil {
		return r.Then(c)
	}
	return nil
}

// Panes are the panes of one workspace, as its other screens use them: the lists of rows
// (traffic, stderr and events), and the detail of the selected row.
type Panes interface {
	// Refresh takes in what has changed in the log.
	Refresh() tea.Cmd
	// Changed shows changed marks, notes and problems.
	Changed()
	// Turn shows another projection of the log.
	Turn(*workspace.Projection) tea.Cmd
	// Relist lists the new rows of a shown projection that has grown.
	Relist()

	Select(row int)
	// GoTo selects a row in its list and focuses that.
	GoTo(row int)
	// GoToMoment shows a recording up to a row not shown yet.
	GoToMoment(row int) tea.Cmd

	// Passing returns the rows of the traffic that pass the filter, the filter or nil,
	// and whether all rows have been checked.
	Passing() (rows *table.Folded, shown *filter.Filter, all bool)
	// SetFilter filters the traffic; nil shows all of it.
	SetFilter(*filter.Filter) tea.Cmd

	// Following reports whether the list that was focused last follows new rows.
	Following() bool
	// Follow makes that list follow.
	Follow()
	FollowTraffic()
	// FollowKind focuses the list that has rows of a kind, and makes it follow.
	FollowKind(session.Kind)
	// FollowFrom makes the lists follow whose selected row is not among the first rows.
	FollowFrom(rows int)

	// OpenDetail zooms the detail of the selected row, unless it has the focus.
	OpenDetail()
	// Signs returns the signs in the focused pane.
	Signs() []kit.Sign
	// Value returns the value under the cursor of the detail with a JSON Pointer, or "",
	// and a jq expression. ok is false without such a cursor.
	Value() (value, pointer, jq string, ok bool)
	// Part returns the part under the cursor of the content view and its text; ok is
	// false without one.
	Part() (name, text string, ok bool)
}

// Panes returns the panes of the workspace.
func (c Context) Panes() Panes { return c.Host.Panes(c.Workspace) }
