package exectest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

const (
	// waitLimit is the timeout of every wait of the suite, long enough that an
	// event will not come later, however busy the machine is.
	waitLimit    = 5 * time.Minute
	pollInterval = 10 * time.Millisecond
)

// A Harness is one executor under test.
type Harness struct {
	Executor executor.Executor
	// Program is the path of the helper on the machine where the processes run:
	// a test binary whose TestMain calls HelperMain.
	Program string
	// Alive reports whether the process pid runs on that machine. A zombie does
	// not run.
	Alive func(pid int) bool
	// Zombie reports whether pid is dead but not reaped.
	Zombie func(pid int) bool
	// NewWithRetention returns another executor in the same place that keeps processes
	// only for retention after Closed.
	NewWithRetention func(t *testing.T, retention time.Duration) executor.Executor
	// Local reports whether processes run on this machine and environment
	// policies select from this program's environment, in which SecretName is
	// set to SecretValue.
	Local bool
	// FindsOrphans reports whether the executor finds every process that the leader
	// started, whatever its environment, group, session and parent are now.
	// Otherwise Terminate must find those that a look at the tree has shown
	// before and give a reason in StopReport.CannotTell for the others.
	FindsOrphans bool
	// StreamsEnd reports whether the output streams end with the leader, even
	// if a descendant holds them: tests of later output are skipped.
	StreamsEnd bool
	// Spares reports whether the executor honors Command.Leave.
	Spares bool
	// ShellStatus reports whether the exit status is that of a shell: 128 and the
	// number for a signal other than the KILL of Terminate and Stop.
	ShellStatus bool
	// Wrapped reports whether the leader that is signalled is a wrapper, which the
	// server is a child of, and whose end is reported.
	Wrapped bool
	// PID, if set, returns the pid on that machine for one that a process of p has printed
	// in a namespace of its own.
	PID func(p executor.Process, printed int) int
	// Lose, if set, cuts a process off, so that its exit status is unknown.
	Lose func(p executor.Process)
}

// A variable that a local harness has in its environment.
const (
	SecretName  = "EXECTEST_SECRET"
	SecretValue = "s3cret-of-exectest"
)

type suite struct {
	*testing.T
	Harness
	ctx context.Context
}

func (s *suite) command(steps ...string) executor.Command {
	return executor.Command{Argv: append([]string{s.Program}, HelperArgs(steps...)...)}
}

// start runs the helper's steps and watches them from the beginning.
func (s *suite) start(steps ...string) *watched {
	s.Helper()
	return s.startCommand(s.command(steps...))
}

func (s *suite) startCommand(cmd executor.Command) *watched {
	s.Helper()
	p, err := s.Executor.Start(s.ctx, cmd)
	require.NoError(s, err)
	return s.watch(p, executor.SubscribeOptions{})
}

// TempDir returns a directory that every user can access: the processes may run
// as another user.
func (s *suite) TempDir() string {
	s.Helper()
	dir, err := os.MkdirTemp("", "exectest")
	require.NoError(s, err)
	s.Cleanup(func() { _ = os.RemoveAll(dir) }) // a leftover is not a failure
	require.NoError(s, os.Chmod(dir, 0o755))
	return dir
}

// A cue is an event that a process waits for if it cannot be reached through
// standard input, which an SSH server closes as soon as the leader has exited.
type cue struct {
	path string // for the helper's step cue
	give func()
}

func (s *suite) cue() cue {
	s.Helper()
	path := filepath.Join(s.TempDir(), "cue")
	require.NoError(s, makeFIFO(path))
	pipe, err := os.OpenFile(path, os.O_RDWR, 0) // does not wait for a reader
	require.NoError(s, err)
	s.Cleanup(func() { _ = pipe.Close() }) // all data was written
	return cue{path: path, give: func() {
		s.Helper()
		_, err := pipe.Write([]byte("\n"))
		require.NoError(s, err)
	}}
}

func (s *suite) watch(p executor.Process, o executor.SubscribeOptions) *watched {
	s.Helper()
	sub, err := p.Subscribe(o)
	require.NoError(s, err)
	s.Cleanup(sub.Close)
	return &watched{Process: p, sub: sub, s: s, translated: map[int]int{}}
}

// A watched process is a process with an ordinary subscription.
type watched struct {
	executor.Process
	sub  *executor.Subscription
	s    *suite
	seen []executor.Event
	text [2]bytes.Buffer

	translated map[int]int // printed pids, and those on the machine
}

// nextOf skips notices and states of the link: they may come at any time, and have no number.
func nextOf(ctx context.Context, sub *executor.Subscription) (executor.Event, error) {
	for {
		e, err := sub.Next(ctx)
		if err != nil || e.Kind != executor.Noticed && e.Kind != executor.Link {
			return e, err
		}
	}
}

func (w *watched) next() executor.Event {
	w.s.Helper()
	e, err := nextOf(w.s.ctx, w.sub)
	require.NoError(w.s, err, "%s said %q and %q", w.ID(), w.text[0].String(), w.text[1].String())
	w.note(e)
	return e
}

// note records an event; after a lag, also the output dropped from the queue.
func (w *watched) note(e executor.Event) {
	w.s.Helper()
	w.seen = append(w.seen, e)
	switch e.Kind {
	case executor.Output:
		w.text[e.Stream].Write(e.Data)
	case executor.Lagged:
		r, err := w.sub.Read(w.s.ctx, 0)
		require.NoError(w.s, err)
		for _, c := range r.Chunks {
			w.note(executor.Event{Kind: executor.Output, Seq: c.Seq, Stream: c.Stream, Data: c.Data})
		}
	}
}

