package link

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"mcpdbg/session/executor"
)

// A wire is the connection under an SSH connection: a socket, the pipes of a
// proxy command, a tunnel through another hop. It knows when it last heard
// something, and remembers the first reason for its end.
type wire struct {
	net.Conn
	hop      string
	alias    string // of hop, as it was typed
	opened   time.Time
	heard    atomic.Int64 // when, since opened
	ack      func()       // asks for acknowledgements without delay; nil: not a socket
	greeting *greeting    // until the version line was handed on
	buffer   []byte       // what is read at once
	ahead    []byte       // of it, what is to be handed on
	greeted  atomic.Bool
	cause    atomic.Pointer[executor.LostError]
	gone     chan struct{} // closed behind the first cause
	// under says why what this runs through has ended, if it has; nil without.
	under atomic.Pointer[func() *executor.LostError]
}

// bulk is a read that was worth waiting for: whoever sends that much does not
// wait for an acknowledgement.
const bulk = 4 << 10

// readAhead is how much is read at once. x/crypto reads 4 KiB and then the rest of
// a packet, which costs more in system calls than a copy in memory does.
const readAhead = 32 << 10

// newWire wraps what leads to hop. With greet the peer is expected to begin with
// a version line.
func newWire(conn net.Conn, hop string, greet bool) *wire {
	w := &wire{Conn: conn, hop: hop, opened: time.Now(), ack: tune(conn), gone: make(chan struct{}), buffer: make([]byte, readAhead)}
	if greet {
		w.greeting = newGreeting(conn)
	}
	return w
}

// Read implements net.Conn. x/crypto reads on one goroutine.
func (w *wire) Read(p []byte) (int, error) {
	if w.greeting != nil {
		return w.readGreeting(p)
	}
	if len(w.ahead) == 0 {
		n, err := w.Conn.Read(w.buffer)
		if n == 0 {
			if err != nil {
				w.broken(err)
			}
			return 0, err
		}
		w.heard.Store(int64(time.Since(w.opened)))
		if w.ack != nil && n < bulk {
			w.ack()
		}
		w.ahead = w.buffer[:n] // an error comes again with the next Read
	}
	n := copy(p, w.ahead)
	w.ahead = w.ahead[n:]
	return n, nil
}

// readGreeting hands on the version line and what came with it.
func (w *wire) readGreeting(p []byte) (int, error) {
	n, err := w.greeting.Read(p)
	if err != nil {
		w.broken(err)
		return n, err
	}
	w.greeted.Store(true)
	w.heard.Store(int64(time.Since(w.opened)))
	if w.greeting.empty() {
		w.greeting = nil
	}
	if w.ack != nil {
		w.ack()
	}
	return n, nil
}

// Write implements net.Conn.
func (w *wire) Write(p []byte) (int, error) {
	n, err := w.Conn.Write(p)
	if err != nil {
		w.broken(err)
	}
	return n, err
}

// said is what the peer said before its version line. It is for who reads the
// wire, or did.
func (w *wire) said() []byte {
	if w.greeting == nil {
		return nil
	}
	return w.greeting.said
}

// Heard is when the last bytes came, or else when the wire was made.
func (w *wire) Heard() time.Time { return w.opened.Add(time.Duration(w.heard.Load())) }

// setUnder sets what says why that through which the wire runs has ended.
func (w *wire) setUnder(f func() *executor.LostError) { w.under.Store(&f) }

// abort ends the wire at once; cause is remembered if it is the first.
func (w *wire) abort(cause *executor.LostError) {
	w.lost(cause)
	_ = w.Close() // whatever it says, nothing comes after it
}

// lost remembers why the wire has ended; cause is the wire's from here on.
func (w *wire) lost(cause *executor.LostError) {
	if cause.Alias == "" && cause.Hop == w.hop {
		cause.Alias = w.alias
	}
	if w.cause.CompareAndSwap(nil, cause) {
		close(w.gone)
	}
}

// broken remembers that reading or writing has failed. That the wire is closed on
// this side is no reason: who closed it has one, or is about to say it.
func (w *wire) broken(err error) {
	if w.cause.Load() != nil || isOurs(err) {
		return
	}
	if under := w.under.Load(); under != nil {
		if below := (*under)(); below != nil {
			w.lost(below)
			return
		}
	}
	w.lost(lostError(w.hop, time.Since(w.opened), err))
}

// failed remembers that the SSH connection has ended by itself: the server has
// said goodbye, or what it sent made no sense.
func (w *wire) failed(err error) {
	cause := lostError(w.hop, time.Since(w.opened), err)
	if said := disconnectText(err); said != "" {
		cause.Code, cause.Err, cause.Said = executor.LostClosed, errPeerClosed, said
	}
	w.lost(cause)
}

var (
	errPeerClosed = errors.New("the other side closed the connection")
	errWeClosed   = errors.New("closed on this side")
	errReset      = errors.New("connection reset")
	errKeepalive  = errors.New("no answer any more")
)

// isReset tells whether err is a connection that was torn down under us.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNABORTED)
}

// isEnd tells whether err is the end of a connection that the other side closed.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || isReset(err)
}

// isOurs tells whether err is the end of a connection that was closed here.
func isOurs(err error) bool { return errors.Is(err, net.ErrClosed) || errors.Is(err, fs.ErrClosed) }

// lostError says why the connection to hop has ended.
func lostError(hop string, after time.Duration, err error) *executor.LostError {
	e := &executor.LostError{Code: executor.LostReset, Hop: hop, After: after, Err: err}
	switch {
	case isOurs(err):
		e.Code, e.Err = executor.LostClosed, errWeClosed
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		e.Code, e.Err = executor.LostClosed, errPeerClosed
		e.Hint = "the server, or something between here and there, ended the connection; its log may say why"
	case isReset(err):
		e.Err = errReset
		e.Hint = "the server was restarted, or something between here and there forgot the connection"
	case errors.Is(err, syscall.ETIMEDOUT):
		e.Code, e.Err = executor.LostKeepalive, fmt.Errorf("%w: %w", errKeepalive, err)
		e.Hint = "check the network, VPN or Wi-Fi"
	}
	return e
}
