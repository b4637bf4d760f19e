// Package demo is the MCP server that is built into mcpdbg: people learn the tool
// with it, and the tests of every other package run it.
//
// [Serve] is a healthy server that speaks both eras of the protocol on one pair of
// pipes: the legacy one (initialize, revisions 2024-11-05 to 2025-11-25) and the
// modern one (2026-07-28: stateless, every request carries its revision in _meta).
// It has a tool, prompt or resource for everything a debugger can show.
//
// [Misbehave] is a collection of servers with exactly one fault each, named in
// [Kinds]. Apart from it such a server works, so that a session can continue around
// the fault. Faults of bytes (stray text, CRLF, a byte order mark) are the healthy
// server behind a function that spoils its lines; faults of the protocol are hooks on
// its requests; faults of the process (children that hold pipes, ignored signals) run
// this program again with a kind of its own.
//
// No MCP library is used: what the server sends is written by hand, so that it can be
// wrong in the ways that real servers are. Every process that is meant to outlive
// something has a lifespan, the parameter of its kind, so that a forgotten one does
// not stay forever.
package demo
