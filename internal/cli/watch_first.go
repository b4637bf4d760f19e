package cli

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
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
	command string
	err     error
}

func (e *notBuilt) Error() string {
	return fmt.Sprintf("%s: %v: the server is left as it is", e.command, e.err)
}

func (e *notBuilt) Unwrap() error { return e.err }

// runFirst runs the command of --watch-run. What it says is told if it fails.
func (w *watching) runFirst(ctx context.Context, cause string) error {
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
	failed := &notBuilt{w.first, err}
	w.tell(cause+": "+failed.Error(), "")
	for _, line := range out.lines() {
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
