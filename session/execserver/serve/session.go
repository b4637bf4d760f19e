package serve

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

// maxProcesses is how many processes a session has, those that have ended and can still be
// read included.
const maxProcesses = 1024

// A session owns processes.
type session struct {
	server    *Server
	id, token string
	exec      executor.Executor

	mu        sync.Mutex
	conn      *connection // nil while it is detached
	processes map[string]*process
	expires   *time.Timer // while it is detached
	ended     bool
	over      chan struct{} // closed when nothing of it is left

	spawning sync.Mutex // never held while another lock is taken
	stopped  bool       // nothing is spawned any more
	running  sync.WaitGroup
}

func newSession(server *Server) *session {
	return &session{
		server: server, id: newID(), token: newID(), exec: server.Executor(),
		processes: map[string]*process{}, over: make(chan struct{}),
	}
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// spawn runs f on a goroutine that the end of the session waits for, unless it has ended.
func (s *session) spawn(f func()) bool {
	s.spawning.Lock()
	defer s.spawning.Unlock()
	if !s.stopped {
		s.running.Go(f)
	}
	return !s.stopped
}

// attach makes c the connection. With the token it replaces another one.
func (s *session) attach(c *connection, token string) *wire.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) == 1
	switch {
	case s.ended, token != "" && !known:
		return unknownSession(s.id)
	case s.conn != nil && !known:
		return &wire.Error{Code: wire.ErrAttached, Message: fmt.Sprintf("session %s is already attached to another connection", s.id)}
	case s.conn != nil:
		s.leave()
	}
	if s.expires != nil {
		s.expires.Stop()
	}
	s.conn = c
	return nil
}

func unknownSession(id string) *wire.Error {
	return &wire.Error{Code: wire.ErrRequest, Message: "unknown session id " + id}
}

// leave ends the connection. The lock is held.
func (s *session) leave() {
	for _, p := range s.processes {
		p.detach()
	}
	s.conn.out.close()
	s.conn = nil
}

// detach ends the session when left is over, unless c is no longer its connection.
func (s *session) detach(c *connection, left time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != c || s.ended {
		return
	}
	s.leave()
	s.expires = time.AfterFunc(left, s.end)
}

// endOf ends the session if c is still its connection.
func (s *session) endOf(c *connection) {
	s.mu.Lock()
	current := s.conn == c
	s.mu.Unlock()
	if current {
		s.end()
	}
}

// end ends all processes and waits until none is left.
func (s *session) end() {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		<-s.over
		return
	}
	s.ended = true
	if s.conn != nil {
		s.leave()
	}
	for _, p := range s.processes {
		p.release()
	}
	s.mu.Unlock()
	s.server.forget(s)
	_ = s.exec.Close() // what cannot be killed is left
	s.spawning.Lock()
	s.stopped = true
	s.spawning.Unlock()
	s.running.Wait()
	close(s.over)
}

// resume pushes the events of a process to c while that is the connection.
func (s *session) resume(p *process, c *connection, has uint64) {
	s.mu.Lock()
	current := s.conn == c
	s.mu.Unlock()
	if current { // otherwise its out is broken, or about to be
		p.resume(c.out, has)
	}
}

// find returns nil if the session has no such process.
func (s *session) find(id string) *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.processes[id]
}

// full reports whether the session can have no more processes.
func (s *session) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.processes) < maxProcesses {
		return false
	}
	for id, p := range s.processes {
		if p.proc.Info().State == executor.StateUnknown {
			delete(s.processes, id)
		}
	}
	return len(s.processes) >= maxProcesses
}

// add makes a process known that has started: from now on it takes requests. What happens to
// it is pushed to c, while that is the connection, once it is followed.
func (s *session) add(c *connection, proc executor.Process) *process {
	p := newProcess(s, proc.ID(), proc, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == c {
		p.to = c.out
	}
	s.processes[p.id] = p
	return p
}

// follow follows a process until it has ended.
func (s *session) follow(p *process) {
	s.mu.Lock()
	ended := s.ended
	s.mu.Unlock()
	if ended || p.follow() != nil {
		_, _ = p.proc.Terminate(context.Background()) // the end of the session does it, too
	}
}
