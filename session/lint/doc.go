// Package lint finds what is wrong with an MCP session, from its log alone: the
// rules of the protocol over framing (FRM), JSON-RPC (RPC) and the life of the
// process (PRC).
//
// Rules are data: see [Rules]. [Check] looks at a whole log; a [Linter] looks at
// a log that grows, a bounded step at a time, and ends with the same findings
// whatever the steps were. It reads a session.Source and nothing else, so that a
// live session and its recording have the same findings. Nothing is stored in
// the log.
//
// What it costs: every message is read and scanned once more, so a linter does
// one or two microseconds of work for a small message. It is never in the way of
// the log: behind a flood it lags, and Looked says by how much. Memory is
// bounded: of requests that are open, settled ids, and findings each there is a
// largest number; findings beyond it are counted.
//
// What is not looked into: the inside of a line over MaxLine (FRM09 tells of
// it; its kind, its size and the request that it answers are known from its
// row), lines that came in parts, stderr lines beyond their first 64 KiB, and
// rows whose bytes the recording has given up (Looked counts them).
//
// What the log does not tell is no rule here: that the server closed its stdout
// and lives on, for instance, is in no entry.
package lint
