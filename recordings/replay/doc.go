// Package replay re-sends the client's messages of a recording to a server.
//
// [New] reads a recording, any session.Source, and makes a [Plan]: the requests,
// notifications and raw bytes that the client wrote, in order, each with what must come
// before it. A Plan can be inspected before it runs: what will be sent, what will be
// skipped, and why. [Plan.Configure] makes the session.Config match the recorded
// client, and [Plan.Run] sends everything through an open session.
//
// A replay keeps causes, not times. A request is sent as soon as all responses have
// arrived that arrived before it in the recording, so that as many requests are in
// flight as there were then. Nothing is invented: a request of the server gets the
// recorded response to the same request, or none.
//
// Values that a server generates for each session (tokens, cursors, task ids) can't be
// sent as recorded. A [Variable] is a text that the client first got from the server
// and then sent: the replay sends the text that the current server returns in the same
// place.
//
// A call that became a task is followed to the end of the new task, at the pace of the
// server: recorded polls are not sent, and neither is a recorded cancellation of the
// task.
//
// Tool calls can have side effects. So a call is only sent if the server's own list
// marks the tool as read-only, or if the user allows it: see [Options].
//
// The handshake is not replayed: the session performs its own, in the recorded era if
// possible. Pings are skipped, too.
//
// # Restarting a server
//
// A [Series] is for developers who change a server while they debug it. It belongs to
// one session with one log: each round is another process in it. [Series.Begin]
// requests everything that the first process offers; [Series.Rerun] plans from the log
// what to re-send, ends the process, starts the next one, sends the requests, and
// compares the responses with the previous ones. A [Round] is the result.
//
// A series only re-sends requests that the person made, the last different ones, and
// without confirmation only those that are read-only: requests of the protocol for
// which mcp.OnlyReads is true, and calls of tools that the server currently marks as
// read-only. All others are kept: [Series.SendHeld] sends them, and [Series.Always]
// sends those of some tools from then on. Notifications, and messages that can only be
// replayed as raw bytes, are never re-sent.
package replay
