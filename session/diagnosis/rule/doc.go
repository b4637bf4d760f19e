// Package rule finds problems in an MCP session from its log alone, by the rules of
// the protocol for framing (FRM), JSON-RPC (RPC) and the process lifecycle (PRC).
//
// Rules are data: see [All]. [Check] reads a whole log. A [Checker] follows a
// growing log in bounded steps and ends with the same problems, whatever the
// steps were. Both read only a session.Source, so a live session and its
// recording have the same problems. Nothing is stored in the log.
//
// Every message is read and scanned once more, which takes one or two
// microseconds for a small message. Which messages belong together is a step of
// exchange.Follower. A checker never blocks the log: it lags behind
// a flood, and Progress returns how far it is. Memory is bounded: there are limits
// on the open requests, the settled ids and the problems; further problems are
// only counted.
//
// Not checked: the contents of lines longer than maxLine (FRM09 reports them;
// their kind, size and request are known from the row), lines that came in parts,
// stderr lines beyond their first 64 KiB, and rows whose bytes the recording no
// longer has (Progress counts them).
//
// There are no rules for events that the log does not show, for example a server that
// closes its stdout and keeps running.
package rule
