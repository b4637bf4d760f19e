// Package detail shows one row of a log in full: its content for reading, the message as
// a tree, its exact text, its bytes, a request next to its response, or stderr around
// the time of the row.
//
// A Pane is one of the rectangles of the screen. The choice of a view is kept for each
// method. A long message is read, divided and searched in a command; only one is read at
// a time.
//
// Over the tree, a line of jq can be typed; its result replaces the tree. Expressions
// run in commands, within limits of time and memory.
package detail
