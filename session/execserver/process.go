package execserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
)

const (
	// quietTime without output means that no more is on its way, and maxFlushTime limits the wait
	// for that: the exit may be reported before earlier output.
	quietTime    = 50 * time.Millisecond
	maxFlushTime = time.Second
	// leaveTime is how long a guard that is no longer needed may take to end.
	leaveTime = 2 * time.Second
)

// A process is the backend of a process at the server.
type process struct {
	ex   *Executor
	s    *session
	base *executor.Base

	living context.Context // until it is released
	stop   context.CancelFunc

	// Set before the process is attached, and constant from then on.
	remote  *remote
	stdin   *stdin
	early   []step // came before the process was attached
	pid     int
	program string
	env     executor.EnvReport
	blind   []string      // why a server of ours may miss processes
	charge  *guard.Charge // nil at a server of ours
	pump    guard.Pump
	hasPump bool
	skipped uint64 // bytes of standard input that did not pass the pump

	lastOutput atomic.Int64 // since the process began
	killed     atomic.Bool  // SIGKILL was sent
	exit       executor.Exit
	exitKnown  bool // both are set before Base.Exited

	mu      sync.Mutex
	notices []executor.Notice
}

func newProcess(e *Executor, b *executor.Base) *process {
	p := &process{ex: e, s: e.s, base: b, notices: slices.Clone(e.notices)}
	p.living, p.stop = context.WithCancel(context.Background())
	return p
}

// attach begins the life of the process.
func (p *process) attach() {
	ready := make(chan struct{})
	s := executor.Streams{Source: func() {
		<-ready
		p.source()
	}}
	if p.base.Exec.NoStdin {
		p.stdin.closed = true
	} else {
		s.Stdin, s.Try = p.stdin, p.stdin.try
	}
	p.base.Attach(s, p.env)
	p.s.mu.Lock()
	p.s.listen[p] = struct{}{}
	p.s.mu.Unlock()
	if p.charge != nil {
		p.attachCharge()
	}
	p.base.Go(p.watch)
	close(ready) // the journal, and the charge, are known
}

// source delivers what happens to the process, in the order of the sequence.
func (p *process) source() {
	batch := p.early
	p.early = nil
	for {
		for _, e := range batch {
			if over := p.deliver(e); over {
				return
			}
		}
		batch = p.remote.steps(batch)
	}
}

func (p *process) deliver(e step) (over bool) {
	j := p.base.Journal
	switch e.kind {
	case executor.Output:
		p.lastOutput.Store(int64(time.Since(p.base.Began)))
		j.Output(e.stream, e.data)
	case executor.Exited:
		p.exit, p.exitKnown = e.exit, true
		p.base.LeaderExited()
	case executor.Closed:
		if e.cut { // Terminate there has cut them
			j.BeginEnding()
			j.EndEnding(true)
		}
		j.EOF(executor.Stdout)
		j.EOF(executor.Stderr)
		return true
	case executor.Failed:
		j.Fail(p.lost(e.err))
		if p.base.Alive() {
			p.base.LeaderExited()
		}
		return true
	case executor.Noticed:
		j.Emit(e.event)
	}
	return false
}

// lost returns the cause of Failed.
func (p *process) lost(err error) error {
	after := time.Since(p.base.Began)
	if known, ok := errors.AsType[*executor.LostError](err); ok {
		e := *known
		e.After = after
		return &e
	}
	return &executor.LostError{Code: executor.LostClosed, Hop: p.ex.opts.Placement, After: after, Err: err}
}

// watch follows the process to its end.
func (p *process) watch() {
	<-p.base.Exited()
	if p.exitKnown {
		p.flush()
		p.base.ReportExit(p.ending())
		p.base.Go(func() { p.base.CutShared(p.living) })
	}
	<-p.base.Journal.Done()
	p.base.SweepIf(p.noneLeft)
	p.base.Retire()
}

// flush waits for output that was written before the exit.
func (p *process) flush() {
	begin := time.Now()
	look := time.NewTicker(quietTime / 5)
	defer look.Stop()
	for {
		select {
		case <-p.base.Drained():
			return
		case <-look.C:
		}
		quiet := time.Since(p.base.Began) - time.Duration(p.lastOutput.Load())
		if min(time.Since(begin), quiet) > quietTime || time.Since(begin) > maxFlushTime {
			return
		}
	}
}

// ending returns how the process ended. Codex does not distinguish a signal from a code.
func (p *process) ending() executor.Exit {
	exit := p.exit
	if p.charge == nil || exit.Kind != executor.ExitCode {
		return exit
	}
	signal := signalOf(exit.Code)
	switch {
	case signal == "KILL" && p.killed.Load():
		exit = executor.Exit{Kind: executor.ExitSignal, Signal: "KILL"}
	case signal != "":
		exit.Why = fmt.Sprintf("exit code or signal %s: the exec server does not say", signal)
	}
	switch why := p.charge.Guard().Reason(); {
	case !why.Alive:
	case why.Kind == guard.ReasonClosed:
		exit.By, exit.Why = executor.EndedByGuard, "its channel was closed"
	default:
		exit.By, exit.Why = executor.EndedByLease, fmt.Sprintf("no contact for %v (lease %[1]v)", why.After)
	}
	return exit
}

// signals are those of Linux, by number from 1.
var signals = [...]string{
	"HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT",
	"CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
}

// signalOf returns the signal that a code may report, or "".
func signalOf(code int) string {
	if n := code - wire.CodexSignalBase; n > 0 && n <= len(signals) {
		return signals[n-1]
	}
	return ""
}

// Describe implements executor.Backend.
func (p *process) Describe(info *executor.Info) {
	link := p.s.linkInfo()
	if err := p.s.failure(); err != nil {
		link.State, link.Err = executor.LinkLost, err
	}
	p.mu.Lock()
	info.Notices = slices.Clone(p.notices)
	p.mu.Unlock()
	info.PID, info.Program, info.Link = p.pid, p.program, &link
}

// Latency implements executor.Backend.
func (p *process) Latency() time.Duration { return p.s.linkInfo().RTT }

func (p *process) notify(n executor.Notice) {
	p.mu.Lock()
	p.notices = append(p.notices, n)
	p.mu.Unlock()
	p.base.Journal.Emit(executor.Event{Kind: executor.Noticed, Notice: &n})
}

// Release implements executor.Backend.
func (p *process) Release(bool) {
	p.s.mu.Lock()
	delete(p.s.listen, p)
	p.s.mu.Unlock()
	p.stop()
	_ = p.stdin.Close() // never fails
	if p.charge != nil {
		g := p.charge.Guard()
		p.s.running.Go(func() { g.Leave(leaveTime) })
	}
	p.remote.fail(errClosed) // unless it has ended
}
