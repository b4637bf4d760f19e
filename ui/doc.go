// Package ui is the terminal interface: one program that shows a log and lets
// a person act on the server behind it.
//
// There is one Bubble Tea model, App. State changes in App.Update and nowhere
// else; what may take time runs in a command with a context, and its result
// comes back as a message. A key becomes an action by way of the table in
// actions.go, and App.Do carries actions out; panes are never told of keys, so
// keys, tests and whatever else wants to act come in by one door.
//
// Messages of the server do not travel through the program. A pump rings once
// a frame at most when the log has changed, and Update then lists the new
// rows by pane, four bytes each. What is on the screen is read from the log
// by row number when it is painted, so a frame costs the same at ten rows and
// at ten million. What looks through the log, a filter or a search, does so
// in steps of a few milliseconds, newest rows first, each step a command of
// its own.
//
// Where a process is, how its start went and what became of the connection to
// it is told by a story, which is made of the events of the log, so that it is
// the same for a recording. Only clocks that run come from the session itself.
//
// A Prompter brings questions of an executor to the person, in a dialog that no
// server can imitate; see there for why.
//
// View returns a frame that is painted only when something on it has changed,
// pane by pane. Text from outside gets into it only through package termsafe.
package ui
