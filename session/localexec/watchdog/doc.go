// Package watchdog is the parent that a local server has on Linux: a small
// process between mcpdbg and the server, one for each server.
//
// Every program that links this package can be a watchdog: started under Name
// with Environ, it never comes to its main function. The init function of this
// package takes over, and the package imports nothing but os and syscall, so
// that Go initialises it before all that is heavy and a watchdog costs no more
// than an empty program.
//
// A watchdog inherits the pipes of the server, reads what to start from the
// order pipe, starts it with a parent-death signal, and closes its copies of the
// pipes. As a child subreaper it is the ancestor of everything that the server
// starts for as long as it runs, whatever that does to its environment, group,
// session or parent. It alone reaps, and it signals the leader, whose number
// cannot be another process's before it was reaped. At the end of the order
// pipe, because mcpdbg has ended however it did, it kills every descendant.
package watchdog
