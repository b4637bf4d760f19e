// Package link makes connections to hosts over SSH, through the hops that the
// user's ssh configuration sets.
//
// # A dial
//
// Dialer.Dial resolves a destination and its jump hosts, and then connects hop
// by hop: connect, verify the host key under the hop's own name, log in. Each
// step is a phase that the Reporter receives with its time and result; x/crypto
// calls back on its own goroutines, so the phases of a hop are written to a
// trace that Dial's goroutine reads. Every failure is an *executor.StartError,
// made only in classify.go.
//
// # Time
//
// Every wait has a limit: connecting, the key exchange, the login, and opening
// a channel. Time spent in prompts does not count. A step that is too late is
// ended by closing the connection under it: only that ends every wait of
// x/crypto/ssh, even if a connection runs through another one and has no
// deadlines.
//
// # Jump hosts
//
// Dials that go through the same jump hosts at the same time share the
// connections to them: one of them connects, and the others wait for it and
// share its failure too, so that a wrong key is not tried a hundred times. A
// failure is forgotten at once, unless it is a refusal to be remembered
// (Options.RememberRefusals); a connection is closed when its last user has
// left. Shared connections are watched with keepalives; the connection to the
// last hop is not: its user does that.
//
// # Concurrency
//
// Limits bound how many connections to a host are open, how many handshakes
// with a server are in flight, and how many connections share one jump host. A
// dial that has to wait does so in a phase of its own, in which no clock runs.
// A server that closes a connection before its version line is too busy; it is
// tried again after a delay with jitter, and for half a minute the limit of its
// handshakes is halved.
//
// # Transports
//
// The connection that Dial returns is made by this program (native), by an
// OpenSSH client that is already running (master) or by one that is started for
// it (binary). All three are an ssh.Conn in the end.
//
// # Lost connections
//
// A Conn keeps the first reason for its end: the cause given to Abort, a reset,
// or a close by the peer. Later errors are only consequences.
package link
