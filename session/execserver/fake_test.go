//go:build linux

package execserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"mcpdbg/session/execserver/wire"
)

// A fakeServer behaves as the exec server of Codex does: it handles one request of a connection
// at a time, cannot end standard input, tells no pid and no signal, sends notifications in
// another order than that of their numbers, and keeps sessions without a connection.
type fakeServer struct {
	version string
	os      string
	mu      sync.Mutex
	last    int
	all     map[string]*fakeSession
	current []net.Conn
	refuse  func() error // of a connection
	holds   bool         // it does not notice that a connection is lost
	stuck   bool         // the next write holds all that is behind it on its connection
}

type fakeSession struct {
	id string

	mu        sync.Mutex
	out       io.Writer // nil while detached
	owner     net.Conn
	processes map[string]*fakeProcess
	late      []byte // a notification that is sent after the next one
}

type fakeProcess struct {
	s     *fakeSession
	id    string
	cmd   *exec.Cmd
	in    io.WriteCloser
	queue chan []byte

	mu     sync.Mutex
	next   uint64
	chunks []wire.Chunk
	bytes  int
	all    int
	code   *int
	open   int
	closed bool
	ids    map[string]bool
}

func newFakeServer() *fakeServer {
	return &fakeServer{version: wire.CodexVersion, os: "linux", all: map[string]*fakeSession{}}
}

func (f *fakeServer) dial(context.Context) (wire.Conn, error) {
	f.mu.Lock()
	refuse := f.refuse
	f.mu.Unlock()
	if refuse != nil {
		if err := refuse(); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	ours, theirs := net.Pipe()
	f.current = append(f.current, theirs)
	go f.serve(theirs)
	return wire.NewLines(ours, wire.MaxMessage), nil
}

// cut cuts all connections.
func (f *fakeServer) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.current {
		_ = c.Close()
	}
	f.current = nil
}

func (f *fakeServer) serve(conn net.Conn) {
	lines := wire.NewLines(conn, wire.MaxMessage)
	var s *fakeSession
	for {
		text, err := lines.Read(context.Background())
		if err != nil {
			break
		}
		m, err := wire.Decode(text)
		if err != nil {
			panic(err)
		}
		if m.Method == wire.NoteInitialized {
			continue
		}
		if m.Method == wire.MethodWrite && f.isStuck() {
			for err == nil {
				_, err = lines.Read(context.Background())
			}
			break
		}
		var response any
		var failed *wire.Error
		if m.Method == wire.MethodInitialize {
			s, response, failed = f.initialize(conn, m.Params)
		} else {
			response, failed = s.handle(m)
		}
		var answer []byte
		if failed != nil {
			answer, _ = wire.Failure(m.ID, *failed)
		} else {
			answer, _ = wire.Response(m.ID, response)
		}
		if s == nil {
			_ = lines.Write(context.Background(), answer)
			continue
		}
		s.mu.Lock()
		if s.owner == conn {
			_, _ = s.out.Write(append(answer, '\n'))
		}
		s.mu.Unlock()
	}
	f.mu.Lock()
	holds := f.holds
	f.mu.Unlock()
	if s != nil {
		s.mu.Lock()
		if s.owner == conn && !holds {
			s.out, s.owner, s.late = nil, nil, nil
		}
		s.mu.Unlock()
	}
}

func (f *fakeServer) isStuck() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	stuck := f.stuck
	f.stuck = false
	return stuck
}

