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

// A wire is the connection under an SSH connection: a socket, the pipes of a proxy
// command, or a tunnel through another hop. It records when it last received data, and
// the first reason for its end.
type wire struct {
	net.Conn
	hop      string
	alias    string // as typed
	opened   time.Time
	heard    atomic.Int64 // of the last input, since opened
	ack      func()       // requests immediate acknowledgements; nil: not a socket
	greets   bool         // the peer begins with a version line
	greeting *greeting    // until that was returned
	buffer   []byte
	ahead    []byte // of buffer, data to return
	greeted  atomic.Bool
	cause    atomic.Pointer[executor.LostError]
	gone     chan struct{} // closed after the first cause
	onLost   atomic.Pointer[func(*executor.LostError)]
	// why the connection below has ended, if it has; nil without
	under atomic.Pointer[func() *executor.LostError]
}

// A peer that sends that much at once does not wait for an acknowledgement.
const bulk = 4 << 10

// x/crypto reads 4 KiB and then the rest of a packet, which costs more in system calls
// than a copy in memory does.
const readAhead = 32 << 10

// If greets is set, the peer is expected to begin with a version line.
func newWire(conn net.Conn, hop string, greets bool) *wire {
	w := &wire{Conn: conn, hop: hop, opened: time.Now(), ack: tune(conn), gone: make(chan struct{}), buffer: make([]byte, readAhead), greets: greets}
	if greets {
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
		w.ahead = w.buffer[:n] // the next Read returns an error again
	}
	n := copy(p, w.ahead)
	w.ahead = w.ahead[n:]
	return n, nil
}

// readGreeting returns the version line and the data that came with it.
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

// Write implements net.Conn. Data for a peer that has ended before its version line is
// dropped: Read returns what it said.
func (w *wire) Write(p []byte) (int, error) {
	n, err := w.Conn.Write(p)
	if isEnd(err) && w.greets && !w.greeted.Load() {
		return len(p), nil
	}
	if err != nil {
		w.broken(err)
	}
	return n, err
}

// said returns what the peer sent before its version line. Only the goroutine that reads
// the wire may call it, or any after that has ended.
func (w *wire) said() []byte {
	if w.greeting == nil {
		return nil
	}
	return w.greeting.said
}

// Heard returns when the last bytes came, or when the wire was made.
func (w *wire) Heard() time.Time { return w.opened.Add(time.Duration(w.heard.Load())) }

func (w *wire) setUnder(f func() *executor.LostError) { w.under.Store(&f) }

// cause is recorded if it is the first.
func (w *wire) abort(cause *executor.LostError) {
	w.lost(cause)
	_ = w.Close() // no input follows, whatever it returns
}

// cause belongs to the wire from here on.
func (w *wire) lost(cause *executor.LostError) {
	if cause.Alias == "" && cause.Hop == w.hop {
		cause.Alias = w.alias
	}
	if !w.cause.CompareAndSwap(nil, cause) {
		return
	}
	close(w.gone)
	if f := w.onLost.Load(); f != nil {
		(*f)(cause)
	}
}

// whenLost calls f with the first cause, maybe twice, before the read or write that found
// it returns: a login that is cut must not take its end for a refusal.
func (w *wire) whenLost(f func(*executor.LostError)) {
	w.onLost.Store(&f)
	if cause := w.cause.Load(); cause != nil {
		f(cause)
	}
}

// A wire closed on this side is not a cause: Close or Abort has one, or is about to
// record it.
func (w *wire) broken(err error) {
	if w.cause.Load() != nil || isClosedHere(err) {
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

// The SSH connection has ended by itself: the server has disconnected, or sent invalid
// data.
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
	errKeepalive  = errors.New("no reply")
)

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNABORTED)
}

// The other side closed the connection.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || isReset(err)
}

func isClosedHere(err error) bool {
	return errors.Is(err, net.ErrClosed) || errors.Is(err, fs.ErrClosed)
}

func lostError(hop string, after time.Duration, err error) *executor.LostError {
	e := &executor.LostError{Code: executor.LostReset, Hop: hop, After: after, Err: err}
	switch {
	case isClosedHere(err):
		e.Code, e.Err = executor.LostClosed, errWeClosed
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		e.Code, e.Err = executor.LostClosed, errPeerClosed
		e.Hint = "the server, or a device on the way, ended the connection; check the server's log"
	case isReset(err):
		e.Err = errReset
		e.Hint = "the server was restarted, or a device on the way dropped the connection"
	case errors.Is(err, syscall.ETIMEDOUT):
		e.Code, e.Err = executor.LostKeepalive, fmt.Errorf("%w: %w", errKeepalive, err)
		e.Hint = "check the network, VPN or Wi-Fi"
	}
	return e
}
