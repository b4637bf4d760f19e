// Package wire shows the rows of a session in three lists: the traffic, stderr
// and the events. Lists is all of them with the search.
//
// The traffic has three views: a row for each exchange, in exchange.go with the
// summaries of its messages, a row for each message, in row.go, and a row for each
// entry of the log. fold.go folds and unfolds rows.
//
// The rows themselves are in the index of the workspace. A lens chooses those
// that the traffic lists, by its view and a filter. A scan finds the rows of a filter, a find looks for the next match, a
// count counts all matches; each works in steps of a few milliseconds outside of
// the program's goroutine, the newest rows first, and can be cancelled.
package wire
