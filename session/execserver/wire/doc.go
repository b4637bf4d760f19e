// Package wire is the protocol between a client and an exec server: JSON-RPC messages over a
// Conn, as the exec server of Codex speaks it, with extensions that a server announces.
//
// A process has one sequence, from 1 and without holes, over its output, its exit and its
// closing. The server pushes them as notifications; a client that has missed some reads them
// again by number. Notifications may arrive in another order than that of their numbers, and
// before the response to the start of their process.
//
// The file codex.go holds what is known of one release of Codex only.
package wire
