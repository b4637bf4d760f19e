// Package rerun starts the server of a session again and again, asks it what it
// was asked last, and says what changed in its answers.
//
// It is made for people who change a server while they debug it. A [Series] is
// about one session, with one log: each round is another process in it.
// [Series.Begin] asks the first process for all that it offers; [Series.Again]
// plans what to send out of the log, ends the process, starts the next one, asks
// it, and compares the answers with those that there were. A [Round] is what
// came of it.
//
// What is sent are requests that the person made, the last different ones, by one
// rule: without asking only what only reads. Those are the requests of the protocol
// that do (lists, resources/read, prompts/get, completion/complete and the like,
// see mcp.OnlyReads), and calls of tools that the server says now are read-only.
// All other requests are not sent, and not forgotten: [Series.Rest] sends them, and
// [Series.Always] those of some tools from then on. Notifications, and messages that
// can only be replayed as raw bytes, are never re-sent.
package rerun
