//go:build unix

package sshtest

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A Proxy is a TCP proxy that simulates faults of a network. Its methods may be
// called from any goroutine.
type Proxy struct {
	Addr string // host:port

	to       string
	listener net.Listener
	ctx      context.Context
	there    atomic.Int64 // of what clients send
	back     atomic.Int64 // of what they receive
	frozen   atomic.Bool
	accepted atomic.Int64
	work     sync.WaitGroup

	mu    sync.Mutex
	conns map[*net.TCPConn]bool // open ones, of both sides
}

// NewProxy starts a proxy on the loopback interface that connects to addr. It
// ends with the test.
func NewProxy(t testing.TB, addr string) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	p := &Proxy{
		Addr:     listener.Addr().String(),
		to:       addr,
		listener: listener,
		ctx:      ctx,
		conns:    map[*net.TCPConn]bool{},
	}
	p.work.Go(p.accept)
	t.Cleanup(func() {
		cancel()
		_ = listener.Close()
		p.Cut()
		p.work.Wait()
	})
	return p
}

// Conns returns the number of connections that were accepted so far.
func (p *Proxy) Conns() int { return int(p.accepted.Load()) }

// Cut resets all connections, on both sides. New ones are accepted as before.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		reset(c)
	}
}

func reset(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close()
}

// Freeze drops all data from now on, in both directions, on existing and new
// connections, and their ends too. The connections stay open.
func (p *Proxy) Freeze() { p.frozen.Store(true) }

// Delay delays from now on all data that clients send, and all that they
// receive. It does not limit the bandwidth until 32 MiB are in flight. The opening
// of a connection is not delayed.
func (p *Proxy) Delay(there, back time.Duration) {
	p.there.Store(int64(there))
	p.back.Store(int64(back))
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.accepted.Add(1)
		p.work.Go(func() { p.serve(client.(*net.TCPConn)) })
	}
}

func (p *Proxy) serve(client *net.TCPConn) {
	defer p.open(client)()
	var dialer net.Dialer
	conn, err := dialer.DialContext(p.ctx, "tcp", p.to)
	if err != nil {
		return
	}
	server := conn.(*net.TCPConn)
	defer p.open(server)()
	var both sync.WaitGroup
	both.Go(func() { p.copy(server, client, &p.there) })
	both.Go(func() { p.copy(client, server, &p.back) })
	both.Wait()
}

// The returned function closes the connection.
func (p *Proxy) open(c *net.TCPConn) func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[c] = true
	if p.ctx.Err() != nil {
		_ = c.Close()
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, c)
		_ = c.Close()
	}
}

// A parcel is the data of one read, and when to deliver it. The last one has the error of
// the reader.
type parcel struct {
	data []byte
	due  time.Time
	err  error
}

func (p *Proxy) copy(to, from *net.TCPConn, delay *atomic.Int64) {
	const size, underway = 32 << 10, 1024
	parcels := make(chan parcel, underway)
	p.work.Go(func() {
		defer close(parcels)
		for {
			buf := make([]byte, size)
			n, err := from.Read(buf)
			parcels <- parcel{buf[:n], time.Now().Add(time.Duration(delay.Load())), err}
			if err != nil {
				return
			}
		}
	})
	broken := false
	for next := range parcels {
		p.until(next.due)
		if broken || p.frozen.Load() {
			continue
		}
		if _, err := to.Write(next.data); err != nil {
			broken = true
			reset(from)
		}
		switch {
		case errors.Is(next.err, io.EOF):
			_ = to.CloseWrite()
		case next.err != nil:
			reset(to)
		}
	}
	if p.frozen.Load() {
		<-p.ctx.Done() // the end is not delivered
	}
}

// until waits for a point in time, or the end of the proxy.
func (p *Proxy) until(due time.Time) {
	wait := time.Until(due)
	if wait <= 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.ctx.Done():
	}
}
