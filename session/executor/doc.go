// Package executor is the contract between a debugging session and the place
// where a server runs: an Executor starts processes on this machine or on a
// host over SSH, and a Process reports everything that happens to it.
//
// # One sequence
//
// Each process has one sequence, from 1 and without holes. Every chunk of
// standard output and standard error takes the next number when it arrives, and
// so do Exited and Closed. A process that writes to both and exits with 7 is
// reported as
//
//	1 stdout "out"
//	2 stderr "err"
//	3 Exited 7
//	4 Closed
//
// Exited may come before the last output, because a descendant can hold a pipe
// open; Closed is always last: the exit is known and both streams have ended,
// or Terminate has cut them. A process that is lost together with its
// connection ends with Failed instead, which takes no number.
//
// # Retention
//
// Output stays readable by number: DefaultRetain bytes and MaxChunks chunks of
// it, and Retention long after Closed. A Subscription begins with the retained
// output and continues with new output, without gap or repeat at the seam.
// Output that was evicted before is reported as a Gap, with its numbers.
//
// # Falling behind
//
// Each subscriber has a queue of QueueLen events. When it overflows, the oldest
// output is dropped from it and the subscriber gets Lagged; it reads the missed
// output from the retained output with Subscription.Read and goes on. This
// slows neither the process nor other subscribers.
//
// A pinned subscriber loses nothing: output that it has not taken is not
// evicted. When it is PinLimit behind, the pumps stop reading the pipes, so
// that the process eventually blocks: that is a hold, and a Held event reports
// it. With OverrunDrop the pumps go on instead, the oldest output is dropped
// down to half the limit, and a Gap gives the exact range.
//
// Lifecycle events are never dropped, and keep their position in the output.
// Events without a number overtake queued output.
//
// # Handlers
//
// A Handler is called on the goroutine that has read the pipe, so that a
// response is delivered without a change of goroutine. A handler that takes
// longer than a millisecond is then called on its own goroutine until it has
// caught up, so that it never keeps a pipe from being read. Calls never
// overlap, and are in the order of the sequence.
//
// # Writing an executor
//
// An executor is a Table with a Backend for each process. The Table makes the
// Base of a process, which is the same everywhere: its id and state, the Journal
// with the sequence and its subscribers, the pumps, standard input, and the
// order of a start and of an end. The Backend does what depends on the place: it
// spawns, lists, signals and kills. Package exectest holds the tests that every
// executor must pass.
package executor
