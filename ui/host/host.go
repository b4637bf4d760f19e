package host

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/workspace"
)

// A Host is all that a screen may use of the shell. Its methods are called on
// the goroutine of the program.
type Host interface {
	// Screen is what views are painted on.
	Screen() *kit.Screen
	// Lifetime ends when the program does.
	Lifetime() context.Context

	// Workspaces are all open sessions and recordings, in the order of their list.
	// The slice must not be changed.
	Workspaces() []*workspace.Workspace
	// Show makes a workspace visible.
	Show(*workspace.Workspace)
	// Add shows another session or recording, and starts its server if it asks for that.
	Add(workspace.Opened) tea.Cmd
	// Panes are the panes of a workspace.
	Panes(*workspace.Workspace) Panes

	// Open shows a view of a workspace over all others, and gives it the focus.
	Open(*workspace.Workspace, View)
	// Close closes a view, wherever it is.
	Close(View)
	// Views are the open views of a workspace, the topmost last.
	Views(*workspace.Workspace) []View
	// Redraw has the frame painted again.
	Redraw()

	// Confirm shows a dialog about a workspace, in place of an open one.
	Confirm(*workspace.Workspace, *Dialog)
	// Dismiss closes the open dialog if it is about a workspace and a subject.
	Dismiss(*workspace.Workspace, Subject)
	// Prompt has the user type a line of text about a workspace.
	Prompt(*workspace.Workspace, Prompt)

	// Actions is the table of all actions.
	Actions() *keymap.Table[Context]
	// Beneath is the scope that the actions of a workspace belong to, below the help
	// and the palette.
	Beneath(*workspace.Workspace) string
	// Do carries out an action of the table as if its key had been pressed, with one of
	// the words that it takes, or "".
	Do(ws *workspace.Workspace, action, word string) tea.Cmd
	// After delivers a message to the workspace of the command after a delay.
	After(time.Duration, Message) tea.Cmd

	// Notify shows a message in the last line until the next key.
	Notify(text string)
	// Warn shows a message about a failure, like Notify.
	Warn(text string)

	// Exec gives the terminal to a program. What over returns is delivered to the
	// workspace.
	Exec(ws *workspace.Workspace, program tea.ExecCommand, over func(error) Message) tea.Cmd

	// Save writes a new file, and fails if it exists. OpenOutside opens data in another
	// program, which it returns; suffix is the end of a file name. Both may be called on
	// any goroutine.
	Save(name, text string) error
	OpenOutside(data []byte, suffix string) (program string, err error)

	// Key returns the key of an action as it is shown to the user; for an action
	// without one, the key of the command list with the action's title.
	Key(action string) string
}

// A View is a part of the screen with a scope of its own in the action table. It
// covers the panes and has the focus until it is closed.
type View interface {
	// Scope is the part of the action table that is in force.
	Scope() string
	// Update takes a key that triggers no action in the scope, or pasted text.
	Update(Context, tea.Msg) tea.Cmd
	// Draw paints the view on the Host's Screen, over what is there.
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
	Text() *kit.Scroll
}

// A Moving is a view in which a cursor or a text moves in its own way.
type Moving interface {
	View
	// Move moves by a line or a page, or to an end: way is the name of a movement
	// action of package kit.
	Move(c Context, way string) tea.Cmd
}

// A Stepping is a view that does more when it is closed, or goes a step back
// first.
type Stepping interface {
	View
	Back(Context) tea.Cmd
}

// A Clicking is a view that takes presses of the mouse button. Click selects the
// item at a cell of the screen; again reports that it was selected before.
type Clicking interface {
	View
	Click(x, y int) (again, hit bool)
}

// A Pressing is a view with places on it that act when they are clicked.
type Pressing interface {
	View
	// Press acts on a press of the mouse button at a cell of the screen; hit is false
	// if there is no such place.
	Press(c Context, x, y int) (cmd tea.Cmd, hit bool)
}

// A Message is the end of something that ran in the background for a workspace.
// Commands return it.
type Message interface {
	// Deliver is called in Update, with the workspace that the command was about,
	// whichever is visible.
	Deliver(Context) tea.Cmd
}

// A Context is what an action or a view is about: the shell, the workspace that
// is meant, whichever is visible, and the focused view, nil for none.
type Context struct {
	Host      Host
	Workspace *workspace.Workspace
	View      View
	// Word is the one of Entry.Words that was typed after the name of the action in
	// the palette, for the effect of that action; otherwise "".
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

// On adapts the effect of an action on a view of type V. It does nothing while
// another view has the focus.
func On[V View](do func(Context, V) tea.Cmd) func(Context) tea.Cmd {
	return func(c Context) tea.Cmd {
		if v, ok := c.View.(V); ok {
			return do(c, v)
		}
		return nil
	}
}
