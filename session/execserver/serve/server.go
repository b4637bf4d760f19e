package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

const (
	// MaxMessage is the maximum size of a request.
	MaxMessage = 16 << 20
	// MaxKeep is the longest time that a session stays without a connection.
	MaxKeep = time.Hour

	maxSessions    = 64
	maxConnections = 128
	acceptPause    = 100 * time.Millisecond
)

// Options configures a Server.
type Options struct {
	// Executor returns the executor of a new session. It should retain what Journal says.
	Executor func() executor.Executor
	// Environment describes this place. The capabilities are set by the server.
	Environment wire.Environment
	// Keep is how long a session stays without a connection.
	Keep time.Duration
}

// ErrIdle is the error of Serve with Keep when its last session has ended, or no client was
// connected for Keep and wire.KeepSlack.
var ErrIdle = errors.New("no session is left")

// A Server serves connections.
type Server struct {
	Options
	running sync.WaitGroup

	mu       sync.Mutex
	sessions map[string]*session
	conns    map[*connection]bool
	idle     *time.Timer             // since the last connection; nil unless sessions are kept
	stop     context.CancelCauseFunc // ends Serve
	over     bool
}

// New returns a server. Close ends it.
func New(o Options) *Server {
	o.Environment.Capabilities = wire.Capabilities{
		CloseStdin: true, Signals: true, Detail: true, Stop: true, OrderedWrites: true, Concurrent: true, End: true, Takeover: o.Keep > 0,
	}
	return &Server{Options: o, sessions: map[string]*session{}, conns: map[*connection]bool{}}
}

// lease is how long a client that sends a heartbeat may be silent, and the server may be
// without a client.
func (s *Server) lease() time.Duration { return s.Keep + wire.KeepSlack }

// Serve accepts connections until ctx is done, or the server is idle and sessions are kept.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if s.Keep > 0 {
		s.mu.Lock()
		s.idle, s.stop = time.AfterFunc(s.lease(), func() { cancel(ErrIdle) }), cancel
		s.mu.Unlock()
	}
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	for {
		conn, err := l.Accept()
		switch {
		case err == nil:
			s.running.Go(func() { s.ServeConn(ctx, conn) })
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, net.ErrClosed):
			return err
		default: // such as too many open files
			select {
			case <-time.After(acceptPause):
			case <-ctx.Done():
			}
		}
	}
}

// ServeConn serves one connection until it ends, or ctx is done. Without Keep nothing of
// its session is left then.
func (s *Server) ServeConn(ctx context.Context, stream io.ReadWriteCloser) {
	c := newConnection(s, stream)
	if !s.join(c) {
		c.out.close()
		return
	}
	c.serve(ctx)
	s.quit(c)
}

// join reports whether there is room for a connection.
func (s *Server) join(c *connection) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || len(s.conns) >= maxConnections {
		return false
	}
	s.conns[c] = true
	if s.idle != nil {
		s.idle.Stop()
	}
	return true
}

func (s *Server) quit(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	if s.idle != nil && len(s.conns) == 0 {
		s.idle.Reset(s.lease())
	}
}

// Close ends all connections and sessions, and waits until nothing is left.
func (s *Server) Close() {
	s.mu.Lock()
	s.over = true
	if s.idle != nil {
		s.idle.Stop()
	}
	var ending sync.WaitGroup
	for c := range s.conns {
		c.out.close()
	}
	for _, x := range s.sessions {
		ending.Go(x.end)
	}
	s.mu.Unlock()
	ending.Wait()
	s.running.Wait()
}

// open returns a new session of c, or the one with an id.
func (s *Server) open(c *connection, p wire.InitializeParams) (*session, *wire.Error) {
	if p.ResumeSessionID != "" {
		s.mu.Lock()
		x := s.sessions[p.ResumeSessionID]
		s.mu.Unlock()
		if x == nil {
			return nil, unknownSession(p.ResumeSessionID)
		}
		return x, x.attach(c, p.ResumeToken)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || len(s.sessions) >= maxSessions {
		return nil, &wire.Error{Code: wire.ErrInternal, Message: fmt.Sprintf("%d sessions are open, and more cannot be", len(s.sessions))}
	}
	x := newSession(s)
	x.conn = c
	s.sessions[x.id] = x
	return x, nil
}

// forget drops a session that ends. With the last one a server that keeps sessions ends.
func (s *Server) forget(x *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, x.id)
	if s.idle != nil && len(s.sessions) == 0 && !s.over {
		s.stop(ErrIdle)
	}
}
