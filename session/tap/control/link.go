package control

import (
	"bufio"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxReplies is how many replies may wait for a viewer that does not read.
	maxReplies = 64
	// lastWait is how long a viewer has for the last lines when the tap ends: clients kill
	// a tap soon.
	lastWait = 100 * time.Millisecond
)

var errRestarting = errors.New("a restart is running")

// A link is the connection of a viewer. One goroutine reads its orders and carries them
// out, another one writes.
type link struct {
	s     *Server
	conn  net.Conn
	pid   int
	bell  chan struct{} // one slot
	over  chan struct{} // closed when nothing more is read
	alive *time.Timer   // ends its steering
	large atomic.Bool   // it has steered: its lines may be long

	restarting atomic.Bool

	mu      sync.Mutex
	replies []reply
}

func newLink(s *Server, conn net.Conn, pid int) *link {
	l := &link{s: s, conn: conn, pid: pid, bell: make(chan struct{}, 1), over: make(chan struct{})}
	l.alive = time.AfterFunc(time.Hour, func() { s.lose(l) })
	l.alive.Stop()
	return l
}

func (l *link) ring() {
	select {
	case l.bell <- struct{}{}:
	default:
	}
}

// serve returns when the viewer is gone, or the tap ends.
func (l *link) serve(in *bufio.Reader) {
	var both sync.WaitGroup
	both.Go(l.write)
	both.Go(func() { l.read(in) })
	select {
	case <-l.s.over:
		_ = l.conn.SetReadDeadline(time.Now())
	case <-l.over:
	}
	both.Wait()
	l.alive.Stop()
}

// heard takes the news that the viewer is alive.
func (l *link) heard() {
	if l.s.steers(l) {
		l.alive.Reset(beatLimit)
	}
}

func (l *link) read(in *bufio.Reader) {
	defer close(l.over)
	defer func() { _ = l.conn.SetWriteDeadline(time.Now().Add(lastWait)) }()
	for {
		var o order
		if readLine(in, l.limit, &o) != nil || !l.do(o) {
			return
		}
	}
}

// An ear reads from a connection.
type ear struct {
	net.Conn
	heard func() // after each read, if not nil
}

func (e *ear) Read(p []byte) (int, error) {
	n, err := e.Conn.Read(p)
	if n > 0 && e.heard != nil {
		e.heard()
	}
	return n, err
}

func (l *link) limit() int {
	if l.large.Load() {
		return maxEdit
	}
	return maxOrder
}

// do carries out an order, and reports whether the viewer takes replies.
func (l *link) do(o order) bool {
	var r reply
	switch o.Do {
	case "beat":
		return true
	case "steer":
		r = l.s.steer(l, o.Force)
	case "line":
		r = l.s.line(o.N)
	case "restart":
		return l.restart(o)
	case "tell", "stop":
		r = l.s.simple(o)
	default:
		r = l.s.decide(l, o)
	}
	return l.reply(o.Seq, r)
}

// restart does not stop the reading of other orders, and of the heartbeat.
func (l *link) restart(o order) bool {
	if !l.restarting.CompareAndSwap(false, true) {
		return l.reply(o.Seq, failed(errRestarting))
	}
	l.s.running.Go(func() {
		r := l.s.simple(o)
		l.restarting.Store(false)
		l.reply(o.Seq, r)
	})
	return true
}

func (l *link) reply(seq int, r reply) bool {
	r.Seq = seq
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.replies) >= maxReplies {
		return false
	}
	l.replies = append(l.replies, r)
	l.ring()
	return true
}

// write writes the latest state, and replies after what they have changed.
func (l *link) write() {
	defer l.conn.Close() // ends a read
	version, had := -1, map[int]bool{}
	for last := false; !last; {
		select {
		case <-l.bell:
		case <-l.over:
			last = true
		}
		l.mu.Lock()
		replies := l.replies
		l.replies = nil
		l.mu.Unlock()
		state, now := l.s.state(l, had)
		if now != version {
			version = now
			clear(had)
			for i := range state.State.Held {
				had[state.State.Held[i].N] = true
			}
			if writeLine(l.conn, state) != nil {
				return
			}
		}
		for _, r := range replies {
			if r.Steers = state.Steers; writeLine(l.conn, r) != nil {
				return
			}
		}
	}
}
