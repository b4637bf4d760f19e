package sshexec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/link"
)

const (
	// flushTime is how long the news of an exit waits for output where there is no
	// guard, and maxFlushTime for the guard, and for output that keeps coming.
	flushTime    = 100 * time.Millisecond
	maxFlushTime = time.Second
	// quietTime without output says that there is no more on its way.
	quietTime = 20 * time.Millisecond
)

// A process is one entry of the table, from its reservation on. It has a
// connection of its own.
type process struct {
	ex   *Executor
	id   string
	cmd  executor.Command
	mark string // in the environment of the process and all its descendants

	settled chan struct{} // closed when the start has succeeded or failed
	exited  chan struct{} // closed when the leader's exit is known, or never will be
	ending  chan struct{} // one slot: held by the Terminate that is at work

	mu      sync.Mutex
	cancel  context.CancelCauseFunc // of the start under way
	running *launched               // nil until the process runs
	link    executor.LinkInfo
	swept   bool // nothing of the process is left, or nobody can be reached
	notices []executor.Notice
	hosts   []guardProc // the host's own, which run in the group of the process

	settledHosts bool // hosts is known

	inCharge  *guard        // nil without
	replaced  chan struct{} // closed, and replaced, when another guard takes over
	unguarded chan struct{} // closed when no guard is left
	retired   chan struct{} // closed when no other guard will come

	// Set before running is, and constant from then on.
	conn    *link.Conn
	began   time.Time
	env     executor.EnvReport
	journal *executor.Journal
	stdin   *executor.Stdin // nil without, as is pipe
	pipe    *stdinPipe
	pumps   []*pump
	beats   context.CancelFunc // ends the keepalive
	away    attendance

	exitedAt time.Time // set before exited is closed
}

func newProcess(e *Executor, id string, cmd executor.Command) *process {
	cmd.Argv = slices.Clone(cmd.Argv)
	cmd.Env = slices.Clone(cmd.Env)
	return &process{
		ex: e, id: id, cmd: cmd, mark: newMark(),
		settled: make(chan struct{}), exited: make(chan struct{}), ending: make(chan struct{}, 1),
		replaced: make(chan struct{}), unguarded: make(chan struct{}), retired: make(chan struct{}),
	}
}

// ID implements executor.Process.
func (p *process) ID() string { return p.id }

// run is what runs, or nil while it is starting.
func (p *process) run() *launched {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running
}

// Info implements executor.Process.
func (p *process) Info() executor.Info {
	info := executor.Info{
		ID:        p.id,
		State:     executor.StateStarting,
		Placement: p.ex.opts.Destination.Host,
		Argv:      slices.Clone(p.cmd.Argv),
		Dir:       p.cmd.Dir,
		NextSeq:   1,
	}
	p.mu.Lock()
	run, lnk, notices := p.running, p.link, p.notices
	p.mu.Unlock()
	if run == nil {
		return info
	}
	lnk.Heard = p.conn.Heard()
	info.PID, info.Env, info.Started, info.Notices, info.Link = run.pid, p.env, p.began, notices, &lnk
	p.journal.Fill(&info)
	if p.stdin != nil {
		p.stdin.Fill(&info)
	}
	return info
}

// Subscribe implements executor.Process.
func (p *process) Subscribe(o executor.SubscribeOptions) (*executor.Subscription, error) {
	if p.run() == nil {
		return nil, executor.ErrStarting
	}
	return p.journal.Subscribe(o)
}

// Read implements executor.Process.
func (p *process) Read(ctx context.Context, after uint64, max int, wait time.Duration) (executor.ReadResult, error) {
	if p.run() == nil {
		return executor.ReadResult{}, executor.ErrStarting
	}
	return p.journal.Read(ctx, after, max, wait)
}

// Write implements executor.Process.
func (p *process) Write(ctx context.Context, writeID string, data []byte) (executor.WriteResult, error) {
	switch {
	case p.run() == nil:
		return executor.WriteResult{Status: executor.Starting}, nil
	case p.stdin == nil:
		return executor.WriteResult{Status: executor.StdinClosed}, nil
	default:
		return p.stdin.Write(ctx, writeID, data)
	}
}

// CloseStdin implements executor.Process.
func (p *process) CloseStdin() executor.WriteStatus {
	switch {
	case p.run() == nil:
		return executor.Starting
	case p.stdin == nil:
		return executor.StdinClosed
	default:
		return p.stdin.Close()
	}
}

// Tree implements executor.Process. Without a guard it knows nobody.
func (p *process) Tree(ctx context.Context) ([]executor.Descendant, error) {
	run := p.run()
	if run == nil || run.guard == nil {
		return nil, nil
	}
	procs, err := p.ask(ctx, "T", "")
	return ofKind(procs, isMember, isSpared), err
}

// ask asks the guard. It returns no processes without a guard, and once nothing
// is left of the process.
func (p *process) ask(ctx context.Context, command, args string) ([]guardProc, error) {
	if p.guard() == nil || p.isSwept() || p.conn.Cause() != nil {
		return nil, nil
	}
	procs, err := p.askGuard(ctx, command, args)
	if err != nil && (p.isSwept() || p.conn.Cause() != nil) {
		return nil, nil // it went while it was asked
	}
	return procs, err
}

