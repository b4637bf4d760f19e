// Package imports makes recordings of what other programs wrote about a session:
// logs of mcpsnoop and its JSON export, cassettes of mcp-cassette, logs of
// Claude Desktop, the protocol export of the MCP Inspector, plain JSONL of
// messages with a direction, and what mcpdbg itself exports as JSONL or txtar.
//
// A source is read once, from front to back, so it may come through a pipe. A
// reader of its format makes items of it: a message or a line with its direction
// and time, a process that starts or ends, a remark. The recorder makes entries
// of them: it begins the recording when the first time is known, numbers the
// output, counts and hashes the streams, and ends each process with a closed
// entry, so that the recording verifies like others. What a source had not, such
// as stderr, exact bytes or an exit code, is said in a note at the beginning,
// and the header says that it is an import.
//
// Bytes are those of the source: a message that stands in it as JSON is taken as
// it stands there. What can't be read becomes a note with its first 4 KiB, and
// is counted; nothing is left out without being counted.
//
// Memory is that of the longest line (256 MiB and a little), some three times
// over while its buffer grows or if it is a JSON string, of 64 MiB of entries that wait for earlier ones in formats
// that do not write in order, and of session.Index.
package imports
