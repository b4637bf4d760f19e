package control

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"time"

	"mcpdbg/session/tap"
	"mcpdbg/session/unixsocket"
)

// Options are those of a Server.
type Options struct {
	Folder   string // of Folder
	Tap      Tap    // its greeting; the version is that of this package
	Commands chan<- tap.Command
	// Filter returns the function that matches the messages of a filter, or the error of
	// its syntax.
	Filter func(text string) (tap.Match, error)
	Hold   string // the filter that holds as soon as a viewer steers, "" for none
}

// acceptPause is how long a server waits after a failure before it accepts again.
const acceptPause = 100 * time.Millisecond

// A Server is the socket by which a live tap takes orders.
type Server struct {
	Options
	listener net.Listener
	over     chan struct{}
	running  sync.WaitGroup

	orders sync.Mutex // held while a steering order is carried out

	mu      sync.Mutex
	news    tap.News
	version int // of the state
	viewers map[*link]bool
	steerer *link
	holding string
}

// Listen opens the control socket of a tap.
func Listen(o Options) (*Server, error) {
	path := filepath.Join(o.Folder, socketName(o.Tap.Name, o.Tap.PID))
	listener, err := unixsocket.Listen(path)
	if err != nil {
		return nil, err
	}
	s := newServer(o)
	s.listener = listener
	s.running.Go(s.accept)
	return s, nil
}

func newServer(o Options) *Server {
	return &Server{Options: o, over: make(chan struct{}), viewers: map[*link]bool{}}
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // such as too many open files
			select {
			case <-s.over:
				return
			case <-time.After(acceptPause):
				continue
			}
		}
		s.running.Go(func() {
			defer conn.Close()
			done := make(chan struct{})
			defer close(done)
			s.running.Go(func() { // ends a Read when the tap ends
				select {
				case <-s.over:
					_ = conn.SetReadDeadline(time.Now())
				case <-done:
				}
			})
			s.serve(conn)
		})
	}
}

// Publish takes news of the tap. It never waits.
func (s *Server) Publish(n tap.News) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.news = n
	s.ring()
}

// ring makes all viewers get the state. The lock is held.
func (s *Server) ring() {
	s.version++
	for v := range s.viewers {
		v.ring()
	}
}

// Close removes the socket, and waits for its connections.
func (s *Server) Close() {
	close(s.over)
	_ = s.listener.Close() // removes the file
	s.running.Wait()
}

// serve serves a connection.
func (s *Server) serve(conn net.Conn) {
	_ = conn.SetDeadline(time.Now().Add(firstWait))
	select {
	case <-s.over: // which may have set a deadline before
		return
	default:
	}
	t := s.Tap
	if writeLine(conn, greeting{version, t.Name, t.PID, t.Since, t.Recording}) != nil {
		return
	}
	from := &ear{Conn: conn}
	in := bufio.NewReaderSize(from, maxOrder)
	var o order
	if readLine(in, upTo(maxOrder), &o) != nil {
		return
	}
	if o.Do == "watch" {
		l := newLink(s, conn, o.N)
		from.heard = l.heard
		s.watch(l, in)
		return
	}
	r := s.simple(o)
	_ = conn.SetDeadline(time.Now().Add(firstWait))
	_ = writeLine(conn, r)
}

// simple carries out an order that does not need steering.
func (s *Server) simple(o order) reply {
	var cmd tap.Command
	switch o.Do {
	case "tell":
		cmd.Do = tap.Tell
	case "restart":
		cmd.Do, cmd.Text = tap.Restart, "mcpdbg tap restart"
	case "stop":
		cmd.Do, cmd.Text = tap.Stop, "mcpdbg tap stop"
	default:
		return failed(fmt.Errorf("unknown order %.20q", o.Do))
	}
	return s.command(cmd)
}

// command waits for the outcome of a command.
func (s *Server) command(cmd tap.Command) reply {
	answer, failure := make(chan string, 1), make(chan error, 1)
	cmd.Answer, cmd.Failed = answer, failure
	select {
	case s.Commands <- cmd:
	case <-s.over:
		return failed(ErrEnded)
	}
	select {
	case text := <-answer:
		return reply{Text: text}
	case err := <-failure:
		return failed(err)
	case <-s.over:
	}
	select {
	case text := <-answer: // the last one
		return reply{Text: text}
	default:
		return failed(ErrEnded)
	}
}

