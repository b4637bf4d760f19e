package sshexec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
	"mcpdbg/sshexec/link"
)

const (
	// flushTime is how long an exit event is delayed to drain trailing output if there is
	// no guard, and maxFlushTime the limit with a guard, and for output that keeps
	// coming.
	flushTime    = 100 * time.Millisecond
	maxFlushTime = time.Second
	// quietTime without output means that no more is on its way.
	quietTime = 20 * time.Millisecond
	// reasonTime limits the wait for the words of a guard whose lease may have ended.
	reasonTime = 5 * time.Second
)

// A process is the remote part of an entry of the table. It has its own connection.
type process struct {
	ex   *Executor
	base *executor.Base

	mu      sync.Mutex
	link    executor.LinkInfo
	notices []executor.Notice

	// Set before the process is attached, and constant from then on.
	running    *launched
	conn       *link.Conn
	pipe       *stdinPipe         // nil without
	beats      context.CancelFunc // ends the keepalive
	away       absenceDetector
	lastOutput atomic.Int64 // since the process began
}

func newProcess(e *Executor, b *executor.Base) *process {
	return &process{ex: e, base: b}
}

// Describe implements executor.Backend.
func (p *process) Describe(info *executor.Info) {
	p.mu.Lock()
	lnk := p.link
	info.Notices = p.notices
	p.mu.Unlock()
	lnk.Heard = p.conn.LastRead()
	info.PID, info.Link = p.running.info.PID, &lnk
}

// Latency implements executor.Backend.
func (p *process) Latency() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.link.RTT
}

// Tree implements executor.Backend. Without a guard it is empty.
func (p *process) Tree(ctx context.Context) (found, spared []executor.Descendant, err error) {
	procs, err := p.ask(ctx, "T", "")
	return guard.Of(procs, guard.Member), guard.Of(procs, guard.Spared), err
}

// ask returns no processes if there is no guard, and once nothing is left of the process.
func (p *process) ask(ctx context.Context, command, args string) ([]guard.Proc, error) {
	c := p.running.charge
	if c == nil || p.base.Swept() || p.conn.Cause() != nil {
		return nil, nil
	}
	procs, err := c.Ask(ctx, command, args)
	if err != nil && (p.base.Swept() || p.conn.Cause() != nil) {
		return nil, nil // it ended while it was asked
	}
	return procs, err
}

func (p *process) attach(conn *link.Conn, run *launched, env executor.EnvReport) {
	ctx, cancel := context.WithCancel(context.Background())
	p.conn, p.running, p.beats = conn, run, cancel
	p.link = conn.Info()
	p.link.State, p.link.RTT = executor.LinkUp, run.rtt
	p.notices = slices.Concat(conn.Notices(), argvNotices(p.base.Exec.Argv), run.notices)
	s := executor.Streams{Lost: p.cutOff, Output: [2]io.Reader{
		&outputReader{p, io.MultiReader(bytes.NewReader(run.rest[executor.Stdout]), run.run)},
		&outputReader{p, io.MultiReader(bytes.NewReader(run.rest[executor.Stderr]), run.run.Stderr())},
	}}
	if p.base.Exec.NoStdin {
		_ = run.run.CloseWrite() // a failure shows as the end of the connection
	} else {
		p.pipe = &stdinPipe{ch: run.run, p: p}
		s.Stdin = p.pipe
	}
	p.base.Attach(s, env)
	if run.apart != nil {
		conn.KeepAlive()
		p.base.Go(func() { p.watchApart(ctx, run.apart) })
	}
	p.base.Go(func() { p.away.keep(ctx) })
	p.base.Go(func() { p.keepalive(ctx) })
	if run.charge != nil {
		p.charge(ctx, run.charge)
	}
	p.base.Go(func() { p.watch(ctx) })
}

