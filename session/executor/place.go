package executor

import "math"

// urgentLen is how many events without a number may wait for a subscriber. A
// process whose standard input breaks tells of every write that was queued.
const urgentLen = 2 * MaxQueuedWrites

// A place is how far a subscriber has come, and what it is to be told next.
// It is guarded by the lock of its journal.
type place struct {
	journal *Journal

	last  uint64  // this number and all below were delivered, told as lost, or skipped
	seen  traffic // the bytes up to last
	exact bool    // seen is known

	// Output numbered below byCursor is not in the queue but read from what is
	// retained: the history at first, later what fell out of the queue.
	byCursor uint64
	queue    records
	lagFrom  uint64 // first number that fell out of the queue; MaxUint64 for none
	fallen   uint64 // how many fell out since Lagged was last told
	skipTo   uint64 // Lagged was told for the numbers below: they are for Read

	urgent  []Event // what takes no number and overtakes output
	unheard uint64  // how many of these fell out since Lagged was last told
	reached int     // how many milestones were delivered
	ended   bool    // Closed or Failed was delivered
}

func newPlace(j *Journal, after uint64) place {
	p := place{journal: j, last: after, byCursor: j.next, lagFrom: math.MaxUint64}
	p.seen, p.exact = j.trafficAt(after)
	return p
}

// trafficAt counts the bytes up to number seq, if that is still known.
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

// offer queues a new record; the oldest one falls out when the queue is full.
func (p *place) offer(rec record) {
	if rec.seq <= p.last {
		return
	}
	if p.queue.count == QueueLen {
		oldest := p.queue.pop()
		p.lagFrom = min(p.lagFrom, oldest.seq)
		p.byCursor = oldest.seq + 1
		p.fallen++
	}
	p.queue.push(rec)
}

// tell queues an event that takes no number. It is bounded like the queue of
// output, but nothing recovers what falls out.
func (p *place) tell(e Event) {
	if len(p.urgent) == urgentLen {
		p.urgent = p.urgent[1:]
		p.unheard++
	}
	p.urgent = append(p.urgent, e)
}

// forget removes what was evicted up to number seq from the queue.
func (p *place) forget(seq uint64) {
	for p.queue.count > 0 && p.queue.at(0).seq <= seq {
		p.byCursor = p.queue.pop().seq + 1
	}
}

// reading says that what fell out of the queue is being read.
func (p *place) reading() { p.fallen, p.skipTo = 0, 0 }

// next moves on to the next event and returns it.
func (p *place) next() (Event, bool) {
	if p.unheard > 0 {
		e := Event{Kind: Lagged, N: p.unheard}
		p.unheard = 0
		return e, true
	}
	if len(p.urgent) > 0 {
		return p.popUrgent(), true
	}
	m, ahead := p.milestone()
	if ahead && m.at == p.last+1 {
		return p.pass(m), true
	}
	if p.fallen > 0 && p.last+1 >= p.lagFrom {
		e := Event{Kind: Lagged, N: p.fallen}
		p.fallen, p.skipTo = 0, p.byCursor
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

func (p *place) popUrgent() Event {
	e := p.urgent[0]
	p.urgent[0] = Event{}
	p.urgent = p.urgent[1:]
	return e
}

// milestone is the next lifecycle event that is to be delivered.
func (p *place) milestone() (milestone, bool) {
	for ; p.reached < len(p.journal.life); p.reached++ {
		m := p.journal.life[p.reached]
		if m.at > p.last || m.event.Kind == Failed {
			return m, true
		}
		p.ended = m.event.Kind == Closed
	}
	return milestone{}, false
}

// pass delivers the milestone m.
func (p *place) pass(m milestone) Event {
	p.reached++
	p.ended = m.event.Kind == Closed || m.event.Kind == Failed
	if m.event.Seq != 0 {
		p.last = m.event.Seq
	}
	return m.event
}

// peek returns the output that comes next, before the next milestone. If
// output before it is lost, the record says where the loss ends.
func (p *place) peek() (rec record, lost, ok bool) {
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

// accept moves on behind rec.
func (p *place) accept(rec record) {
	if rec.seq >= p.byCursor {
		p.queue.pop()
	}
	p.last, p.seen, p.exact = rec.seq, rec.after(), true
	p.caughtUp()
}

// lose moves on to rec, and tells what is lost before it.
func (p *place) lose(rec record) *GapInfo {
	g := &GapInfo{From: p.last + 1, To: rec.seq - 1, Stdout: true, Stderr: true}
	if p.exact {
		g.count(p.seen, rec.before)
	}
	p.last, p.seen, p.exact = rec.seq-1, rec.before, true
	p.caughtUp()
	return g
}

// skip moves on to what is still queued: the subscriber was told that it
// lagged and did not Read.
func (p *place) skip() {
	to := p.skipTo
	if m, ahead := p.milestone(); ahead {
		to = min(to, m.at)
	}
	p.last, p.exact = to-1, false
	p.caughtUp()
}

func (p *place) caughtUp() {
	if p.last+1 >= p.byCursor {
		p.lagFrom = math.MaxUint64
	}
}
