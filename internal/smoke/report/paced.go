package report

import (
	"context"
	"errors"
	"time"

	"mcpdbg/internal/smoke"
)

// errUnread means that an output could not be completed.
var errUnread = errors.New("standard output is not being read")

// A pacedSink writes to a reader that may be slow or pause, without delaying
// targets. It queues the head, the results of the targets, which are kept anyway,
// and the end.
type pacedSink struct {
	sink    Sink
	queue   chan func() error // has room for everything
	urgent  context.Context   // when done, finish waits for slowReaderTimeout only
	broken  context.CancelCauseFunc
	written chan struct{} // closed when everything is written
	err     error         // the first error, valid after written
}

// Paced wraps a sink in a pacedSink. broken is called with the error of a failed
// write.
func Paced(urgent context.Context, sink Sink, targets int, broken context.CancelCauseFunc) Sink {
	p := &pacedSink{
		sink: sink, queue: make(chan func() error, targets+2), urgent: urgent, broken: broken, written: make(chan struct{}),
	}
	return Sink{Begin: p.begin, Done: p.done, Finish: p.finish}
}

func (p *pacedSink) begin(head *smoke.Report) error {
	if p.sink.Begin != nil {
		p.queue <- func() error { return p.sink.Begin(head) }
	}
	go p.write() // ends with finish, or with the program if stdout blocks
	return nil
}

func (p *pacedSink) done(target int, r *smoke.Result) error {
	if p.sink.Done != nil {
		p.queue <- func() error { return p.sink.Done(target, r) }
	}
	return nil
}

// slowReaderTimeout is how long a reader may take after a second signal, since
// two signals can come at once.
const slowReaderTimeout = 10 * time.Second

// finish writes the end and waits until everything is written.
func (p *pacedSink) finish(r *smoke.Report) error {
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