// watch serves a viewer.
func (s *Server) watch(l *link, in *bufio.Reader) {
	s.mu.Lock()
	full := len(s.viewers) >= maxViewers
	if !full {
		s.viewers[l] = true
		s.ring()
	}
	s.mu.Unlock()
	if full {
		_ = writeLine(l.conn, failed(fmt.Errorf("%d viewers watch this tap, and more cannot", maxViewers)))
		return
	}
	_ = l.conn.SetDeadline(time.Time{})
	l.serve(in)
	s.lose(l)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.viewers, l)
	s.ring()
}

// lose ends the steering of a viewer, if it steers: everything held is let go.
func (s *Server) lose(l *link) {
	s.orders.Lock()
	defer s.orders.Unlock()
	if s.steers(l) {
		s.command(tap.Command{Do: tap.Arm})
		s.set(nil, "")
	}
}

func (s *Server) steers(l *link) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.steerer == l
}

// set notes the viewer that steers, and its filter.
func (s *Server) set(l *link, holding string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.steerer != nil && s.steerer != l {
		s.steerer.alive.Stop()
	}
	s.steerer, s.holding = l, holding
	s.ring()
}

// steer makes a viewer the one that steers. What another one holds stays held.
func (s *Server) steer(l *link, take bool) reply {
	s.orders.Lock()
	defer s.orders.Unlock()
	s.mu.Lock()
	now, holding := s.steerer, s.holding
	s.mu.Unlock()
	switch {
	case now == l:
		return reply{}
	case now != nil && !take:
		return failed(&SteeredError{PID: now.pid})
	case now == nil && s.Hold != "":
		if r := s.hold(s.Hold); r.Error != "" {
			return r
		}
		holding = s.Hold
	}
	l.large.Store(true)
	s.set(l, holding)
	l.alive.Reset(beatLimit)
	return reply{}
}

// hold makes the tap hold what a filter matches.
func (s *Server) hold(filter string) reply {
	if filter == "" {
		return s.command(tap.Command{Do: tap.Arm})
	}
	match, err := s.Filter(filter)
	if err != nil {
		return failed(err)
	}
	return s.command(tap.Command{Do: tap.Arm, Text: filter, Match: match})
}

// decide carries out an order of the viewer that steers.
func (s *Server) decide(l *link, o order) reply {
	s.orders.Lock()
	defer s.orders.Unlock()
	if !s.steers(l) {
		return failed(ErrNotSteering)
	}
	cmd := tap.Command{N: o.N, Text: o.Text, ID: o.ID, Line: o.Body, Force: o.Force}
	switch o.Do {
	case "release", "hold":
		if o.Do == "release" {
			o.Text = ""
		}
		r := s.hold(o.Text)
		if r.Error != "" {
			return r
		}
		if o.Do == "release" {
			l.alive.Stop()
			l = nil
		}
		s.set(l, o.Text)
		return r
	case "let-go":
		cmd.Do = tap.LetGo
		if o.Edited && o.Body == nil {
			cmd.Line = []byte{}
		}
	case "drop":
		cmd.Do = tap.Drop
	case "answer":
		cmd.Do = tap.Respond
	case "drive":
		cmd.Do = tap.Drive
	case "take-over":
		cmd.Do = tap.TakeOver
	case "cancel":
		cmd.Do = tap.Cancel
	default:
		return failed(fmt.Errorf("unknown order %.20q", o.Do))
	}
	return s.command(cmd)
}

// line returns a held message.
func (s *Server) line(n int) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.news.Held {
		if h := &s.news.Held[i]; h.N == n {
			return reply{Line: h.Line}
		}
	}
	return failed(ErrNotHeld)
}

// state returns the state for a viewer, and its version. The viewer has the bytes of the
// messages in had.
func (s *Server) state(l *link, had map[int]bool) (reply, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := State{
		Server: s.news.Server, PID: s.news.PID, Restarts: s.news.Restarts, LostPID: s.news.LostPID, Client: s.news.Client,
		Viewers: len(s.viewers), Holding: s.holding, Held: make([]Held, len(s.news.Held)),
	}
	if s.steerer != nil {
		st.Steerer = s.steerer.pid
	}
	for i, h := range s.news.Held {
		if len(h.Line) > maxShown {
			h.Line, h.Cut = h.Line[:maxShown], true
		}
		if had[h.N] {
			h.Line = nil
		}
		st.Held[i] = h
	}
	return reply{State: &st, Steers: s.steerer == l}, s.version
}
