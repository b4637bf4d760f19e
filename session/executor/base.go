package executor

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// MarkName is the environment variable that marks a process and its
// descendants.
const MarkName = "MCPDBG_MARK"

// drainTime is how long the streams may be silent, in addition to Backend.Latency, before
// Terminate cuts them.
const drainTime = 250 * time.Millisecond

// treeTime is how long Terminate waits for the list of processes that an ended leader has
// left: another guard may have to take over first.
const treeTime = 8 * time.Second

// A Backend is the part of a process that depends on where it runs. All methods but
// Launch are called for a launched process only, from any goroutine.
type Backend interface {
	// Launch resolves and spawns the process, and calls Base.Attach once it
	// runs. If it fails, nothing of the process is left.
	Launch(ctx context.Context) *StartError
	// Describe sets the fields of info that Base does not know.
	Describe(info *Info)
	// Stop implements Process.
	Stop(ctx context.Context, step Step, scope Scope) (StopReport, error)
	// Tree lists the live processes, separating those that Command.Leave
	// spares.
	Tree(ctx context.Context) (found, spared []Descendant, err error)
	// CannotTell returns StopReport.CannotTell.
	CannotTell() []string
	// Kill kills all processes, waits for the leader's exit, and sets the lists of
	// report. alone says that the leader has exited and that nothing of the process was
	// left at the first look. Calls do not overlap.
	Kill(ctx context.Context, alone bool, report *StopReport) error
	// Latency returns the time of a round trip to the process.
	Latency() time.Duration
	// Release gives up what the executor holds for the process. none says that
	// nothing of the process is left. It is called once.
	Release(none bool)
}

// A Base is the part of a process that is the same wherever it runs: its state, its
// streams and the order of its end. A Table makes it when the id is reserved. All methods
// may be called from any goroutine.
type Base struct {
	ID   string
	Cmd  Command
	Mark string // in the environment of the process and all its descendants
	// Exec is what the backend launches: Cmd, unless a Layer runs it through a program of
	// its own. Like Layer, it is constant once the backend is built.
	Exec  Command
	Layer *Layer // nil without

	table    *Table
	own      Backend
	cancel   context.CancelCauseFunc // of the pending start
	phase    string                  // the latest of the start
	settled  chan struct{}           // closed when the start has succeeded or failed
	exited   chan struct{}
	exitedAt time.Time     // set before exited is closed
	ending   chan struct{} // one slot
	retired  *time.Timer   // guarded by the lock of the table

	mu      sync.Mutex
	running bool
	swept   bool // nothing of the process is left, or nothing can be reached
	shared  bool // set by ShareStreams

	// Set by Attach, and constant from then on.
	Journal *Journal
	Stdin   *Stdin
	Began   time.Time
	env     EnvReport
	drained chan struct{}
}

// A Layer joins a backend to the process that it runs for another executor:
// what the backend launches is a program through which that process is reached.
type Layer struct {
	// Streams returns the streams of the process, from those of the program.
	Streams func(Streams) Streams
	// Exit returns how the process ended, from how the program did.
	Exit func(Exit) Exit
	// Empty reports whether nothing is left beyond the program.
	Empty func() bool
}

// A Foundation is an Executor whose processes another executor can build on.
type Foundation interface {
	Executor
	// StartOn is like Start, for a process with the backend that over returns. over gets
	// the one that this executor would use, may set Exec and Layer, and must not block.
	StartOn(ctx context.Context, cmd Command, over func(*Base, Backend) Backend) (Process, error)
}

func newBase(t *Table, id string, cmd Command, cancel context.CancelCauseFunc) *Base {
	cmd.Argv = slices.Clone(cmd.Argv)
	cmd.Env = slices.Clone(cmd.Env)
	cmd.Leave = slices.Clone(cmd.Leave)
	return &Base{
		ID: id, Cmd: cmd, Exec: cmd, Mark: NewMark(), table: t, cancel: cancel,
		settled: make(chan struct{}), exited: make(chan struct{}), ending: make(chan struct{}, 1), drained: make(chan struct{}),
	}
}

// NewMark returns a value of MarkName for one process: 128 random bits, in hexadecimal
// digits.
func NewMark() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: it would crash the program instead
	return hex.EncodeToString(b[:])
}

// Phase runs and reports one step of the start.
func (b *Base) Phase(name, detail string, step func() *StartError) *StartError {
	b.phase = name
	ph := Phase{Name: name, Detail: detail, Begin: time.Now()}
	if b.Cmd.OnBegin != nil {
		b.Cmd.OnBegin(ph)
		ph.Begin = time.Now() // the callback may have taken its time
	}
	err := step()
	ph.End = time.Now()
	if err != nil {
		ph.Err = err
	}
	if b.Cmd.OnPhase != nil {
		b.Cmd.OnPhase(ph)
	}
	return err
}

var errCancelled = errors.New("start was cancelled")

// Terminated reports whether Terminate has cancelled the start with this
// context.
func Terminated(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errCancelled) }

