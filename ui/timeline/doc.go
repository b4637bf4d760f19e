// Package timeline shows the time that a session took, in three ways: a waterfall of its
// exchanges, the sequence of messages between client and server, and the latency of each
// method and tool.
//
// The waterfall and the sequence list the rows of the index, and lay out those that are
// visible. The latencies are counted while rows are appended; only the names of tools
// are read here, in the background. With a filter, or at an earlier moment of a
// recording, a gathering reads the rows that pass, in steps outside of the program's
// goroutine.
package timeline
