// Package execserver starts processes through an exec server: the one of Codex, or one of our
// own, which announces extensions. It knows no transport: Options.Dial makes the connection.
//
// A session is one session there, over one connection after the other: when a connection is
// lost and the server keeps the session, another one resumes it, missed output is read again by
// number, and unanswered writes are sent again under their ids. A remote is a process of the
// session as the protocol knows it: it puts what happens into the order of the sequence. A
// process is the backend of a process in the table: guarded, if its server knows neither pids nor
// signals, by the scripts of package guard, with standard input through a pump; otherwise by the
// server.
//
// One goroutine reads a connection, and never waits for a process: each has a queue of its own.
// Another one writes, so that no process waits for the connection, but for what certainly fits
// into its buffer.
package execserver
