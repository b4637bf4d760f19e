// Package ui is the terminal interface: it shows a log and lets the user act on
// the server behind it.
//
// There is one Bubble Tea model, App. State changes only in App.Update. Slow
// work runs in a command with a context, and its result comes back as a
// message. The table in actions.go maps keys to actions; sessionScreen.Do
// carries them out. Panes never see keys, so keys, tests and the palette all
// act through Do.
//
// Messages of the server are not Bubble Tea messages. At most once a frame, a
// pump signals that the log has changed, and Update lists the new rows by pane,
// four bytes each. Painting reads the visible rows by number, so a frame costs
// the same at ten rows and at ten million. Filters and searches scan the log in
// steps of a few milliseconds, newest rows first, each step a command.
//
// The place of a process, the steps of its start and the state of its
// connection are derived from the events of the log by a Lifecycle, the same
// for a recording. Only running clocks come from the session.
//
// A Prompter shows the questions of an executor in a dialog that no server can
// imitate.
//
// View repaints only the panes that have changed. Text from outside enters a
// frame only through package termsafe.
package ui
