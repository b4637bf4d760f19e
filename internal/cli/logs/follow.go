package logs

import (
	"context"
	"errors"
	"io"

	"mcpdbg/internal/cli/console"
	"mcpdbg/recordings"
	"mcpdbg/session/elements"
	"mcpdbg/ui/widget/filter"
)

// An Output prints the log of a running session.
type Output struct {
	stop     chan struct{}
	done     chan error
	cancel   context.CancelCauseFunc
	canceled context.Context
}

// Options select what is printed.
type Options struct {
	JSON   bool
	Shown  *filter.Filter // nil: all
	Finish bool           // the session continues when stdout is full
}

// Silent returns an output that prints nothing.
func Silent() *Output {
	o := newOutput()
	o.done <- nil
	return o
}

func newOutput() *Output {
	o := &Output{stop: make(chan struct{}), done: make(chan error, 1)}
	o.canceled, o.cancel = context.WithCancelCause(context.Background())
	return o
}

// Follow prints entries as they arrive, in a goroutine that finish waits for.
func Follow(log *recordings.File, stdout io.Writer, opts Options) *Output {
	o := newOutput()
	w := NewWriter(log.ReadAhead(), stdout, opts.JSON)
	w.Shown = opts.Shown.Matcher(elements.New(log))
	go func() {
		err := func() error {
			if opts.JSON {
				if _, err := w.Out.Write(recordings.WithoutSecrets(log.HeaderLine())); err != nil {
					return err
				}
			}
			return w.follow(o.stop)
		}()
		if errors.Is(err, recordings.ErrShrunk) || errors.Is(err, recordings.ErrNotKept) {
			err = &console.OutputError{Err: err} // the log lost entries before they were printed
		}
		if err != nil && (!opts.Finish || console.IsBrokenPipe(err)) {
			o.cancel(err)
		}
		o.done <- err
	}()
	return o
}

// Context returns a ctx that a printing error also ends, such as a closed stdout.
func (o *Output) Context(ctx context.Context) context.Context {
	merged, cancel := context.WithCancelCause(ctx)
	context.AfterFunc(o.canceled, func() { cancel(context.Cause(o.canceled)) })
	return merged
}

// Finish prints the remaining entries.
func (o *Output) Finish() error {
	close(o.stop)
	err := <-o.done
	o.cancel(nil)
	return err
}
