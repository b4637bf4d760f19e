// Package session is one debugging session with an MCP server: a process of an
// executor, the framing of its streams, an append-only log of all that
// happened, and the requests in flight.
//
// A Session writes the log and never reads it; every view reads the log as a
// Source and never queries the session for events. That is why a recording,
// which is the log on disk, can be shown in the same views as a live session.
//
// The path of a byte: the executor delivers chunks in the order of one
// sequence; the collector splits them into lines, classifies each line, and
// appends a batch of entries to the log; only when the batch is written does it
// deliver responses to their pending calls. In the other direction a message is
// appended to the log first and then written to the pipe. No step needs a
// second goroutine: the collector runs on the goroutine that reads the pipe,
// until it falls behind.
//
// Locks are taken in this order: Session.life (one start, restart or shutdown at a time),
// collector.mu, Session.send (one writer of stdin), and then one of the others, which
// hold no further one but that of the log, or of a paused timeout. The collector appends
// to the log under its lock: one lock orders the entries of a process, whether they come
// from its streams or from timers. Functions of a user run under none of them but life
// (Config.OnPhase and EraMemory, which belong to a start): progress is reported on a
// goroutine of its own, in the order of the log, and Request waits for it.
//
// Servers send requests too: JSON-RPC requests in the legacy era, results that
// ask for input in the modern one. A policy by method decides who answers them.
// A request that a person answers is in ServerRequests until Answer; several
// rounds of input for one request are one call of Request, whose timeout is
// paused meanwhile.
//
// Package session/index builds the data that is derived from entries alone (rows,
// pairs of request and response, counts), both while writing and when opening a
// file.
package session
