package exectest

import (
	"context"
	"io"
	"sync"
	"time"

	"mcpdbg/session/executor"
)

// A Fake is the common part of fake executor.Processes: a test embeds it,
// writes output to Journal and reads In. Stop and Terminate are those of a
// server that exits only at the end of its input or by KILL; tests of other
// servers override them. It uses the same Journal and Stdin as real processes
// and works in a synctest bubble.
type Fake struct {
	Journal *executor.Journal
	In      *io.PipeReader // the session's writes

	id    string
	stdin *executor.Stdin
	ended sync.Once
}

// NewFake returns a running fake process.
func NewFake(id string, cmd executor.Command) *Fake {
	in, w := io.Pipe()
	j := executor.NewJournal(executor.JournalOptions{Pinned: cmd.Pinned})
	return &Fake{Journal: j, In: in, id: id, stdin: executor.NewStdin(w, nil, j.Emit)}
}

// End ends the process, unless it has ended, and reports whether it did. Its
// streams stay open until EOF.
func (f *Fake) End(exit executor.Exit) (did bool) {
	f.ended.Do(func() {
		did = true
		f.Journal.Exited(exit)
		_ = f.In.Close() // never fails
		f.stdin.Abort()
	})
	return did
}

// EOF ends both output streams.
func (f *Fake) EOF() {
	f.Journal.EOF(executor.Stdout)
	f.Journal.EOF(executor.Stderr)
}

// ID implements executor.Process.
func (f *Fake) ID() string { return f.id }

// Info implements executor.Process.
func (f *Fake) Info() executor.Info {
	info := executor.Info{ID: f.id, PID: 4121, Placement: "local"}
	f.Journal.Fill(&info)
	f.stdin.Fill(&info)
	return info
}

// Subscribe implements executor.Process.
func (f *Fake) Subscribe(o executor.SubscribeOptions) (*executor.Subscription, error) {
	return f.Journal.Subscribe(o)
}

// Read implements executor.Process.
func (f *Fake) Read(ctx context.Context, after uint64, limit int, wait time.Duration) (executor.ReadResult, error) {
	return f.Journal.Read(ctx, after, limit, wait)
}

// Write implements executor.Process.
func (f *Fake) Write(ctx context.Context, id string, b []byte) (executor.WriteResult, error) {
	return f.stdin.Write(ctx, id, b)
}

// CloseStdin implements executor.Process.
func (f *Fake) CloseStdin() executor.WriteStatus { return f.stdin.Close() }

// Tree implements executor.Process: a fake has no descendants.
func (f *Fake) Tree(context.Context) ([]executor.Descendant, error) { return nil, nil }

// Stop implements executor.Process: only StepCloseStdin has an effect.
func (f *Fake) Stop(_ context.Context, step executor.Step, _ executor.Scope) (executor.StopReport, error) {
	report := executor.StopReport{Running: f.Info().State == executor.StateRunning}
	if step == executor.StepCloseStdin {
		f.CloseStdin()
	}
	return report, nil
}

// Terminate implements executor.Process.
func (f *Fake) Terminate(context.Context) (executor.StopReport, error) {
	running := f.End(executor.Exit{Kind: executor.ExitSignal, Signal: "KILL"})
	f.EOF()
	return executor.StopReport{Running: running}, nil
}
