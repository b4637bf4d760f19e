// Package localexec implements an executor.Executor on this machine.
//
// Each process leads its own session and process group and has two output
// pipes, each read by one goroutine. On Linux the standard output of up to eight
// processes is read without polling, with a thread for each, because a writer pays
// for each write into a pipe that was polled; that of the others, and standard
// error, is polled.
//
// On Linux the parent of a process is a watchdog (package watchdog), a child subreaper: everything that the process starts stays a
// descendant of the watchdog, whatever it does to its environment, group,
// session or parent. On other systems, and if no watchdog can be started,
// descendants are found by group, session and parent, by a random mark in the
// environment (MCPDBG_MARK), where environments can be read, and because they
// were seen before: the process list is read soon after the start, every two
// seconds, and before each step. StopReport.CannotTell then says that some may
// have been missed. On Windows a job object holds them all. Terminate kills all
// processes that it finds until it finds none.
//
// An exit is reported after the output that was in the pipes when it happened:
// the pumps empty them first, which never waits for more output.
//
// No process survives this program: if it is killed, the watchdog of each
// process sees the end of a pipe and kills its descendants. A process without
// one is registered by its mark, before anything is spawned with it, with a
// shared watchdog (Watchdog), which kills the registered processes. The leader
// gets no parent-death signal from this program: it would come when the forking
// thread ends, which the Go runtime decides, and it would reach only the
// leader. It gets one from its watchdog, which forks on its main thread.
package localexec
