// Package compare is the screen that shows how two sessions, or two calls, differ.
//
// A view holds one comparison, which a command makes in the background. It shows one of
// four lists at a time: the exchanges of both sessions, groups of equal differences,
// values that are equal by type only, and response times. Below the exchanges it shows
// both messages of the exchange under the cursor, side by side: corresponding values share
// a row, and equal parts are folded.
//
// A comparison of two calls of one session shows only their messages, with the same engine
// and rules on the rows of both.
//
// A State is shared by all sessions of the program. It keeps the latest comparison, with
// its cursors and the rules that the user has added, and lets other screens show a
// comparison of their own.
package compare
