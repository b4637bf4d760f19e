// Package replay is the screen that sends the messages of a recording to a new process.
//
// A view shows the plan first: the command, the values that are kept out of recordings,
// and the messages, of which the user includes those that may have side effects. After a
// confirmation the Launcher creates a session.
//
// A State belongs to one session and runs the plan in it, in the background. In the end
// it compares the session with the recording.
package replay