func (p *process) watch(ctx context.Context) {
	run := p.running.run
	select {
	case <-run.exited:
	case <-run.ended:
	}
	var left remainingQuery
	if run.hasExited() {
		p.base.LeaderExited()
		left = p.flush()
		exit := run.exit
		exit.By, exit.Why = p.endedBy(exit)
		p.base.ReportExit(exit)
		p.base.Go(func() { p.base.CutShared(ctx) })
		select {
		case <-p.base.Journal.Done():
		case <-run.ended:
			if run.cutOff {
				p.lose()
			}
			<-p.base.Journal.Done()
		}
	} else {
		p.lose()
		p.base.LeaderExited()
	}
	// The connection is closed as soon as it is no longer needed.
	p.base.SweepIf(func() bool {
		limited, cancel := context.WithTimeout(ctx, endTime) // a silent guard must not block Terminate
		defer cancel()
		return p.running.charge == nil || p.noneLeft(limited, left)
	})
	p.base.Retire()
}

// A remainingQuery asks a guard for the remaining processes of an ended leader.
type remainingQuery struct {
	answer chan []guard.Proc // nil if no guard was asked; it holds one reply
	gone   <-chan struct{}   // closed when the guard that was asked has ended
}

// flush waits for output that was written before the exit: the guard's later replies come
// after it, as everything passes through one server. It also tells the guard that the
// leader's pid and group are no longer valid; the guard's reply to that lists the
// remaining processes.
func (p *process) flush() (left remainingQuery) {
	var answer chan []guard.Proc
	var gone <-chan struct{}
	begin, limit := time.Now(), maxFlushTime
	settled := begin.Add(flushTime) // when all earlier output has come
	drained := p.base.Drained()
	if g := p.guard(); g != nil && !p.base.Ending() {
		// A guard that has ended may have written why: read that first.
		if g.MayHaveExpired(begin) {
			drained, limit = nil, reasonTime
		}
		gone, left.gone, settled = g.Gone(), g.Gone(), begin.Add(limit)
		if asked, err := g.Send("X", ""); err == nil {
			answer, left.answer = asked, asked
		}
	}
	look := time.NewTicker(quietTime / 2)
	defer look.Stop()
	for {
		select {
		case <-drained:
			return left
		case procs := <-answer:
			settled, answer = time.Now(), nil
			left.answer <- procs // for noneLeft
		case <-gone:
			settled, gone = time.Now(), nil
		case <-look.C:
			// A stream may be read slowly.
			if min(time.Since(settled), p.quiet()) > quietTime || time.Since(begin) > limit {
				return left
			}
		}
	}
}

// endedBy returns the guard, and its reason, if it reported that it ends the process.
func (p *process) endedBy(exit executor.Exit) (executor.EndedBy, string) {
	g := p.guard()
	if g == nil {
		return exit.By, exit.Why
	}
	switch why := g.Reason(); {
	case p.running.apart != nil && p.running.apart.Cause() != nil && !p.base.Swept() && !p.base.Ending():
		return executor.EndedByGuard, "its connection was lost"
	case !why.Alive:
		return exit.By, exit.Why // it found a leader that had ended
	case why.Kind == guard.ReasonClosed:
		return executor.EndedByGuard, "its channel was closed"
	default:
		lease := why.After
		text := fmt.Sprintf("no contact for %s (lease %[1]s)", seconds(lease))
		if absence := p.away.within(time.Now(), lease); absence != "" {
			text += "; " + absence
		}
		return executor.EndedByLease, text
	}
}

func (p *process) quiet() time.Duration {
	return time.Since(p.base.Began) - time.Duration(p.lastOutput.Load())
}

// If nothing was left at the exit, nothing can come, unless the guard has a doubt.
func (p *process) noneLeft(ctx context.Context, left remainingQuery) bool {
	if left.answer != nil {
		select {
		case procs := <-left.answer:
			if len(procs) == 0 {
				return !p.doubts()
			}
		case <-left.gone:
		case <-ctx.Done():
		}
	}
	procs, err := p.ask(ctx, "X", "") // unlike T, it makes sure that there is none
	return err == nil && len(procs) == 0 && !p.doubts()
}

