package link

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// masterGrace bounds the wait for a reply of the server, and then for the master.
const masterGrace = 2 * time.Second

// A masterConn is the connection to an OpenSSH master, which carries the other
// sessions of its user. OpenSSH (9.2, for one) crashes when a client closes the
// socket at the wrong moment: while the server has not yet confirmed a channel
// (it cannot close what has no remote id), or while it has data to write to the
// client (it keeps a pointer to the freed client in the client's channels).
// Close therefore waits until no channel is being opened, closes the sending
// direction, and receives until the master has closed the other one.
type masterConn struct {
	*net.UnixConn
	opens    taskGroup // the channels that are being opened
	once     sync.Once
	reading  sync.Mutex // held while one goroutine receives
	draining atomic.Bool
	closed   chan struct{}
}

// Read implements net.Conn.
func (m *masterConn) Read(p []byte) (int, error) {
	m.reading.Lock()
	defer m.reading.Unlock()
	if m.draining.Load() {
		return 0, net.ErrClosed
	}
	n, err := m.UnixConn.Read(p)
	if err != nil && m.draining.Load() {
		err = net.ErrClosed // not the deadline that woke it
	}
	return n, err
}

// Close begins to close the connection; wait returns when it is closed.
func (m *masterConn) Close() error {
	m.once.Do(func() { go m.end() })
	return nil
}

// Close must have been called.
func (m *masterConn) wait() { <-m.closed }

func (m *masterConn) end() {
	defer close(m.closed)
	defer m.UnixConn.Close()
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		m.opens.wait()
	}()
	select {
	case <-opened:
	case <-time.After(masterGrace):
	}
	// An error of these calls means that the master has gone.
	m.draining.Store(true)
	_ = m.CloseWrite()
	_ = m.SetReadDeadline(time.Now()) // wakes Read
	m.reading.Lock()
	defer m.reading.Unlock()
	_ = m.SetReadDeadline(time.Now().Add(masterGrace))
	_, _ = io.Copy(io.Discard, m.UnixConn)
}
