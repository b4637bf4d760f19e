package watch

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"

	"mcpdbg/session/filelock"
)

// maxOutcome limits the bytes of an outcome that are read.
const maxOutcome = 2 * maxOutputBytes

// An outcome is that of the latest run of a command in any process.
type outcome struct {
	Begun  time.Time `json:"begun"`
	Failed string    `json:"failed,omitempty"`
	Output []string  `json:"output,omitempty"`
}

// Shared lets processes that watch the same files run a command once for a change.
type Shared struct {
	file    string
	changed func() time.Time
	seen    time.Time // earlier outcomes are of earlier changes
}

// NewShared returns what shares outcomes by a file. changed returns when the latest of the
// changed files was written.
func NewShared(file string, changed func() time.Time) *Shared {
	return &Shared{file, changed, time.Now()}
}

// fits reports whether an outcome is about the latest change.
func (s *Shared) fits(o *outcome) bool { return o.Begun.After(s.seen) && o.Begun.After(s.changed()) }

// run runs the command, or takes the outcome of a run that another process has begun since
// the change. Without the file it runs the command.
func (b *Build) run(ctx context.Context, cause string) error {
	if b.Shared == nil {
		return b.once(ctx, cause)
	}
	f, err := filelock.Take(ctx, b.Shared.file)
	if err == nil {
		defer f.Close()
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return b.once(ctx, cause)
	}
	var o outcome
	data, err := io.ReadAll(io.LimitReader(f, maxOutcome))
	if err == nil && json.Unmarshal(data, &o) == nil && b.Shared.fits(&o) {
		b.Shared.seen = o.Begun
		return b.took(cause, &o)
	}
	o = outcome{Begun: time.Now()}
	b.Shared.seen = o.Begun
	err = b.once(ctx, cause)
	var failed *BuildError
	switch {
	case errors.As(err, &failed):
		o.Failed, o.Output = failed.Err.Error(), failed.Output
	case err != nil: // it was ended
		return err
	}
	replace(f, &o)
	return err
}

// took returns the error of an outcome.
func (b *Build) took(cause string, o *outcome) error {
	if o.Failed == "" {
		b.Note(cause + ": another process has run " + b.Command)
		return nil
	}
	failed := &BuildError{Cause: cause, Command: b.Command, Err: errors.New(o.Failed), Output: o.Output}
	b.report(failed)
	return failed
}

// replace writes an outcome. Without it the next process runs the command again.
func replace(f *os.File, o *outcome) {
	data, err := json.Marshal(o)
	if err == nil && f.Truncate(0) == nil {
		_, _ = f.WriteAt(data, 0)
	}
}
