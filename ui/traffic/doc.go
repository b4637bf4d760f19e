// Package traffic shows the rows of a session in three lists: the traffic, stderr and the
// events; and the time that they took.
//
// Lists is all three lists with the search. The traffic has three views: a row for each
// exchange, for each message, or for each entry of the log. The rows themselves are in
// the index of the workspace. A listing chooses those that the traffic lists, by its view
// and a filter. A scan finds the rows of a filter, a find looks for the next match, a
// count counts all matches; each works in steps of a few milliseconds outside of the
// program's goroutine, the newest rows first, and can be cancelled.
//
// The time view has three tabs: a waterfall of the exchanges, the sequence of messages
// between client and server, and the latency of each method and tool. The first two list
// the rows of the index, and lay out those that are visible. The latencies are counted
// while rows are appended; only the names of tools are read here, in the background. With
// a filter, or at an earlier moment of a recording, a gathering reads the rows that pass.
package traffic
