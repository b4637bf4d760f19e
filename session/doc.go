// Package session is one debugging session with an MCP server: a process of an
// executor, the framing of its streams, an append-only log of all that
// happened, and the requests that are under way.
//
// A Session writes the log and never reads it; every view reads the log, as a
// Source, and never asks the session what happened. That is why a recording,
// which is the log on disk, can be shown in the same views as a live session.
//
// The way of a byte: the executor delivers chunks in the order of one sequence;
// the collector splits them into lines, classifies each line, and appends a
// batch of entries to the log; only when the batch is written does it hand
// responses to those who wait for them. In the other direction a message is
// appended to the log first and then given to the pipe. Nothing on that way
// needs a second goroutine: the collector runs where the pipe is read, until it
// falls behind.
//
// A server has questions of its own: requests in the legacy era, results that
// ask for input in the modern one. A policy by method says who answers them. What
// a person answers is an Ask, in Asks until Answer; rounds of questions about one
// request are one call of Request, whose clock stands still meanwhile.
//
// What is derived from entries alone (rows, pairs of request and response,
// counts) is built by Index, the same way while writing and when opening a
// file.
package session
