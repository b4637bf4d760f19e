// Package edit puts mcpdbg tap before servers in the config files of MCP clients, and
// takes it away again.
//
// An edit replaces the bytes of one command and its arguments; the rest of a file stays as
// it is. Wrap and Unwrap edit text, an Editor edits files: with a lock, replaced at once,
// read again before and after. It remembers what an entry was, so that unwrapping gives
// back the same bytes. If another program has rewritten the file in between, the entry is
// unwrapped by what it means.
package edit
