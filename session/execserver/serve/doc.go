// Package serve is an exec server: it starts processes for clients that speak the protocol
// of package wire over a stream.
//
// A session owns processes and has at most one connection. Without keep it ends with its
// connection. With keep it stays for that time, and can be resumed by its id; with its
// token also while it is attached, which replaces the connection. A connection that has
// asked for the status once must be heard from for as long as keep and wire.KeepSlack, or
// the session ends.
//
// The reader of a connection never waits: it executes writes in order as far as standard
// input takes them, and everything else on other goroutines. Output is encoded and written
// on the goroutine that has read it from the process, without a hop.
//
// The journal of a process is the only copy of its output. If a connection is gone or does
// not read, the process notes only how far it has pushed, and continues from the journal;
// when it is too far behind, the process is held at its pipe.
package serve
