// Package link makes connections to hosts over SSH, through whatever hops the
// user's ssh configuration sets before them.
//
// # A dial
//
// Dialer.Dial resolves a destination and its jump hosts, and then goes from hop
// to hop: connect, verify the host key under the hop's own name, log in. Each
// step is a phase that the Reporter is told of, with its time and what came of
// it; x/crypto calls back on goroutines of its own, so the phases of a hop are
// written to a trace that Dial's goroutine reads aloud. Every failure is an
// *executor.StartError, made in classify.go and nowhere else.
//
// # Time
//
// Every wait has a limit: connecting, the key exchange, the login, and opening a
// channel. Time in which a person is asked does not count. What is too late is
// ended by closing the connection under it, for that is all that ends every wait
// of x/crypto/ssh, also where a connection runs through another one and knows no
// deadlines.
//
// # Jump hosts
//
// Dials that go through the same jump hosts at the same time share the
// connections to them: of many dials one connects and the others wait for it,
// and share its failure too, so that a wrong key is not tried a hundred times. A
// failure is forgotten at once, unless a refusal is to be remembered
// (Options.RememberRefusals); a connection is closed when its last user is gone.
// Shared connections are watched with keepalives; the connection to the last hop
// is not, that is for who runs something on it.
//
// # Many at once
//
// Limits bound how many connections to a host are open, how many handshakes with
// a server are under way, and how many connections share one jump host. Who has
// to wait does so in a phase of its own, in which no clock runs. A server that
// closes a connection before its version line is too busy, and is tried again
// after a while that jitters; for half a minute the limit of its handshakes is
// half of what it was.
//
// # Transports
//
// The connection that Dial returns is spoken by this program (native), by an
// OpenSSH client that was there before (master) or by one that is started for it
// (binary). All three are an ssh.Conn in the end.
//
// # Losing it
//
// A Conn remembers the first reason for its end: who aborted it and why, a
// reset, or that the peer closed it. What comes later is only consequence.
package link
