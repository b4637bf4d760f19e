package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

const (
	// the last lines of a command's output
	maxOutput      = 20
	maxOutputBytes = 64 << 10
	// buildGrace is for a cancelled command.
	buildGrace = 2 * time.Second
)

// A BuildError means that the command before a restart failed: the server was not
// restarted.
type BuildError struct {
	Cause   string // the change
	Command string
	Err     error
	Output  []string // the last lines
}

// Error implements error.
func (e *BuildError) Error() string {
	return fmt.Sprintf("%s: %v: the server is not restarted", e.Command, e.Err)
}

// Unwrap returns why the command failed.
func (e *BuildError) Unwrap() error { return e.Err }

// The command is cancelled because files have changed.
var errStale = errors.New("files have changed in the meantime")

// maxRestarts limits restarts of a command, which may itself write the watched files.
const maxRestarts = 3

// A Build is the shell command before each restart, such as a compiler. A change during a
// run starts it over.
type Build struct {
	Command string
	Note    func(text string) // called with the progress
	Report  func(text string) // called with failures, and at a start over
	Shared  *Shared           // nil if no other process runs the command

	mu       sync.Mutex
	stop     context.CancelCauseFunc // nil while it does not run
	cause    string                  // the change that it runs for
	newer    string                  // the last change since it started
	restarts int                     // number of restarts
}

// begin registers a run, which stop cancels. It is a restart if there was a change during
// the run before.
func (b *Build) begin(cause string, stop context.CancelCauseFunc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.newer == "" {
		b.restarts = 0
	}
	b.cause, b.newer, b.stop = cause, "", stop
}

// end returns the last change since the run's start, or "".
func (b *Build) end() (newer string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop = nil
	return b.newer
}

// Stale reports whether a change restarts the running command.
func (b *Build) Stale(cause string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop == nil || b.newer == "" && b.restarts == maxRestarts {
		return false
	}
	if b.newer == "" {
		b.restarts++
		b.stop(errStale)
	}
	b.newer = cause
	return true
}

// Doing describes the running command; "" without one.
func (b *Build) Doing() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop == nil {
		return ""
	}
	return "running " + b.Command + ": " + b.cause
}

// Run runs the command for a change, and again for each change meanwhile. It returns the
// change of the last run.
func (b *Build) Run(ctx context.Context, cause string) (last string, err error) {
	for {
		running, stop := context.WithCancelCause(ctx)
		b.begin(cause, stop)
		b.Note(cause + ": running " + b.Command) // makes the interface show it
		err := b.run(running, cause)
		newer := b.end()
		stop(nil)
		if newer == "" || ctx.Err() != nil {
			return cause, err
		}
		cause = newer
		b.Report(cause + ": " + b.Command + " is started over")
	}
}

func (b *Build) once(ctx context.Context, cause string) error {
	shell := []string{"/bin/sh", "-c"}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/c"}
	}
	begin := time.Now()
	var out tailBuffer
	cmd := exec.CommandContext(ctx, shell[0], shell[1], b.Command)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, buildGrace
	ownSession(cmd)
	err := cmd.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil {
		b.Note(fmt.Sprintf("%s: %s took %v", cause, b.Command, time.Since(begin).Round(time.Millisecond)))
		return nil
	}
	failed := &BuildError{Cause: cause, Command: b.Command, Err: err, Output: out.lines()}
	b.report(failed)
	return failed
}

func (b *Build) report(failed *BuildError) {
	b.Report(failed.Cause + ": " + failed.Error())
	for _, line := range failed.Output {
		b.Report("  " + line)
	}
}

type tailBuffer struct{ kept []byte }

// Write implements io.Writer.
func (b *tailBuffer) Write(p []byte) (int, error) {
	b.kept = append(b.kept, p...)
	if n := len(b.kept) - maxOutputBytes; n > maxOutputBytes {
		b.kept = append(b.kept[:0], b.kept[n:]...)
	}
	return len(p), nil
}

func (b *tailBuffer) lines() []string {
	text := string(bytes.TrimRight(b.kept, "\n"))
	if text == "" {
		return nil
	}
	all := strings.Split(text, "\n")
	return all[max(0, len(all)-maxOutput):]
}

// A Backoff delays rounds that follow each other immediately, as when a server or a build
// writes watched files.
type Backoff struct {
	ended  time.Time // the end of the last round
	rounds int       // in a row
}

const (
	backoffReset  = time.Second // rounds further apart are not counted
	backoffRounds = 3           // rounds before the delays begin
	backoffStep   = time.Second // added to the delay of each further round
	backoffMax    = 10 * time.Second
)

// next counts a round and returns its delay; warn is set for the last round without one.
func (b *Backoff) next() (wait time.Duration, warn bool) {
	if time.Since(b.ended) > backoffReset {
		b.rounds = 0
	}
	b.rounds++
	return min(max(time.Duration(b.rounds-backoffRounds), 0)*backoffStep, backoffMax), b.rounds == backoffRounds
}

// Delay counts a round and delays it if too many follow each other. It calls warn with
// the longest delay in the last round without one.
func (b *Backoff) Delay(ctx context.Context, warn func(longest time.Duration)) error {
	wait, last := b.next()
	if last {
		warn(backoffMax)
	}
	if wait == 0 {
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Over registers the end of a round.
func (b *Backoff) Over() { b.ended = time.Now() }
