// Package localexec starts processes on this machine, as package executor
// defines it.
//
// Each process leads a session and a process group of its own, and has two
// output pipes, each read by one goroutine. What it starts is found in four
// ways: by group, by session, by parent, and by a random mark in the
// environment (MCPDBG_MARK), which also finds a daemon that has left all
// three. Terminate kills whatever is found until nothing is found any more.
// Where environments cannot be read (macOS and the BSDs) the mark does not
// help, so that a daemon is not found; on Windows a job object holds them all.
//
// An exit is told behind the output that was in the pipes when it happened:
// the pumps are asked to empty them first, which never waits for more output.
//
// Nothing survives this program: if it is killed, a watchdog, which is the
// same program started a second time, sees the end of a pipe and kills what is
// registered with it. A mark is registered before anything is spawned under
// it. The parent-death signal of Linux is not used: it comes when the thread
// that forked ends, which in Go is no goroutine's to decide, and it would
// reach the leader alone.
package localexec
