// Package mcp holds facts of the Model Context Protocol that several packages
// need: revisions, eras, names of methods and of reserved _meta keys, error
// codes. It is data; it does no I/O.
//
// The protocol has two eras. In the legacy era (up to 2025-11-25) a session
// begins with the initialize handshake and either side may send requests. In
// the modern era (from 2026-07-28) there is no handshake: every request carries
// its version and capabilities in _meta, a client queries the server with
// server/discover, and a server never sends requests but asks for input in its
// results.
package mcp