func refused(code int, format string, args ...any) *wire.Error {
	return &wire.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func (f *fakeServer) initialize(conn net.Conn, params json.RawMessage) (*fakeSession, any, *wire.Error) {
	var p wire.InitializeParams
	_ = json.Unmarshal(params, &p)
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.all[p.ResumeSessionID]
	if p.ResumeSessionID != "" && s == nil {
		return nil, nil, refused(wire.ErrRequest, "unknown session id %s", p.ResumeSessionID)
	}
	if s == nil {
		f.last++
		s = &fakeSession{id: fmt.Sprint("session-", f.last), processes: map[string]*fakeProcess{}}
		f.all[s.id] = s
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owner != nil {
		return nil, nil, refused(wire.ErrAttached, "session %s is already attached to another connection", s.id)
	}
	s.owner, s.out = conn, conn
	return s, wire.InitializeResult{SessionID: s.id, Environment: wire.Environment{Version: f.version, Home: "file:///tmp", OS: f.os}}, nil
}

// notify sends some notifications after the next one.
func (s *fakeSession) notify(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out == nil {
		return
	}
	text = append(text, '\n')
	if s.late == nil && rand.IntN(16) == 0 {
		s.late = text
		time.AfterFunc(2*time.Millisecond, s.flush)
		return
	}
	_, _ = s.out.Write(text)
	s.flushLocked()
}

func (s *fakeSession) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flushLocked()
}

func (s *fakeSession) flushLocked() {
	if s.late != nil && s.out != nil {
		_, _ = s.out.Write(s.late)
	}
	s.late = nil
}

func (s *fakeSession) process(id string) *fakeProcess {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.processes[id]
}

func (s *fakeSession) handle(m wire.Message) (any, *wire.Error) {
	var named wire.Process
	_ = json.Unmarshal(m.Params, &named)
	p := s.process(named.ProcessID)
	switch m.Method {
	case wire.MethodStart:
		if p != nil {
			return nil, refused(wire.ErrRequest, "process %s already exists", named.ProcessID)
		}
		return s.start(m.Params)
	case wire.MethodRead:
		var r wire.ReadParams
		_ = json.Unmarshal(m.Params, &r)
		if p == nil {
			return nil, refused(wire.ErrRequest, "unknown process id %s", named.ProcessID)
		}
		return p.read(r.AfterSeq), nil
	case wire.MethodWrite:
		var w wire.WriteParams
		_ = json.Unmarshal(m.Params, &w)
		if p == nil {
			return wire.WriteResult{Status: wire.UnknownProcess}, nil
		}
		if !p.ids[w.WriteID] {
			p.ids[w.WriteID] = true
			p.queue <- w.Chunk // it may wait: then so do all requests
		}
		return wire.WriteResult{Status: wire.Accepted}, nil
	case wire.MethodTerminate:
		return wire.TerminateResult{Running: p != nil && p.kill()}, nil
	}
	return nil, refused(wire.ErrMethod, "exec-server stub does not implement `%s` yet", m.Method)
}

func (s *fakeSession) start(params json.RawMessage) (any, *wire.Error) {
	var r wire.StartParams
	_ = json.Unmarshal(params, &r)
	dir, err := url.Parse(r.CWD)
	if err != nil || dir.Scheme != "file" {
		return nil, refused(wire.ErrParams, "cwd")
	}
	p := &fakeProcess{s: s, id: r.ProcessID, next: 1, open: 2, queue: make(chan []byte, 128), ids: map[string]bool{}}
	p.cmd = exec.Command(r.Argv[0], r.Argv[1:]...)
	p.cmd.Dir = dir.Path
	p.cmd.Env = []string{}
	if r.EnvPolicy != nil {
		for _, v := range os.Environ() {
			if name, _, _ := strings.Cut(v, "="); len(r.EnvPolicy.IncludeOnly) == 0 || slices.Contains(r.EnvPolicy.IncludeOnly, name) {
				p.cmd.Env = append(p.cmd.Env, v)
			}
		}
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var outs [2]io.Reader
	p.in, err = p.cmd.StdinPipe()
	if err == nil {
		outs[0], err = p.cmd.StdoutPipe()
	}
	if err == nil {
		outs[1], err = p.cmd.StderrPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, refused(wire.ErrInternal, "%v", err)
	}
	s.mu.Lock()
	s.processes[p.id] = p
	s.mu.Unlock()
	go p.feed()
	for i, name := range []string{wire.Stdout, wire.Stderr} {
		go p.pump(outs[i], name)
	}
	go p.wait()
	return wire.StartResult{ProcessID: p.id}, nil
}

func (p *fakeProcess) feed() {
	for chunk := range p.queue {
		_, _ = p.in.Write(chunk)
	}
}

func (p *fakeProcess) pump(r io.Reader, stream string) {
	for {
		buf := make([]byte, wire.CodexChunk)
		n, err := r.Read(buf)
		if n > 0 {
			p.mu.Lock()
			c := wire.Chunk{Seq: p.next, Stream: stream, Chunk: buf[:n]}
			p.next++
			p.chunks, p.bytes, p.all = append(p.chunks, c), p.bytes+n, p.all+n
			for p.bytes > wire.CodexRetained {
				p.bytes -= len(p.chunks[0].Chunk)
				p.chunks = p.chunks[1:]
			}
			p.mu.Unlock()
			p.s.notify(wire.AppendOutput(nil, wire.Output{ProcessID: p.id, Seq: c.Seq, Stream: stream, Chunk: c.Chunk}))
		}
		if err != nil {
			break
		}
	}
	p.mu.Lock()
	p.open--
	p.mu.Unlock()
	p.close()
}

func (p *fakeProcess) wait() {
	state, _ := p.cmd.Process.Wait()
	code := state.ExitCode()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		code = wire.CodexSignalBase + int(status.Signal())
	}
	p.mu.Lock()
	p.code = &code
	seq := p.next
	p.next++
	p.mu.Unlock()
	text, _ := wire.Notification(wire.NoteExited, wire.Exited{ProcessID: p.id, Seq: seq, ExitCode: &code})
	p.s.notify(text)
	p.close()
}

func (p *fakeProcess) close() {
	p.mu.Lock()
	due := p.code != nil && p.open == 0 && !p.closed
	seq := p.next
	if due {
		p.closed = true
		p.next++
	}
	p.mu.Unlock()
	if due {
		text, _ := wire.Notification(wire.NoteClosed, wire.Closed{ProcessID: p.id, Seq: seq})
		p.s.notify(text)
	}
}

func (p *fakeProcess) read(after uint64) wire.ReadResult {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := wire.ReadResult{NextSeq: p.next, Exited: p.code != nil, ExitCode: p.code, Closed: p.closed, Chunks: []wire.Chunk{}}
	for _, c := range p.chunks {
		if c.Seq > after {
			r.Chunks = append(r.Chunks, c)
		}
	}
	return r
}

func (p *fakeProcess) kill() (running bool) {
	p.mu.Lock()
	running = p.code == nil
	p.mu.Unlock()
	if running {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	}
	return running
}

// server returns the process that is not a guard.
func (f *fakeServer) server() *fakeProcess {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.all {
		s.mu.Lock()
		defer s.mu.Unlock()
		for id, p := range s.processes {
			if !strings.Contains(id, ".guard") {
				return p
			}
		}
	}
	return nil
}

// written returns how many bytes the process has written.
func (p *fakeProcess) written() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all
}
