// Package check takes a server through the protocol and reports how each step ended:
// a handshake in each era that it speaks, all lists, calls, requests that must fail,
// a cancellation, and the ways to end it. The rules then check the log of every
// process.
//
// It depends on sessions, but neither on executors nor on screens: the caller of Run
// makes the session of each process. What may end a server, or confuse it for good,
// has a process of its own. A step passed, failed, does not apply, or was not
// checked, each with the reason. An unchecked step is never
// reported as passed.
package check
