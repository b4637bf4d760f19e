package link

import (
	"io"
	"net"
	"sync"
	"time"
)

// A memConn is one end of an in-memory connection with an unlimited buffer,
// unlike net.Pipe: in SSH both sides begin by writing.
type memConn struct {
	in, out *memBuffer
}

func memPipe() (a, b net.Conn) {
	one, other := newMemBuffer(), newMemBuffer()
	return &memConn{one, other}, &memConn{other, one}
}

func (c *memConn) Read(p []byte) (int, error)  { return c.in.read(p) }
func (c *memConn) Write(p []byte) (int, error) { return c.out.write(p) }
func (c *memConn) Close() error {
	c.in.close()
	c.out.close()
	return nil
}
func (c *memConn) LocalAddr() net.Addr              { return noAddr{} }
func (c *memConn) RemoteAddr() net.Addr             { return noAddr{} }
func (c *memConn) SetDeadline(time.Time) error      { return errNoDeadline }
func (c *memConn) SetReadDeadline(time.Time) error  { return errNoDeadline }
func (c *memConn) SetWriteDeadline(time.Time) error { return errNoDeadline }

type memBuffer struct {
	mu      sync.Mutex
	changed *sync.Cond
	data    []byte
	closed  bool
}

func newMemBuffer() *memBuffer {
	b := new(memBuffer)
	b.changed = sync.NewCond(&b.mu)
	return b
}

func (b *memBuffer) read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.data) == 0 && !b.closed {
		b.changed.Wait()
	}
	if len(b.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	return n, nil
}

func (b *memBuffer) write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, io.ErrClosedPipe
	}
	b.data = append(b.data, p...)
	b.changed.Broadcast()
	return len(p), nil
}

func (b *memBuffer) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.changed.Broadcast()
}
