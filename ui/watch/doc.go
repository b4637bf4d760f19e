// Package watch shows a watch over files, which restarts the server of a session when
// they change, re-sends the last requests and compares the responses.
//
// A State belongs to one session. A change starts a round in the background, or marks
// one as due while a round runs, the server starts or the watch is paused (watch.go).
// The shell shows its header part, and below the header the last lines of a failed
// build (build.go). The user pauses it, starts a round, or sends the calls that a round
// did not re-send because they may have side effects (actions.go).
package watch