// StartCancelledBy returns the error of a start whose context is done.
func StartCancelledBy(ctx context.Context, phase string) *StartError {
	err := context.Cause(ctx)
	switch {
	case Terminated(ctx):
	case errors.Is(err, ctx.Err()):
		err = fmt.Errorf("%w: %w", errCancelled, err)
	default:
		err = fmt.Errorf("%w: %w: %w", errCancelled, ctx.Err(), err)
	}
	return &StartError{Code: StartCancelled, Phase: phase, Err: err}
}

// Streams are this program's ends of the streams of a process.
type Streams struct {
	Stdin  io.WriteCloser            // nil without
	Try    func([]byte) (int, error) // see NewStdin
	Output [2]io.Reader              // by Stream
	// Lost, if set, reports whether an output that has ended was lost with its
	// connection.
	Lost func() bool
	// Source, if set, takes the place of Output for streams that come in one order: it
	// gives the Journal all output and both ends, or Fail, and then returns.
	Source func()
}

// Attach begins the life of a launched process: from now on it can be read,
// written and ended. The backend is complete by then.
func (b *Base) Attach(s Streams, env EnvReport) {
	o := b.table.opts.Journal
	o.OnClosing, o.Pinned = func() { b.Stdin.Abort() }, b.Cmd.Pinned
	if b.Layer != nil {
		s = b.Layer.Streams(s)
	}
	b.Journal, b.env, b.Began = NewJournal(o), env, time.Now()
	b.Stdin = NewStdin(s.Stdin, s.Try, b.Journal.Emit)
	b.mu.Lock()
	b.running = true
	b.mu.Unlock()
	if s.Source != nil {
		b.Go(func() {
			defer close(b.drained)
			s.Source()
		})
		return
	}
	other := make(chan struct{})
	b.Go(func() {
		defer close(other)
		b.pump(s, Stderr)
	})
	b.Go(func() {
		defer close(b.drained)
		b.pump(s, Stdout)
		<-other
	})
}

func (b *Base) pump(s Streams, stream Stream) {
	var slab Slab
	for {
		n, err := s.Output[stream].Read(slab.Space())
		if n > 0 {
			b.Journal.Output(stream, slab.Take(n))
		}
		if err != nil {
			break
		}
	}
	if s.Lost == nil || !s.Lost() {
		b.Journal.EOF(stream)
	}
}

// Go runs f on a goroutine that the executor waits for when it is closed.
func (b *Base) Go(f func()) { b.table.running.Go(f) }

// Drained is closed when both output streams have been read to their end.
func (b *Base) Drained() <-chan struct{} { return b.drained }

// LeaderExited records that the leader has ended, or is lost. It is called once,
// before ReportExit.
func (b *Base) LeaderExited() {
	b.exitedAt = time.Now()
	close(b.exited)
}

// ReportExit records how the leader ended, once all its earlier output was read.
func (b *Base) ReportExit(e Exit) {
	if b.Layer != nil {
		e = b.Layer.Exit(e)
	}
	b.Journal.Exited(e)
}

// Exited is closed by LeaderExited.
func (b *Base) Exited() <-chan struct{} { return b.exited }

// Alive reports whether the leader is not known to have ended.
func (b *Base) Alive() bool {
	select {
	case <-b.exited:
		return false
	default:
		return true
	}
}

// Ending reports whether a Terminate is running.
func (b *Base) Ending() bool { return len(b.ending) > 0 }

// Retire keeps a process that is Closed or Failed readable for the retention of the
// table, and ends its descendants afterwards.
func (b *Base) Retire() {
	b.table.retire(b, b.Abandon)
}

// Abandon ends a process that was attached, and whose start has failed nevertheless.
func (b *Base) Abandon() {
	_, _ = b.end(context.Background()) // what cannot be killed is leaked
	b.release(false)
}

func (b *Base) launched() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.running
}

// Swept reports whether the process was released.
func (b *Base) Swept() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.swept
}

// SweepIf releases an ended process if none reports that nothing of it is left, unless a
// Terminate is running.
func (b *Base) SweepIf(none func() bool) {
	select {
	case b.ending <- struct{}{}:
		defer func() { <-b.ending }()
	default:
		return
	}
	if none() && (b.Layer == nil || b.Layer.Empty()) {
		b.release(true)
	}
}

// release releases a launched process, once.
func (b *Base) release(none bool) {
	b.mu.Lock()
	due := b.running && !b.swept
	b.swept = b.swept || due
	b.mu.Unlock()
	if due {
		b.own.Release(none)
	}
}

func (b *Base) info() Info {
	info := Info{
		ID: b.ID, State: StateStarting, Placement: b.table.opts.Placement,
		Argv: slices.Clone(b.Cmd.Argv), Dir: b.Cmd.Dir, NextSeq: 1,
	}
	if b.launched() {
		info.Env, info.Started = b.env, b.Began
		b.own.Describe(&info)
		b.Journal.Fill(&info)
		b.Stdin.Fill(&info)
	}
	return info
}

