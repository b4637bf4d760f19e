// Package demo is the MCP server that is built into mcpdbg: people learn the
// tool on it, and the tests of every other package run it.
//
// There are two halves.
//
// [Serve] is a healthy server that speaks both eras of the protocol on one
// pair of pipes: the legacy one (initialize, revisions 2024-11-05 to
// 2025-11-25) and the modern one (2026-07-28: stateless, every request carries
// its revision in _meta). It has a tool, prompt and resource for everything a
// debugger can show: forms, progress, cancellation, questions to the person,
// subscriptions, pages, logs, large answers and floods.
//
// [Misbehave] is a collection of servers with exactly one fault each, named in
// [Kinds]. But for its fault such a server behaves: it shakes hands, answers,
// and ends at the end of stdin, so that a session can go on around the fault.
// The faults at the level of bytes (stray text, CRLF, a byte order mark) are
// the healthy server behind a function that spoils its lines; faults at the
// level of the protocol are hooks on its requests; faults of the process
// (children that hold pipes, ignored signals) start further processes, by
// running this program again with a kind of its own.
//
// Nothing here uses an MCP library: what the server sends is written out by
// hand, so that it can be wrong in the ways that real servers are.
//
// Every process that is meant to outlive something has a lifespan
// ([DefaultLifespan]), so that a forgotten one does not stay for ever.
package demo
