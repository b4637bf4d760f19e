// Package wire shows the rows of a session in three lists: the traffic, stderr and the
// events. Lists is all of them with the search.
//
// The traffic has three views: a row for each exchange, for each message, or for each
// entry of the log.
//
// The rows themselves are in the index of the workspace. A lens chooses those that the
// traffic lists, by its view and a filter. A scan finds the rows of a filter, a find
// looks for the next match, a count counts all matches; each works in steps of a few
// milliseconds outside of the program's goroutine, the newest rows first, and can be
// cancelled.
package wire
