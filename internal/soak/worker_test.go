//go:build soak && linux

package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

const (
	// maxRecording ends a recording, so that verifying it takes about a second.
	maxRecording = 64 << 20
	// smallIndex is the memory for the rows of a session that never ends: the rest
	// of them is in a file.
	smallIndex = 1 << 20
)

// A worker has one session after another, each with its recording and its faults.
type worker struct {
	lab     *lab
	name    string
	rng     *rand.Rand
	exec    executor.Executor
	host    *host // nil on this machine
	era     mcp.Era
	rate    int
	endless bool // one session for the whole time
	faults  []fault

	*session.Session
	mark string
	log  atomic.Pointer[recordings.File]
	past atomic.Uint64 // messages of earlier sessions
}

// messages returns how many messages there were so far.
func (w *worker) messages() uint64 {
	total := w.past.Load()
	if log := w.log.Load(); log != nil {
		stats := log.Stats()
		total += stats.In + stats.Out
	}
	return total
}

// run lets sessions run until the time is over.
func (w *worker) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := w.life(ctx); err != nil {
			w.lab.fail(w.name, err)
		}
	}
}

// life is one session, from its start to the check of its recording.
func (w *worker) life(ctx context.Context) error {
	w.mark = newMark()
	path := filepath.Join(w.lab.dir, w.name+"-"+w.mark+".jsonl")
	log, err := recordings.Create(recordings.Options{Path: path, IndexMemory: smallIndex,
		Header: session.Header{Tool: "soak", Placement: "local", Argv: busy(w.rate)}})
	if err != nil {
		return err
	}
	w.log.Store(log)
	w.Session = session.New(session.Config{Executor: w.exec, Log: log, Era: w.era,
		Command: executor.Command{Argv: busy(w.rate), Env: []executor.EnvVar{markVar(w.mark)}}})
	err = w.Open(context.WithoutCancel(ctx))
	if err == nil {
		err = w.suffer(ctx)
	}
	err = errors.Join(err, w.end(log))
	if _, verified := w.lab.verify(path); verified != nil {
		return errors.Join(err, verified) // the recording stays
	}
	return errors.Join(err, os.Remove(path))
}

// suffer has one fault after another, until it is time for another session.
func (w *worker) suffer(ctx context.Context) error {
	if err := w.ready(); err != nil {
		return err
	}
	end := time.Now().Add(w.between(20*time.Second, 90*time.Second))
	for ctx.Err() == nil && (w.endless || time.Now().Before(end) && w.log.Load().Stats().Size < maxRecording) {
		if err := w.talk(ctx, w.between(time.Second, 5*time.Second)); err != nil {
			return fmt.Errorf("while nothing was wrong: %w", err)
		}
		f := w.pick()
		if err := f.run(w); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		w.lab.count(f.name)
	}
	return nil
}

// end ends the session and its recording, and checks that nothing is left.
func (w *worker) end(log *recordings.File) error {
	report, err := w.Close(context.Background())
	if len(report.Leaked) > 0 || len(report.Survivors) > 0 {
		err = errors.Join(err, fmt.Errorf("the server, which has no children, left processes: %+v", report))
	}
	stats := log.Stats()
	if stats.Gaps > 0 || stats.RecordingError != "" {
		err = errors.Join(err, fmt.Errorf("the log is incomplete: %+v", stats))
	}
	w.log.Store(nil)
	w.past.Add(stats.In + stats.Out)
	return errors.Join(err, log.Close(), log.Release(), allGone(w.mark))
}

// talk makes calls for a while.
func (w *worker) talk(ctx context.Context, d time.Duration) error {
	for end := time.Now().Add(d); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(25 * time.Millisecond) {
		if err := w.ping(); err != nil {
			return err
		}
	}
	return nil
}

// ping checks that the server responds.
func (w *worker) ping() error {
	_, err := w.tool("echo", `{"message":"hi"}`, session.CallOptions{Timeout: waitLimit})
	return err
}

// tool calls a tool, and returns the result.
func (w *worker) tool(name, arguments string, opts session.CallOptions) (json.RawMessage, error) {
	params := json.RawMessage(`{"name":"` + name + `","arguments":` + arguments + `}`)
	r, err := w.Request(context.Background(), "tools/call", params, opts)
	switch {
	case err != nil:
		return nil, err
	case r.Error != nil:
		return nil, r.Error
	case session.IsToolError(r.Result):
		return nil, fmt.Errorf("the tool %s failed: %.500s", name, r.Result)
	}
	return r.Result, nil
}

// restart starts the server again, and checks that the session goes on.
func (w *worker) restart() error {
	log := w.log.Load()
	runs := log.Stats().Runs
	if err := w.Restart(context.Background()); err != nil {
		return fmt.Errorf("restart: %w", err)
	}
	if now := log.Stats().Runs; now != runs+1 {
		return fmt.Errorf("%d processes after a restart, not %d", now, runs+1)
	}
	return w.ready()
}

// ready checks that the session is ready, and lets the server send log messages.
func (w *worker) ready() error {
	if err := w.is(session.Ready); err != nil {
		return err
	}
	return w.SetLogLevel(context.Background(), "info")
}

// is checks the state of the session.
func (w *worker) is(want session.State) error {
	if state := w.Status().State; state != want {
		return fmt.Errorf("the session is %s, not %s", state, want)
	}
	return nil
}

func (w *worker) pid() int { return w.Status().Process.PID }

// between returns a random time.
func (w *worker) between(least, most time.Duration) time.Duration {
	return least + time.Duration(w.rng.Int64N(int64(most-least)))
}