// KillOne implements executor.TreeKiller.
func (p *process) KillOne(ctx context.Context, pid int) (executor.Descendant, error) {
	switch c := p.running.charge; {
	case c == nil:
		return executor.Descendant{}, fmt.Errorf("kill one process without a guard: %w", errors.ErrUnsupported)
	case p.base.Swept() || p.conn.Cause() != nil:
		return executor.Descendant{}, executor.ErrNotInTree
	default:
		return c.KillOne(ctx, pid)
	}
}

// guard returns the guard in charge, or nil.
func (p *process) guard() *guard.Guard {
	if c := p.running.charge; c != nil {
		return c.Guard()
	}
	return nil
}

// guarded reports whether there is a guard, or will be one soon.
func (p *process) guarded() bool { return p.running.charge != nil && p.running.charge.Guarded() }

// doubts reports whether the guard cannot tell if a process that it has not seen is left.
func (p *process) doubts() bool {
	g := p.guard()
	return g != nil && g.Doubts()
}

// Release implements executor.Backend.
func (p *process) Release(none bool) {
	if g := p.guard(); none && g != nil && p.conn.Cause() == nil {
		g.Close()
	}
	p.abandon()
}

// abandon closes the connection, which unblocks everything that waits for it.
func (p *process) abandon() {
	p.beats()
	_ = p.conn.Close() // it is no longer needed
	if apart := p.running.apart; apart != nil {
		_ = apart.Close()
	}
}

type outputReader struct {
	p *process
	r io.Reader
}

func (o *outputReader) Read(b []byte) (int, error) {
	n, err := o.r.Read(b)
	if n > 0 {
		o.p.lastOutput.Store(int64(time.Since(o.p.base.Began)))
	}
	return n, err
}

// cutOff reports whether a stream has ended because the connection was lost.
func (p *process) cutOff() bool {
	if p.conn.Cause() == nil {
		return false
	}
	run := p.running.run
	<-run.ended // with the connection
	return run.cutOff
}

type stdinPipe struct {
	ch     *channel
	p      *process
	ending atomic.Bool // Terminate is running: what the server still accepts is dropped

	mu    sync.Mutex
	busy  bool
	freed chan struct{} // closed when the write that Close has found stuck is over
}

// A shorter write than stuckAfter was on its way before the process ended, and is assumed
// to have been read: it may be what ended the process.
const stuckAfter = 100 * time.Millisecond

// Write blocks while the process does not read and the window is full. When the
// leader has ended, sshd accepts all data and drops it: that is an error.
func (s *stdinPipe) Write(b []byte) (int, error) {
	if s.ch.hasExited() {
		return 0, errExited
	}
	s.setBusy(true)
	begin := time.Now()
	n, err := s.ch.Write(b)
	stuck := time.Since(begin) >= stuckAfter
	s.setBusy(false)
	if s.ending.Load() || stuck && s.ch.hasExited() {
		return 0, errExited
	}
	return n, err
}

var errExited = errors.New("process has ended")

func (s *stdinPipe) setBusy(busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = busy
	if !busy && s.freed != nil {
		close(s.freed)
		s.freed = nil
	}
}

// Close ends standard input. A write that is stuck can be unblocked only by
// closing the channel, which the server does after an exit; if it does not, by
// closing the connection.
func (s *stdinPipe) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.busy {
		return s.ch.CloseWrite()
	}
	freed := make(chan struct{})
	s.freed = freed
	s.p.base.Go(func() {
		timer := time.NewTimer(time.Second)
		defer timer.Stop()
		select {
		case <-freed:
		case <-timer.C:
			s.p.abandon()
		}
	})
	return s.ch.Close()
}
