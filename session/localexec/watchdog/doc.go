// Package watchdog implements the parent process of a local server on Linux: a
// small process between mcpdbg and the server, one for each server.
//
// Every program that links this package can be a watchdog: if it is started as
// Name with Environ, its main function never runs. The init function of this
// package takes over. The package imports only os and syscall, so that Go
// initialises it before any heavy package and a watchdog costs no more than an
// empty program.
//
// A watchdog inherits the pipes of the server, reads its command from the order
// pipe, starts it with a parent-death signal, and closes its copies of the
// pipes. As a child subreaper it is, while it runs, the ancestor of every
// process that the server starts, whatever they do to their environment, group,
// session or parent. Only the watchdog reaps and signals the leader, whose
// number cannot be reused before it is reaped. At the end of the order pipe,
// because mcpdbg has ended for any reason, it kills every descendant.
package watchdog
