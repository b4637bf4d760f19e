// Package detail shows one row of a log in full: its content for reading, the message
// as a tree, its exact text, its bytes, a request next to its response, or stderr
// around the time of the row.
//
// A Pane is one of the rectangles of the screen, in pane.go. views.go has the choice
// of a view, which is kept for each method, and the line with their names; heading.go
// has its name, arguments and sequence numbers, there and in the border; pair.go and around.go have
// the views of the two last kinds; parts.go has the actions on parts of the content,
// which package content shows, and actions.go all others. A long message is read,
// divided and searched in a command; only one is read at a time.
//
// Over the tree, a line of jq can be typed, in jqbar.go; its result replaces the
// tree. Expressions run in commands, in jqrun.go, within limits of time and memory.
package detail
