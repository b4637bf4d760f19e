// Package workspace holds the data of one session or recording on the screen.
// It knows nothing of panes, keys or painting: screens read a Workspace, and
// the program updates it.
//
// A Workspace has a source, the log of a session or a recording, and derives
// everything shown about it in a Projection: the Index of rows by pane with its
// Exchanges, the Lifecycle of the process, the Problems in the log, their
// likely causes, and the catalog of the server. A projection pulls new rows in
// steps of limited size, so that a long recording does not delay the first
// frame.
//
// A session has one projection. A recording may have two more: one of its last
// rows while the rest is being read, and one of the past moment that the player
// shows. Shown is the one on the screen.
//
// The other fields cannot be derived from the log: pending calls, notes,
// subscriptions, and the state of the running session.
//
// A Workspace must be used by the program's goroutine only, except for the
// methods of Call that the session calls.
package workspace
