// Package localexec starts processes on this machine, as package executor
// defines it.
//
// Each process leads a session and a process group of its own, and has two
// output pipes, each read by one goroutine. On Linux its parent is a watchdog
// (package watchdog), a child subreaper: all that the process starts stays its
// descendant, whatever it does to its environment, group, session or parent.
// Elsewhere, and where no watchdog can be started, what it starts is found by
// group, session and parent, by a random mark in the environment (MCPDBG_MARK),
// where environments can be read, and because it was seen before: looks are
// taken soon after the start, every two seconds, and before each step against
// it. StopReport.CannotTell then says that one may have been missed. On Windows
// a job object holds them all. Terminate kills whatever is found until nothing is
// found any more.
//
// An exit is told behind the output that was in the pipes when it happened:
// the pumps are asked to empty them first, which never waits for more output.
//
// Nothing survives this program: if it is killed, the watchdog of each process
// sees the end of a pipe and kills its descendants. A process without one is
// registered by its mark, before anything is spawned under it, with one watchdog
// over all (Watchdog), which kills what is registered. The leader gets no
// parent-death signal from this program: it comes when the thread that forked
// ends, which the Go runtime decides, and it would reach the leader
// alone. It gets one from its watchdog, which has forked on its main thread.
package localexec