// attach makes the launched process the entry's own and starts its goroutines.
func (p *process) attach(conn *link.Conn, run *launched, env executor.EnvReport) {
	o := p.ex.opts.Journal
	o.OnClosing, o.Pinned, o.OneWindow = p.closing, p.cmd.Pinned, true
	p.journal = executor.NewJournal(o)
	if p.cmd.NoStdin {
		_ = run.run.CloseWrite() // what it means if this fails is told by the connection
	} else {
		p.pipe = &stdinPipe{ch: run.run, abort: p.abandon}
		p.stdin = executor.NewStdin(p.pipe, nil, p.journal.Emit)
	}
	p.pumps = []*pump{
		newPump(p, executor.Stdout, run.run, run.rest[executor.Stdout]),
		newPump(p, executor.Stderr, run.run.Stderr(), run.rest[executor.Stderr]),
	}
	p.conn, p.env, p.began = conn, env, time.Now()
	ctx, cancel := context.WithCancel(context.Background())
	p.beats = cancel
	p.mu.Lock()
	p.link = conn.Info()
	p.link.State, p.link.RTT = executor.LinkUp, run.rtt
	p.notices = slices.Concat(conn.Notices(), argvNotices(p.cmd.Argv), run.notices)
	p.running, p.inCharge = run, run.guard
	p.mu.Unlock()
	for _, pump := range p.pumps {
		p.ex.running.Go(pump.run)
	}
	if run.apart != nil {
		conn.KeepAlive()
		p.ex.running.Go(func() { p.watchApart(ctx, run.apart) })
	}
	p.ex.running.Go(func() { p.away.keep(ctx) })
	p.ex.running.Go(func() { p.keepalive(ctx) })
	if run.guard != nil {
		p.ex.running.Go(func() { p.takeHosts(ctx) })
		if run.stamp == noStamp {
			p.ex.running.Go(func() { p.sampleEarly(ctx) })
		}
		p.ex.running.Go(func() { p.watchGuard(ctx) })
	}
	p.ex.running.Go(p.watch)
}

// closing runs when both streams have ended and the exit is known.
func (p *process) closing() {
	if p.stdin != nil {
		p.stdin.Abort()
	}
}

// watch waits for the leader's end and tells of it, and then for the end of
// the streams.
func (p *process) watch() {
	run := p.running.run
	select {
	case <-run.exited:
	case <-run.ended:
	}
	var left leftBehind
	p.exitedAt = time.Now()
	if run.hasExited() {
		close(p.exited)
		left = p.flush()
		exit := run.exit
		exit.By, exit.Why = p.endedBy(exit)
		p.journal.Exited(exit)
		select {
		case <-p.journal.Done():
		case <-run.ended:
			if run.cutOff {
				p.lose()
			}
			<-p.journal.Done()
		}
	} else {
		p.lose()
		close(p.exited)
	}
	p.tidy(left)
	p.ex.table.Retire(p, p.expire)
}

// A leftBehind is the question to a guard which processes an ended leader has left.
type leftBehind struct {
	answer chan []guardProc // nil if no guard was asked; it holds one answer
	gone   <-chan struct{}  // closed when the guard that was asked has ended
}

// flush gives output that was written before the exit the time to come: what
// the guard answers from now on comes behind it, as all passes through one
// server. It also tells the guard that the leader's numbers mean nothing any
// more; the guard's answer to that lists the processes that are left.
func (p *process) flush() (left leftBehind) {
	var answer chan []guardProc
	var gone <-chan struct{}
	begin := time.Now()
	settled := begin.Add(flushTime) // when all has come that had been written
	if g := p.guard(); g != nil && !p.isEnding() {
		// One that has ended may have said why: that is read before it is gone.
		gone, left.gone, settled = g.gone, g.gone, begin.Add(maxFlushTime)
		if asked, err := g.send("X", ""); err == nil {
			answer, left.answer = asked, asked
		}
	}
	ended := make(chan struct{})
	p.ex.running.Go(func() {
		defer close(ended)
		for _, pump := range p.pumps {
			<-pump.done
		}
	})
	look := time.NewTicker(quietTime / 2)
	defer look.Stop()
	for {
		select {
		case <-ended:
			return left
		case procs := <-answer:
			settled, answer = time.Now(), nil
			left.answer <- procs // for nobodyLeft
		case <-gone:
			settled, gone = time.Now(), nil
		case <-look.C:
			// A pump may be slow to take what has come.
			if min(time.Since(settled), p.quiet()) > quietTime || time.Since(begin) > maxFlushTime {
				return left
			}
		}
	}
}

