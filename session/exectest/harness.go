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
	// patience bounds every wait of the suite: longer means that the event will
	// not come.
	patience = time.Minute
	// lookAgain is how often the world outside is asked, which tells nobody.
	lookAgain = 10 * time.Millisecond
)

// A Harness is one executor under test.
type Harness struct {
	Executor executor.Executor
	// Program is the path of the helper where the processes run: a test binary
	// whose TestMain calls HelperMain.
	Program string
	// Alive reports whether a process of that pid runs where the processes run.
	// A zombie does not run.
	Alive func(pid int) bool
	// Zombie reports whether pid is dead and was not reaped.
	Zombie func(pid int) bool
	// Forgetful returns another executor in the same place that keeps processes
	// for only as long as retention after Closed.
	Forgetful func(t *testing.T, retention time.Duration) executor.Executor
	// Local tells that processes run on this machine, with this program's
	// environment as what an environment policy selects from, in which
	// SecretName is set to SecretValue.
	Local bool
	// Orphans reports whether the executor finds every process that the leader
	// started, whatever became of its environment, group, session and parent.
	// Without it, Terminate must find those that a look at the tree has shown
	// before, and for the others give a reason in StopReport.CannotTell.
	Orphans bool
	// StreamsEnd reports that the output streams end with the leader, even if a
	// descendant holds them: tests that read what it then writes are skipped.
	StreamsEnd bool
	// Spares reports whether the executor honors Command.Leave.
	Spares bool
	// Lose, if set, cuts a process off, so that how it ends is not known.
	Lose func(p executor.Process)
}

// A variable that a local harness has in its environment.
const (
	SecretName  = "EXECTEST_SECRET"
	SecretValue = "s3cret-of-exectest"
)

// suite is one subtest with its executor.
type suite struct {
	*testing.T
	Harness
	ctx context.Context
}

// command runs the helper's steps.
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

// TempDir is a folder that every user can reach: the processes may be those of
// another one.
func (s *suite) TempDir() string {
	s.Helper()
	dir, err := os.MkdirTemp("", "exectest")
	require.NoError(s, err)
	s.Cleanup(func() { _ = os.RemoveAll(dir) }) // a leftover is no failure
	require.NoError(s, os.Chmod(dir, 0o755))
	return dir
}

// A cue is what a process waits for that cannot be reached through standard
// input: an SSH server closes that as soon as the leader has ended.
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
	s.Cleanup(func() { _ = pipe.Close() }) // what matters was written
	return cue{path: path, give: func() {
		s.Helper()
		_, err := pipe.Write([]byte("\n"))
		require.NoError(s, err)
	}}
}

// watch subscribes to p.
func (s *suite) watch(p executor.Process, o executor.SubscribeOptions) *watched {
	s.Helper()
	sub, err := p.Subscribe(o)
	require.NoError(s, err)
	s.Cleanup(sub.Close)
	return &watched{Process: p, sub: sub, s: s}
}

// A watched process is a process with an ordinary subscription.
type watched struct {
	executor.Process
	sub  *executor.Subscription
	s    *suite
	seen []executor.Event
	text [2]bytes.Buffer
}

// next waits for the next event.
func (w *watched) next() executor.Event {
	w.s.Helper()
	e, err := w.sub.Next(w.s.ctx)
	require.NoError(w.s, err, "%s said %q and %q", w.ID(), w.text[0].String(), w.text[1].String())
	w.note(e)
	return e
}

// note keeps what was told; after a lag, also what fell out of the queue.
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

// until waits for an event of one kind.
func (w *watched) until(kind executor.EventKind) executor.Event {
	w.s.Helper()
	for {
		if e := w.next(); e.Kind == kind {
			return e
		}
	}
}

// exited waits for the exit, unless it was told already.
func (w *watched) exited() executor.Event {
	w.s.Helper()
	for _, e := range w.seen {
		if e.Kind == executor.Exited {
			return e
		}
	}
	return w.until(executor.Exited)
}

// says waits until standard output has said text.
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
			return pids
		}
		w.next()
	}
}

// rest waits for the end and returns all events there were.
func (w *watched) rest() []executor.Event {
	w.s.Helper()
	for {
		e, err := w.sub.Next(w.s.ctx)
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

// terminate ends the process and all that belongs to it.
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
	require.Eventually(s, func() bool { return !slices.ContainsFunc(pids, s.Alive) }, patience, lookAgain,
		"of %v somebody lives", pids)
}

// read reads what is retained.
func (w *watched) read(after uint64, max int, wait time.Duration) executor.ReadResult {
	w.s.Helper()
	r, err := w.Read(w.s.ctx, after, max, wait)
	require.NoError(w.s, err)
	return r
}

// code is the Exit of an ordinary end.
func code(n int) executor.Exit { return executor.Exit{Kind: executor.ExitCode, Code: n} }

// kinds lists what kinds of event there were, each run of output as one.
func kinds(events []executor.Event) []executor.EventKind {
	var list []executor.EventKind
	for _, e := range events {
		list = append(list, e.Kind)
	}
	return slices.Compact(list)
}

// A ledger adds up what a subscriber was told: numbers without a hole, and
// the bytes of each stream.
type ledger struct {
	next  uint64
	bytes uint64
	lost  uint64
	gaps  int
}

func newLedger() *ledger { return &ledger{next: 1} }

func (l *ledger) take(from, to uint64) error {
	if from != l.next {
		return fmt.Errorf("number %d is followed by %d", l.next-1, from)
	}
	l.next = to + 1
	return nil
}

func (l *ledger) gap(g *executor.GapInfo) error {
	l.lost += g.Bytes
	l.gaps++
	return l.take(g.From, g.To)
}

func (l *ledger) event(e executor.Event) error {
	switch e.Kind {
	case executor.Output:
		l.bytes += uint64(len(e.Data))
		return l.take(e.Seq, e.Seq)
	case executor.Exited, executor.Closed:
		return l.take(e.Seq, e.Seq)
	case executor.Gap:
		return l.gap(e.Gap)
	}
	return nil
}

// recover reads what fell out of the queue of sub.
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
			if err := l.take(c.Seq, c.Seq); err != nil {
				return err
			}
		}
		if len(r.Chunks) == 0 {
			return nil
		}
	}
}
