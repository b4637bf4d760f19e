package cli

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
	// maxFirst is how many lines are told of what a command says: the last ones.
	maxFirst = 20
	// maxFirstBytes is how much of its output is kept.
	maxFirstBytes = 64 << 10
	// firstGrace is how long a command may take to end when it is not wanted any
	// more.
	firstGrace = 2 * time.Second
)

// A notBuilt says that the command before a restart failed. The server is as it
// was.
type notBuilt struct {
	cause   string // what had changed
	command string
	err     error
	output  []string // the last lines of what it said
}

func (e *notBuilt) Error() string {
	return fmt.Sprintf("%s: %v: the server is left as it is", e.command, e.err)
}

func (e *notBuilt) Unwrap() error { return e.err }

// errStale is why a command is ended that works on what has changed meanwhile.
var errStale = errors.New("files have changed meanwhile")

// maxAnew is how often a command is begun anew because of a change before one is
// left to come to its end: it may be what writes the files that are watched.
const maxAnew = 3

// A build is the command of --watch-run at work.
type build struct {
	mu    sync.Mutex
	stop  context.CancelCauseFunc // nil while it is not run
	cause string                  // for which it is run
	newer string                  // what has changed since it began
	anew  int                     // how often it was begun anew
}

// begin notes that the command is run, which stop ends: anew if something has
// changed when it was run before.
func (b *build) begin(cause string, stop context.CancelCauseFunc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.newer == "" {
		b.anew = 0
	}
	b.cause, b.newer, b.stop = cause, "", stop
}

// end notes that it has ended, and returns what has changed since it began: ""
// for nothing that has to do with it.
func (b *build) end() (newer string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop = nil
	return b.newer
}

// stale takes a change, and tells whether the command is begun anew for it.
func (b *build) stale(cause string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop == nil || b.newer == "" && b.anew == maxAnew {
		return false
	}
	if b.newer == "" {
		b.anew++
		b.stop(errStale)
	}
	b.newer = cause
	return true
}

// doing says for what the command is run; "" while it is not.
func (b *build) doing() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop == nil {
		return ""
	}
	return b.cause
}

// Doing says what is run before the server is started again.
func (w *watching) Doing() string {
	if cause := w.build.doing(); cause != "" {
		return "runs " + w.first + ": " + cause
	}
	return ""
}

// runFirst runs the command of --watch-run, and anew when files change while it
// runs: what it makes of the old ones nobody wants. It returns for what it was
// run last.
func (w *watching) runFirst(ctx context.Context, cause string) (last string, err error) {
	for {
		running, stop := context.WithCancelCause(ctx)
		w.build.begin(cause, stop)
		w.live.Note(cause+": runs "+w.first, "") // which has the screen show it
		err := w.runOnce(running, cause)
		newer := w.build.end()
		stop(nil)
		if newer == "" || ctx.Err() != nil {
			return cause, err
		}
		cause = newer
		w.tell(cause+": "+w.first+" is begun anew", "")
	}
}

// runOnce runs the command once. What it says is told if it fails.
func (w *watching) runOnce(ctx context.Context, cause string) error {
	shell := []string{"/bin/sh", "-c"}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/c"}
	}
	begin := time.Now()
	var out tailBuffer
	cmd := exec.CommandContext(ctx, shell[0], shell[1], w.first)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, firstGrace
	alone(cmd)
	err := cmd.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil {
		w.live.Note(fmt.Sprintf("%s: %s took %v", cause, w.first, time.Since(begin).Round(time.Millisecond)), "")
		return nil
	}
	failed := &notBuilt{cause, w.first, err, out.lines()}
	w.tell(cause+": "+failed.Error(), "")
	for _, line := range failed.output {
		w.tell("  "+line, "")
	}
	return failed
}

// A tailBuffer keeps the end of what is written.
type tailBuffer struct{ kept []byte }

// Write implements io.Writer.
func (b *tailBuffer) Write(p []byte) (int, error) {
	b.kept = append(b.kept, p...)
	if n := len(b.kept) - maxFirstBytes; n > maxFirstBytes {
		b.kept = append(b.kept[:0], b.kept[n:]...)
	}
	return len(p), nil
}

// lines are the last lines.
func (b *tailBuffer) lines() []string {
	text := string(bytes.TrimRight(b.kept, "\n"))
	if text == "" {
		return nil
	}
	all := strings.Split(text, "\n")
	return all[max(0, len(all)-maxFirst):]
}
