package tap

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/executor"
)

const (
	// stepTime is how long a server that is restarted has to end after each step.
	stepTime = 500 * time.Millisecond
	// hurryTime is stepTime once the client wants to end: Claude Code kills 400 ms after
	// SIGTERM.
	hurryTime = 100 * time.Millisecond
	// maxLastLine is how many bytes of a line of stderr are kept.
	maxLastLine = 4 << 10
)

// A process is one process of the server.
type process struct {
	executor.Process
	pid      int
	lines    framing.Splitter
	sub      *executor.Subscription
	ready    chan struct{} // closed when sub is set
	closed   chan struct{} // closed at the last event
	exit     executor.Exit
	input    *outlet // nil until its executor has no room
	bytes    int     // at most as many are not written to its pipe
	refusal  sync.Once
	stopping bool
	brief    bool
	hurry    chan struct{} // closed when brief

	mu       sync.Mutex
	partial  []byte // of a line of stderr
	last     []byte // the last line there that is not blank
	attempts []*session.Attempt
}

// lastWords keeps the last line of stderr that is not blank.
func (p *process) lastWords(data []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(data) > 0 {
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		p.partial = append(p.partial, line[:min(len(line), maxLastLine-len(p.partial))]...)
		if ended {
			if line = bytes.TrimSpace(p.partial); len(line) > 0 {
				p.last = append(p.last[:0], line...)
			}
			p.partial = p.partial[:0]
		}
		data = rest
	}
}

// said returns that line.
func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if line := bytes.TrimSpace(p.partial); len(line) > 0 {
		return string(line)
	}
	return string(p.last)
}

// refuses notes, once, that the process does not take input.
func (p *process) refuses(rec *recorder) {
	p.refusal.Do(func() {
		rec.note(session.NoteBody{Code: NoteUnwritten, Text: "the server does not take input any more"})
	})
}

// noWait is the context of a write that fails where it would wait for room.
var noWait = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// write writes a line to a process without waiting for it. Bytes that it does not take are
// lost with it.
func (l *live) write(line []byte) {
	p := l.proc
	if p == nil {
		return
	}
	p.bytes += len(line)
	if p.input == nil || p.input.waiting() == 0 {
		res, err := p.Write(noWait, "", line)
		if err == nil && res.Status != executor.Accepted {
			p.refuses(l.rec)
		}
		if err == nil {
			return
		}
	}
	if p.input == nil {
		p.input = newOutlet(stdin{p, l.rec})
	}
	p.input.write(line)
}

// A stdin is the input of a process that has to wait for room.
type stdin struct {
	p   *process
	rec *recorder
}

func (w stdin) Write(line []byte) (int, error) {
	res, err := w.p.Write(context.Background(), "", line)
	if err == nil && res.Status != executor.Accepted {
		err = errRefused
	}
	if err != nil {
		w.p.refuses(w.rec)
	}
	return len(line), err
}

var errRefused = errors.New("standard input is closed")

// full reports whether the process leaves too much unread for more. It asks the executor
// only if that is possible at all.
func (p *process) full() bool {
	if p.bytes <= maxUnwritten {
		return false
	}
	p.bytes = p.Info().Unwritten
	if p.input != nil {
		p.bytes += p.input.waiting()
	}
	return p.bytes > maxUnwritten
}

// closeInput closes the input of the server, after what is written to it.
func (l *live) closeInput() {
	p := l.proc
	if p == nil {
		return
	}
	end := func() {
		p.attempt(executor.StepCloseStdin, executor.EndedByClient)
		begin := time.Now()
		p.CloseStdin()
		l.rec.entry(phaseEntry(executor.StepCloseStdin, executor.EndedByClient, begin, nil), false)
	}
	if p.input == nil {
		end()
		return
	}
	p.input.end()
	l.running.Go(func() {
		<-p.input.done
		end()
	})
}

func (p *process) attempt(step executor.Step, by executor.EndedBy) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.attempts = append(p.attempts, &session.Attempt{Step: step, By: by, At: time.Now()})
}

// stop ends a process with short waits, which are shorter still once the client wants to
// end.
func (l *live) stop(p *process, by executor.EndedBy) {
	if l.relay.closed && by == executor.EndedByShutdown && !p.brief {
		p.brief = true
		close(p.hurry)
	}
	if p.stopping {
		return
	}
	p.stopping = true
	l.running.Go(func() {
		for _, step := range []executor.Step{executor.StepCloseStdin, executor.StepTerm, executor.StepKill} {
			p.attempt(step, by)
			begin := time.Now()
			var err error
			switch step {
			case executor.StepCloseStdin:
				p.CloseStdin()
			case executor.StepKill:
				l.terminate(context.Background(), p)
			default:
				_, err = p.Stop(context.Background(), step, executor.ScopeGroup)
			}
			l.rec.entry(phaseEntry(step, by, begin, err), false)
			if p.ends() {
				return
			}
		}
	})
}

// ends waits for the end of a process after a step.
func (p *process) ends() bool {
	select {
	case <-p.closed:
		return true
	case <-time.After(stepTime):
		return false
	case <-p.hurry:
	}
	select {
	case <-p.closed:
		return true
	case <-time.After(hurryTime):
		return false
	}
}

func (l *live) terminate(ctx context.Context, p *process) {
	report, err := p.Terminate(ctx)
	if err != nil {
		l.note(session.NoteBody{Text: err.Error()})
	}
	l.rec.remains(report, l.c.Conceal)
}
