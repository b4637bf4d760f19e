package executor

import "math"

// urgentLen bounds the queued events without a number. If standard input breaks, every
// queued write is reported.
const urgentLen = 2 * MaxQueuedWrites

// A cursor is the position of a subscriber in the sequence, with its queues. The lock of
// its journal guards it.
type cursor struct {
	journal *Journal

	last  uint64  // this number and all below were delivered, reported as lost, or skipped
	seen  traffic // the bytes up to last
	exact bool    // whether seen is known

	// Output numbered below byCursor is not in the queue but read from the
	// retained output: the history at first, later output dropped from the
	// queue.
	byCursor uint64
	queue    records
	lagFrom  uint64 // first number that was dropped from the queue; MaxUint64 for none
	dropped  uint64 // how many were dropped since the last Lagged
	skipTo   uint64 // Lagged was delivered for the numbers below: they are for Read

	urgent        []Event // events without a number, which overtake output
	droppedEvents uint64  // how many of these were dropped since the last Lagged
	reached       int     // how many milestones were delivered
	ended         bool    // Closed or Failed was delivered
}

func newCursor(j *Journal, after uint64) cursor {
	p := cursor{journal: j, last: after, byCursor: j.next, lagFrom: math.MaxUint64}
	p.seen, p.exact = j.trafficAt(after)
	return p
}

func (j *Journal) trafficAt(seq uint64) (traffic, bool) {
	switch i := j.kept.after(seq); {
	case seq == 0:
		return traffic{}, true
	case seq < j.kept.gone:
		return traffic{}, false
	case i < j.kept.count:
		return j.kept.at(i).before, true
	default:
		return j.total, true
	}
}

// offer queues a new record; a full queue drops the oldest one.
func (p *cursor) offer(rec record) {
	if rec.seq <= p.last {
		return
	}
	if p.queue.count == QueueLen {
		oldest := p.queue.pop()
		p.lagFrom = min(p.lagFrom, oldest.seq)
		p.byCursor = oldest.seq + 1
		p.dropped++
	}
	p.queue.push(rec)
}

// queueEvent queues an event without a number. Unlike output, dropped events are not
// recovered.
func (p *cursor) queueEvent(e Event) {
	if len(p.urgent) == urgentLen {
		p.urgent = p.urgent[1:]
		p.droppedEvents++
	}
	p.urgent = append(p.urgent, e)
}

// forget removes evicted output up to number seq from the queue.
func (p *cursor) forget(seq uint64) {
	for p.queue.count > 0 && p.queue.at(0).seq <= seq {
		p.byCursor = p.queue.pop().seq + 1
	}
}

// reading notes that dropped output is being read.
func (p *cursor) reading() { p.dropped, p.skipTo = 0, 0 }

func (p *cursor) next() (Event, bool) {
	if p.droppedEvents > 0 {
		e := Event{Kind: Lagged, N: p.droppedEvents}
		p.droppedEvents = 0
		return e, true
	}
	if len(p.urgent) > 0 {
		return p.popUrgent(), true
	}
	m, ahead := p.milestone()
	if ahead && m.at == p.last+1 {
		return p.pass(m), true
	}
	if p.dropped > 0 && p.last+1 >= p.lagFrom {
		e := Event{Kind: Lagged, N: p.dropped}
		p.dropped, p.skipTo = 0, p.byCursor
		return e, true
	}
	rec, lost, ok := p.peek()
	switch {
	case !ok:
		return Event{}, false
	case lost:
		return Event{Kind: Gap, Gap: p.lose(rec)}, true
	case rec.seq < p.skipTo:
		p.skip()
		return p.next()
	}
	p.accept(rec)
	return Event{Kind: Output, Seq: rec.seq, Stream: rec.stream, Data: rec.data}, true
}

func (p *cursor) popUrgent() Event {
	e := p.urgent[0]
	p.urgent[0] = Event{}
	p.urgent = p.urgent[1:]
	return e
}

// milestone returns the next lifecycle event to deliver.
func (p *cursor) milestone() (milestone, bool) {
	for ; p.reached < len(p.journal.life); p.reached++ {
		m := p.journal.life[p.reached]
		if m.at > p.last || m.event.Kind == Failed {
			return m, true
		}
		p.ended = m.event.Kind == Closed
	}
	return milestone{}, false
}

func (p *cursor) pass(m milestone) Event {
	p.reached++
	p.ended = m.event.Kind == Closed || m.event.Kind == Failed
	if m.event.Seq != 0 {
		p.last = m.event.Seq
	}
	return m.event
}

// peek returns the next output before the next milestone; lost is true if output before
// it is lost.
func (p *cursor) peek() (rec record, lost, ok bool) {
	rec = record{seq: p.journal.next, before: p.journal.total}
	if m, ahead := p.milestone(); ahead {
		rec = record{seq: m.at, before: m.before}
	}
	end := rec.seq
	if p.queue.count > 0 && p.queue.at(0).seq < end {
		rec = *p.queue.at(0)
	}
	from := p.last + 1
	if from < p.byCursor && from < rec.seq {
		kept := &p.journal.kept
		if i := kept.after(p.last); i < kept.count && kept.at(i).seq < rec.seq {
			rec = *kept.at(i)
		}
	}
	lost = from < rec.seq
	return rec, lost, lost || rec.seq < end
}

func (p *cursor) accept(rec record) {
	if rec.seq >= p.byCursor {
		p.queue.pop()
	}
	p.last, p.seen, p.exact = rec.seq, rec.after(), true
	p.caughtUp()
}

// lose moves to rec and returns the loss before it.
func (p *cursor) lose(rec record) *GapInfo {
	g := &GapInfo{From: p.last + 1, To: rec.seq - 1, Stdout: true, Stderr: true}
	if p.exact {
		g.count(p.seen, rec.before)
	}
	p.last, p.seen, p.exact = rec.seq-1, rec.before, true
	p.caughtUp()
	return g
}

// skip moves to the queued output: the subscriber got Lagged and did not Read.
func (p *cursor) skip() {
	to := p.skipTo
	if m, ahead := p.milestone(); ahead {
		to = min(to, m.at)
	}
	p.last, p.exact = to-1, false
	p.caughtUp()
}

func (p *cursor) caughtUp() {
	if p.last+1 >= p.byCursor {
		p.lagFrom = math.MaxUint64
	}
}
