// Package replay sends what a client sent in a recording to a server once more.
//
// [New] reads a recording, any session.Source, and makes a [Plan]: the requests,
// the notifications and the raw bytes that the client wrote, in their order,
// each with what had to come before it. A Plan can be looked at before anything
// runs: what would be sent, and what would not, and why. [Plan.Configure] makes
// the session.Config speak as the recorded client did, and [Plan.Run] sends it
// all through a session that is open.
//
// What is replayed is the cause of things and not their clock. A request goes
// out when all those answers have come that had come before it when it was
// recorded, so as many are under way at once as were then. Nothing is invented:
// what the server asks of its client gets the recorded answer to the same
// question, or none.
//
// What a server makes up anew each time (ids of requests are ours, tokens,
// cursors, ids of tasks) can't be sent as it was recorded. A [Variable] is a
// text that the client first got from the server and then sent: the text that
// the server of today gives at the same place is sent instead.
//
// Calls of tools do things. So a call goes out only if the server's own list
// says that the tool is read-only, or somebody has said so: see [Options].
//
// The handshake is not replayed: the session shakes hands as always, if it can
// in the era that was recorded. Pings are left out too.
package replay
