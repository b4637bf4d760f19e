// Package replay is the screen that sends the messages of a recording to a new
// process.
//
// A view (view.go, paint.go) shows the plan first: the command, the values that are
// kept out of recordings, and the messages, of which the user includes those that
// may have side effects. After a confirmation it has the Launcher create a session.
//
// A State (run.go) belongs to one session and runs the plan in it, in the
// background. The shell draws its progress among the pending calls. In the end it
// compares the session with the recording.
package replay
