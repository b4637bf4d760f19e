// Package executor is the contract between a debugging session and the place
// where a server runs: an Executor starts processes on this machine or on a
// host over SSH, and a Process tells everything that happens to it.
//
// # One sequence
//
// Each process has one sequence, from 1 and without holes. Every chunk of
// standard output and standard error takes the next number when it arrives,
// and so do Exited and Closed. A process that writes to both and ends with 7
// is told as
//
//	1 stdout "out"
//	2 stderr "err"
//	3 Exited 7
//	4 Closed
//
// Exited may come before the last output, because a descendant can hold a pipe
// open; Closed is always last: the exit is known and both streams have ended,
// or Terminate has cut them. A process that is lost, with its connection, ends
// in Failed instead, which takes no number.
//
// # Retention
//
// Output stays readable by number: DefaultRetain bytes and MaxChunks chunks of
// it, and Retention long after Closed. A Subscription begins with what is
// retained and goes on with what comes, without gap or repeat at the seam.
// What was evicted before a reader came is told as a Gap, with its numbers.
//
// # Falling behind
//
// Events wait for a subscriber in a queue of QueueLen. When more output comes,
// the oldest falls out and the subscriber is told Lagged; it reads what it
// missed from what is retained, with Subscription.Read, and goes on. Neither
// the process nor any other subscriber is slowed by it.
//
// A pinned subscriber loses nothing that way: output that it has not taken is
// not evicted. When it is PinLimit behind, the pumps stop reading the pipes, so
// that in the end the process waits: that is a hold, and a Held event tells of
// it. With OverrunDrop the pumps go on instead, the oldest output is dropped
// down to half the limit, and a Gap tells exactly what.
//
// Lifecycle events are never dropped, and keep their place among the output.
// Events without a number overtake output that waits.
//
// # Handlers
//
// A subscriber with a Handler is called on the goroutine that has read the
// pipe, so that an answer can be on its way without any change of goroutine. A
// handler that takes longer than a millisecond is from then on called on a
// goroutine of its own until it has caught up, so that it never keeps a pipe
// from being read. Calls never overlap, and are in the order of the sequence.
//
// # For those who write an executor
//
// Journal, Stdin, Slab and Table are the parts that every executor shares: the
// sequence with its subscribers, the way to standard input, the memory of
// chunks, and the table of ids. Package exectest holds the tests that every
// executor passes.
package executor
