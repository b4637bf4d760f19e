package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"mcpdbg/internal/verify"
)

// A Sink writes one output of a run. Begin and Done may be nil.
type Sink struct {
	Begin  func(head *verify.Report) error
	Done   func(target int, r *verify.Result) error // one call at a time
	Finish func(r *verify.Report) error
}

// AtEnd writes one document at the end.
func AtEnd(w io.Writer, write func(io.Writer, *verify.Report) error) Sink {
	return Sink{Finish: func(r *verify.Report) error { return write(w, r) }}
}

// Lines writes a line of JSON as soon as a target is done.
func Lines(w io.Writer, targets int) Sink {
	return Sink{
		Begin:  func(head *verify.Report) error { return startLine(w, head, targets) },
		Done:   func(target int, r *verify.Result) error { return targetLine(w, target, r) },
		Finish: func(r *verify.Report) error { return endLine(w, r) },
	}
}

// TextLines writes a line for each target, and a summary, which alone has targets that
// were not begun.
func TextLines(w io.Writer, targets []verify.Target) Sink {
	columns := columnsFor(targets, 0)
	return Sink{
		Done: func(_ int, r *verify.Result) error {
			if r.Cause == verify.CauseCancelled && r.Phase == verify.PhaseWait {
				return nil
			}
			_, err := fmt.Fprintln(w, columns.Line(r))
			return err
		},
		Finish: func(r *verify.Report) error { return Summary(w, r) },
	}
}

// An output could not be completed.
var errUnread = errors.New("standard output is not being read")

// A pacedSink writes to a slow reader without delaying targets: it queues the head, the
// results, which are kept anyway, and the end.
type pacedSink struct {
	sink    Sink
	queue   chan func() error // has room for everything
	urgent  context.Context   // when done, finish waits for slowReaderTimeout only
	broken  context.CancelCauseFunc
	written chan struct{} // closed when everything is written
	err     error         // the first error, valid after written
}

// Paced wraps a sink; broken is called with the error of a failed write.
func Paced(urgent context.Context, sink Sink, targets int, broken context.CancelCauseFunc) Sink {
	p := &pacedSink{
		sink: sink, queue: make(chan func() error, targets+2), urgent: urgent, broken: broken, written: make(chan struct{}),
	}
	return Sink{Begin: p.begin, Done: p.done, Finish: p.finish}
}

func (p *pacedSink) begin(head *verify.Report) error {
	if p.sink.Begin != nil {
		p.queue <- func() error { return p.sink.Begin(head) }
	}
	go p.write() // ends with finish, or with the program if stdout blocks
	return nil
}

func (p *pacedSink) done(target int, r *verify.Result) error {
	if p.sink.Done != nil {
		p.queue <- func() error { return p.sink.Done(target, r) }
	}
	return nil
}

// slowReaderTimeout applies after a second signal, since two signals can come at once.
const slowReaderTimeout = 10 * time.Second

// finish waits until everything is written.
func (p *pacedSink) finish(r *verify.Report) error {
	p.queue <- func() error { return p.sink.Finish(r) }
	close(p.queue)
	select {
	case <-p.written:
		return p.err
	case <-p.urgent.Done():
	}
	select {
	case <-p.written:
		return p.err
	case <-time.After(slowReaderTimeout):
		return errUnread
	}
}

func (p *pacedSink) write() {
	defer close(p.written)
	for next := range p.queue {
		if p.err != nil {
			continue
		}
		if p.err = next(); p.err != nil {
			p.broken(p.err)
		}
	}
}