// endedBy names the guard where it has said that it ends the process, and why.
func (p *process) endedBy(exit executor.Exit) (executor.EndedBy, string) {
	g := p.guard()
	if g == nil {
		return exit.By, exit.Why
	}
	switch why := g.reason(); {
	case p.running.apart != nil && p.running.apart.Cause() != nil && !p.isSwept() && !p.isEnding():
		return executor.EndedByGuard, "its connection was lost"
	case !why.meets:
		return exit.By, exit.Why // it found a leader that had ended
	case why.kind == reasonClosed:
		return executor.EndedByGuard, "its channel was closed"
	default:
		lease := time.Duration(why.after) * time.Second
		text := fmt.Sprintf("no contact for %s (lease %[1]s)", seconds(lease))
		if absence := p.away.within(time.Now(), lease); absence != "" {
			text += "; " + absence
		}
		return executor.EndedByLease, text
	}
}

// quiet is for how long no output has come.
func (p *process) quiet() time.Duration {
	last := int64(0)
	for _, pump := range p.pumps {
		last = max(last, pump.last.Load())
	}
	return time.Since(p.began) - time.Duration(last)
}

// isEnding tells whether a Terminate is at work.
func (p *process) isEnding() bool { return len(p.ending) > 0 }

// awaitPumps waits until each pump has seen the end of its stream, but not
// longer than limit, and reports whether all have.
func (p *process) awaitPumps(limit time.Duration) bool {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	for _, pump := range p.pumps {
		select {
		case <-pump.done:
		case <-timeout.C:
			return false
		}
	}
	return true
}

// tidy gives the connection up as soon as it is not needed any more: the process
// has ended and nothing of it is left, or the connection is lost.
func (p *process) tidy(left leftBehind) {
	select {
	case p.ending <- struct{}{}:
		defer func() { <-p.ending }()
	default:
		return // a Terminate is at it
	}
	if p.running.guard == nil || p.nobodyLeft(left) {
		p.sweep()
	}
}

// nobodyLeft reports whether nothing of an ended process is left. Where nothing
// was at the exit, nothing can come.
func (p *process) nobodyLeft(left leftBehind) bool {
	if left.answer != nil {
		select {
		case procs := <-left.answer:
			if len(procs) == 0 {
				return true
			}
		case <-left.gone:
		case <-p.ex.ctx.Done():
		}
	}
	procs, err := p.ask(p.ex.ctx, "T", "")
	return err == nil && len(procs) == 0
}

// expire ends what outlived a leader that nobody terminated: from now on it
// can be reached by nobody.
func (p *process) expire() {
	// What cannot be killed is nobody's any more; the guard tries once more.
	_, _ = p.end(context.Background())
	p.abandon()
}

// sweep notes that nothing of the process is left, and closes the connection.
func (p *process) sweep() {
	p.mu.Lock()
	p.swept = true
	p.mu.Unlock()
	if g := p.guard(); g != nil && p.conn.Cause() == nil {
		g.close()
	}
	p.abandon()
}

// abandon closes the connection: everything that waits for it goes on.
func (p *process) abandon() {
	p.beats()
	_ = p.conn.Close() // nothing is wanted from it any more
	if apart := p.running.apart; apart != nil {
		_ = apart.Close()
	}
}

func (p *process) isSwept() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.swept
}

// A pump reads one output stream of a process until its end.
type pump struct {
	p      *process
	stream executor.Stream
	r      io.Reader
	rest   []byte
	slab   executor.Slab
	last   atomic.Int64  // when output came last, since the process began
	done   chan struct{} // closed when run ends
}

func newPump(p *process, s executor.Stream, r io.Reader, rest []byte) *pump {
	return &pump{p: p, stream: s, r: r, rest: rest, done: make(chan struct{})}
}

func (p *pump) run() {
	defer close(p.done)
	p.p.journal.Output(p.stream, p.rest)
	for {
		n, err := p.r.Read(p.slab.Space())
		if n > 0 {
			p.last.Store(int64(time.Since(p.p.began)))
			p.p.journal.Output(p.stream, p.slab.Take(n))
		}
		if err != nil {
			break
		}
	}
	if p.whole() {
		p.p.journal.EOF(p.stream)
	}
}

// whole tells whether the stream has really ended: a connection that breaks
// ends it too.
func (p *pump) whole() bool {
	if p.p.conn.Cause() == nil {
		return true
	}
	run := p.p.running.run
	<-run.ended // with the connection
	return !run.cutOff
}

// A stdinPipe is the way to the standard input of a remote process.
type stdinPipe struct {
	ch     *channel
	abort  func()
	ending atomic.Bool // Terminate is at work: what the server still takes is dropped

	mu   sync.Mutex
	busy bool
}

// stuckAfter is how long a write takes at least that waited for the window. What
// took less was on its way before the process ended, and is taken to have been
// read: it may have been what ended the process.
const stuckAfter = 100 * time.Millisecond

// Write blocks while the process does not read and the window is full. When the
// leader has ended sshd takes all that comes and drops it: that is no success.
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

// errExited is why what was queued did not reach a process.
var errExited = errors.New("process has ended")

func (s *stdinPipe) setBusy(busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = busy
}

// Close ends standard input. A write that is stuck can be freed only by closing
// the channel, which the server does by itself after an exit; if it does not, by
// giving up the connection.
func (s *stdinPipe) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.busy {
		return s.ch.CloseWrite()
	}
	time.AfterFunc(time.Second, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.busy {
			go s.abort()
		}
	})
	return s.ch.Close()
}