func (b *Base) terminate(ctx context.Context) (StopReport, error) {
	if !b.cancelStart() {
		return b.end(ctx)
	}
	b.table.remove(b)
	select {
	case <-b.settled:
		return StopReport{Running: true}, nil
	case <-ctx.Done():
		return StopReport{Running: true}, ctx.Err()
	}
}

// cancelStart cancels a pending start and reports whether there is one.
func (b *Base) cancelStart() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running {
		return false
	}
	b.cancel(errCancelled)
	return true
}

// end kills all processes and completes the journal with Closed. Calls run one at a time.
func (b *Base) end(ctx context.Context) (report StopReport, err error) {
	select {
	case b.ending <- struct{}{}:
		defer func() { <-b.ending }()
	case <-ctx.Done():
		return report, ctx.Err()
	}
	report.CannotTell = b.own.CannotTell()
	if b.Swept() {
		return report, nil
	}
	report.Running = b.Alive()
	alone := !report.Running && b.settle(ctx)
	b.Journal.BeginEnding()
	err = b.own.Kill(ctx, alone, &report)
	report.CannotTell = b.own.CannotTell()
	if len(report.Survivors) > 0 {
		b.Journal.Emit(Event{Kind: Survivors, Procs: report.Survivors})
	}
	if err != nil {
		b.Journal.EndEnding(false)
		return report, fmt.Errorf("terminate %s: %w", b.ID, err)
	}
	if b.endStreams() && len(report.Signalled)+len(report.Survivors) == 0 && !b.areStreamsShared() {
		report.CannotTell = append(report.CannotTell, heldByUnknown)
	}
	select {
	case <-b.Journal.Done():
	case <-ctx.Done():
		return report, ctx.Err()
	}
	if len(report.Survivors) == 0 {
		b.release(true)
	}
	return report, nil
}

// heldByUnknown is reported if Terminate had to cut the streams, but found no process.
const heldByUnknown = "its streams were still open after it had ended: the process that held them was not found and not killed"

// endStreams ends a BeginEnding when no process of the tree is left: it reads the rest of
// the output, and cuts streams that another process holds open.
func (b *Base) endStreams() (cut bool) {
	cut = !b.Journal.AwaitEOF(drainTime + b.own.Latency())
	b.Journal.EndEnding(cut)
	return cut
}

// ShareStreams records that processes which were there before may hold the
// streams too.
func (b *Base) ShareStreams() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shared = true
}

func (b *Base) areStreamsShared() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.shared
}

// CutShared ends the streams of a process that has exited and left no other, if processes
// that were there before may hold them.
func (b *Base) CutShared(ctx context.Context) {
	if !b.areStreamsShared() {
		return
	}
	none := false
	settle(ctx, b.exitedAt, func() bool {
		found, _, err := b.own.Tree(ctx)
		none = err == nil && len(found) == 0
		return none
	})
	if none && !b.Swept() {
		b.Journal.BeginEnding()
		b.endStreams()
	}
}

// settle gives the leader's descendants time to exit as well. It reports whether there
// was none from the beginning.
func (b *Base) settle(ctx context.Context) (alone bool) {
	ctx, cancel := context.WithTimeout(ctx, treeTime)
	defer cancel()
	alone = true
	settle(ctx, b.exitedAt, func() bool {
		found, _, err := b.own.Tree(ctx)
		alone = alone && err == nil && len(found) == 0
		return err != nil || len(found) == 0
	})
	return alone
}

// SettleTime is how long descendants may live after their leader exits before they count
// as leaked. A wrapper such as npx exits at about the same time as the server in it. It
// costs time only if there are descendants.
const SettleTime = 500 * time.Millisecond

// The interval between two looks at the remaining processes; it doubles each
// time.
const (
	firstLook = 5 * time.Millisecond
	maxLook   = 50 * time.Millisecond
)

// settle waits until look finds no process, until SettleTime after the leader exited, or
// until ctx is done, so that only leaked processes are killed and reported.
func settle(ctx context.Context, ended time.Time, look func() (none bool)) {
	for pause := firstLook; !look(); pause = min(2*pause, maxLook) {
		left := SettleTime - time.Since(ended)
		if left <= 0 {
			return
		}
		select {
		case <-time.After(min(pause, left)):
		case <-ctx.Done():
			return
		}
	}
}

var firstSamples = []time.Duration{50 * time.Millisecond, 250 * time.Millisecond, time.Second}

// Sample calls look soon after the start of a process and then at an interval,
// or no more if that is 0, until ctx is done: members of its tree that were
// seen once are found again when they hide.
func Sample(ctx context.Context, interval time.Duration, look func()) {
	began := time.Now()
	for i := 0; i < len(firstSamples) || interval > 0; i++ {
		pause := interval
		if i < len(firstSamples) {
			pause = firstSamples[i] - time.Since(began)
		}
		select {
		case <-time.After(pause):
			look()
		case <-ctx.Done():
			return
		}
	}
}
