// Package watch shows a watch over files, which restarts the server of a session when
// they change, re-sends the last requests and compares the responses.
//
// A State belongs to one session. A change starts a round in the background, or marks
// one as due while a round runs, the server starts or the watch is paused. The user
// pauses it, starts a round, or sends the calls that a round did not re-send because
// they may have side effects.
package watch
