package link

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

const (
	// tunnelChunk is the largest packet of a channel.
	tunnelChunk = 32 << 10
	// tunnelQueue is how many bytes may wait to be written, like the buffer of a socket.
	tunnelQueue = 256 << 10
)

// A tunnel is a channel through another connection, as a net.Conn whose Close ends every
// Read and Write at once. Closing only the channel ends a Read when the other side
// replies, which a dead one does not.
type tunnel struct {
	channel    ssh.Channel
	closed     chan struct{}
	closeOnce  sync.Once
	full, free chan []byte // chunks that were read, and the buffers to read into
	rest       []byte
	chunk      []byte
	readErr    error // why full was closed

	mu       sync.Mutex
	changed  *sync.Cond // of all fields below
	queue    []byte     // to be written
	ended    bool       // by Close
	writeErr error
}

// newTunnel takes over channel. Its goroutines belong to tasks and end with the channel,
// or with the connection that carries it.
func newTunnel(channel ssh.Channel, requests <-chan *ssh.Request, tasks *taskGroup) *tunnel {
	t := &tunnel{
		channel: channel,
		closed:  make(chan struct{}),
		full:    make(chan []byte, 2),
		free:    make(chan []byte, 2),
	}
	t.changed = sync.NewCond(&t.mu)
	t.free <- make([]byte, tunnelChunk)
	t.free <- make([]byte, tunnelChunk)
	started := tasks.run(func() {
		var pumps sync.WaitGroup
		pumps.Go(func() { ssh.DiscardRequests(requests) })
		pumps.Go(func() { _, _ = io.Copy(io.Discard, channel.Stderr()) }) // unused, by RFC 4254
		pumps.Go(t.pumpIn)
		t.pumpOut()
		pumps.Wait()
	})
	if !started {
		_ = channel.Close()
		_ = t.Close()
	}
	return t
}

func (t *tunnel) pumpIn() {
	defer close(t.full)
	for {
		var buf []byte
		select {
		case buf = <-t.free:
		case <-t.closed:
			// There is no reader left, but input uses up the window.
			_, _ = io.Copy(io.Discard, t.channel)
			return
		}
		n, err := t.channel.Read(buf)
		if n > 0 {
			t.full <- buf[:n] // has room for every buffer
		}
		if err != nil {
			t.readErr = err
			return
		}
	}
}

// pumpOut closes the channel in the end.
func (t *tunnel) pumpOut() {
	var spare []byte
	for {
		t.mu.Lock()
		for len(t.queue) == 0 && !t.ended {
			t.changed.Wait()
		}
		data := t.queue
		t.queue = spare[:0]
		t.changed.Broadcast()
		t.mu.Unlock()
		if len(data) == 0 {
			break
		}
		if _, err := t.channel.Write(data); err != nil {
			t.mu.Lock()
			t.writeErr = err
			t.changed.Broadcast()
			t.mu.Unlock()
			break
		}
		spare = data
	}
	_ = t.channel.Close() // an error means that it is closed
}

// Read implements net.Conn, for one goroutine.
func (t *tunnel) Read(p []byte) (int, error) {
	if len(t.rest) == 0 {
		if t.chunk != nil {
			t.free <- t.chunk[:tunnelChunk]
			t.chunk = nil
		}
		select {
		case <-t.closed:
			return 0, net.ErrClosed
		default:
		}
		select {
		case chunk, more := <-t.full:
			if !more {
				return 0, t.readErr
			}
			t.chunk, t.rest = chunk, chunk
		case <-t.closed:
			return 0, net.ErrClosed
		}
	}
	n := copy(p, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}

// Write implements net.Conn. It returns when p is queued.
func (t *tunnel) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.queue) > 0 && len(t.queue)+len(p) > tunnelQueue && !t.ended && t.writeErr == nil {
		t.changed.Wait()
	}
	switch {
	case t.ended:
		return 0, net.ErrClosed
	case t.writeErr != nil:
		return 0, t.writeErr
	}
	t.queue = append(t.queue, p...)
	t.changed.Broadcast()
	return len(p), nil
}

// Close ends every Read and Write at once, and closes the channel when the
// queue has been written.
func (t *tunnel) Close() error {
	t.closeOnce.Do(func() {
		close(t.closed)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ended = true
		t.changed.Broadcast()
	})
	return nil
}

// LocalAddr implements net.Conn; the address is unknown, as the other end is on
// the jump host.
func (t *tunnel) LocalAddr() net.Addr { return noAddr{} }

// RemoteAddr implements net.Conn.
func (t *tunnel) RemoteAddr() net.Addr { return noAddr{} }

var errNoDeadline = errors.New("this connection does not support deadlines")

// SetDeadline implements net.Conn, and fails.
func (t *tunnel) SetDeadline(time.Time) error { return errNoDeadline }

// SetReadDeadline implements net.Conn, and fails.
func (t *tunnel) SetReadDeadline(time.Time) error { return errNoDeadline }

// SetWriteDeadline implements net.Conn, and fails.
func (t *tunnel) SetWriteDeadline(time.Time) error { return errNoDeadline }

type noAddr struct{}

func (noAddr) Network() string { return "none" }
func (noAddr) String() string  { return "none" }
