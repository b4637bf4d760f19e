// Package imports converts logs of MCP sessions that other programs wrote to
// recordings: logs of Claude Desktop, the protocol export of the MCP Inspector, and
// JSONL of messages with a direction, such as the JSONL export of mcpdbg.
//
// A source is read once, from start to end, so it may be a pipe. The reader of its
// format produces items: messages or lines with direction and time, starts and exits
// of processes, and remarks. The recorder converts them to entries: it begins the
// recording when the first time is known, numbers the output, counts and hashes the
// streams, and ends each process with a closed entry, so that the recording verifies
// like any other. A note at the beginning lists what the source lacks, such as stderr,
// exact bytes or an exit code, and the header marks the recording as imported.
//
// Messages keep the bytes of the source. Lines that cannot be read are counted and
// become notes with their first 4 KiB; nothing is skipped without being counted.
//
// Memory: up to three times the longest line (slightly more than 256 MiB), 64 MiB of
// entries in formats that are not in order, and the index.Index.
package imports
