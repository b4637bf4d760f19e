package cli

import (
	"context"
	"errors"
	"time"

	"mcpdbg/internal/smoke"
)

// errUnread is why something is not written to its end.
var errUnread = errors.New("nobody reads standard output")

// A pacedSink writes what is read by somebody who may be slow, or stop for a
// while: no target waits for that. What waits are a head, the results of the
// targets, which are kept anyway, and the end.
type pacedSink struct {
	sink    smokeSink
	queue   chan func() error // has room for all that comes
	urgent  context.Context   // over: the end is waited for unreadFor only
	broken  context.CancelCauseFunc
	written chan struct{} // closed when all is written
	err     error         // then: the first
}

// paced makes such a sink of one. broken is told why nothing can be written any
// more.
func paced(urgent context.Context, sink smokeSink, targets int, broken context.CancelCauseFunc) smokeSink {
	p := &pacedSink{
		sink: sink, queue: make(chan func() error, targets+2), urgent: urgent, broken: broken, written: make(chan struct{}),
	}
	return smokeSink{begin: p.begin, done: p.done, finish: p.finish}
}

func (p *pacedSink) begin(head *smoke.Report) error {
	if p.sink.begin != nil {
		p.queue <- func() error { return p.sink.begin(head) }
	}
	go p.write() // ends with finish, or the program if nobody reads
	return nil
}

func (p *pacedSink) done(target int, r *smoke.Result) error {
	if p.sink.done != nil {
		p.queue <- func() error { return p.sink.done(target, r) }
	}
	return nil
}

// unreadFor is how long somebody who does read may take when it is urgent: two
// signals can come at once, of one who has seen nothing yet.
const unreadFor = 10 * time.Second

// finish writes the end and waits until all is written.
func (p *pacedSink) finish(r *smoke.Report) error {
	p.queue <- func() error { return p.sink.finish(r) }
	close(p.queue)
	select {
	case <-p.written:
		return p.err
	case <-p.urgent.Done():
	}
	select {
	case <-p.written:
		return p.err
	case <-time.After(unreadFor):
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