func (w *watched) until(kind executor.EventKind) executor.Event {
	w.s.Helper()
	for {
		if e := w.next(); e.Kind == kind {
			return e
		}
	}
}

// exited waits for the exit, unless it was seen already.
func (w *watched) exited() executor.Event {
	w.s.Helper()
	for _, e := range w.seen {
		if e.Kind == executor.Exited {
			return e
		}
	}
	return w.until(executor.Exited)
}

func (w *watched) says(text string) {
	w.s.Helper()
	for !strings.Contains(w.text[executor.Stdout].String(), text) {
		w.next()
	}
}

// pids waits for n lines of the helper's step pid, and returns them.
func (w *watched) pids(n int) []int {
	w.s.Helper()
	for {
		var pids []int
		for line := range strings.Lines(w.text[executor.Stdout].String()) {
			number, ok := strings.CutPrefix(line, "pid ")
			if !ok || !strings.HasSuffix(number, "\n") {
				continue
			}
			pid, err := strconv.Atoi(strings.TrimSpace(number))
			require.NoError(w.s, err)
			pids = append(pids, pid)
		}
		if len(pids) >= n {
			return w.translate(pids)
		}
		w.next()
	}
}

// translate returns the pids on the machine. It remembers them: a process may end.
func (w *watched) translate(printed []int) []int {
	if w.s.PID == nil {
		return printed
	}
	var pids []int
	for _, pid := range printed {
		if _, known := w.translated[pid]; !known {
			w.translated[pid] = w.s.PID(w.Process, pid)
		}
		pids = append(pids, w.translated[pid])
	}
	return pids
}

func (w *watched) rest() []executor.Event {
	w.s.Helper()
	for {
		e, err := nextOf(w.s.ctx, w.sub)
		if errors.Is(err, io.EOF) {
			return w.seen
		}
		require.NoError(w.s, err)
		w.note(e)
	}
}

// write writes to standard input and expects it to be accepted.
func (w *watched) write(text string) {
	w.s.Helper()
	r, err := w.Write(w.s.ctx, "", []byte(text))
	require.NoError(w.s, err)
	require.Equal(w.s, executor.Accepted, r.Status)
}

func (w *watched) terminate() executor.StopReport {
	w.s.Helper()
	r, err := w.Terminate(w.s.ctx)
	require.NoError(w.s, err)
	require.Empty(w.s, r.Survivors)
	return r
}

// gone waits until none of pids is alive.
func (s *suite) gone(pids ...int) {
	s.Helper()
	require.Eventually(s, func() bool { return !slices.ContainsFunc(pids, s.Alive) }, waitLimit, pollInterval,
		"one of %v is alive", pids)
}

func (w *watched) read(after uint64, max int, wait time.Duration) executor.ReadResult {
	w.s.Helper()
	r, err := w.Read(w.s.ctx, after, max, wait)
	require.NoError(w.s, err)
	return r
}

// signalled returns the exit of a process that a signal has ended.
func (s *suite) signalled(name string, number int) executor.Exit {
	if s.ShellStatus {
		return code(128 + number)
	}
	return executor.Exit{Kind: executor.ExitSignal, Signal: name}
}

func code(n int) executor.Exit { return executor.Exit{Kind: executor.ExitCode, Code: n} }

// kinds lists the kinds of events, with runs of the same kind as one.
func kinds(events []executor.Event) []executor.EventKind {
	var list []executor.EventKind
	for _, e := range events {
		list = append(list, e.Kind)
	}
	return slices.Compact(list)
}

// A ledger checks the events of a subscriber, numbers without holes, and adds
// up bytes.
type ledger struct {
	next  uint64
	bytes uint64
	lost  uint64
	gaps  int
}

func newLedger() *ledger { return &ledger{next: 1} }

func (l *ledger) account(from, to uint64) error {
	if from != l.next {
		return fmt.Errorf("number %d is followed by %d", l.next-1, from)
	}
	l.next = to + 1
	return nil
}

func (l *ledger) gap(g *executor.GapInfo) error {
	l.lost += g.Bytes
	l.gaps++
	return l.account(g.From, g.To)
}

func (l *ledger) event(e executor.Event) error {
	switch e.Kind {
	case executor.Output:
		l.bytes += uint64(len(e.Data))
		return l.account(e.Seq, e.Seq)
	case executor.Exited, executor.Closed:
		return l.account(e.Seq, e.Seq)
	case executor.Gap:
		return l.gap(e.Gap)
	}
	return nil
}

// recover reads the output dropped from the queue of sub.
func (l *ledger) recover(ctx context.Context, sub *executor.Subscription) error {
	for {
		r, err := sub.Read(ctx, 64<<10)
		if err != nil {
			return err
		}
		if r.Missing != nil {
			if err := l.gap(r.Missing); err != nil {
				return err
			}
		}
		for _, c := range r.Chunks {
			l.bytes += uint64(len(c.Data))
			if err := l.account(c.Seq, c.Seq); err != nil {
				return err
			}
		}
		if len(r.Chunks) == 0 {
			return nil
		}
	}
}
