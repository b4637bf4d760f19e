package session

import "sync"

// A Rewinder is a Source that knows how its rows and counts were when it had
// fewer of them.
type Rewinder interface {
	Source
	// RowsAsOf is Rows as it was when Len was k.
	RowsAsOf(k, from int, dst []Row) int
	// StatsAsOf are the counts of Stats as they were when Len was k. What Stats
	// tells of the file (Size, Recording, RecordingError) is left zero.
	StatsAsOf(k int) Stats
	// Forgotten is what both do not know exactly.
	Forgotten() Forgotten
}

// Forgotten counts what the past of a log is not known exactly of, because there
// was too much of it. The zero value is the usual one: nothing.
type Forgotten struct {
	Changes uint64 // of rows that were cancelled, timed out or lost, after a million of them: shown from the row's beginning on
	Rows    uint64 // for which counts are only known each 2,048 rows, after some 11 M of them
}

// A Past is a Source that shows another one as it was when it had fewer rows:
// what was pending then is pending, and what was not there is not. It moves
// forwards only, as rows of a Source are only ever added; to go back, make a new
// one, which costs nothing. All methods may be called from any goroutine. Making
// one and To are O(1), Rows costs what it costs the source, Stats a walk over at
// most 2,048 rows in memory.
//
// Header is that of the source. A recording that is complete now was still being
// recorded before its last row. Entries can be read whatever the moment.
type Past struct {
	Source
	asOf Rewinder

	mu      sync.Mutex
	rows    int
	changed chan struct{} // nil if nobody asked
}

// NewPast returns src before its first row.
func NewPast(src Rewinder) *Past { return &Past{Source: src, asOf: src} }

// To moves to when the source had so many rows. It does not go back, nor beyond
// what the source has now.
func (p *Past) To(rows int) {
	rows = min(rows, p.Source.Len())
	p.mu.Lock()
	defer p.mu.Unlock()
	if rows <= p.rows {
		return
	}
	p.rows = rows
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// Len is the number of rows that there were.
func (p *Past) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rows
}

// Rows copies rows as they were from number from on into dst and returns how
// many.
func (p *Past) Rows(from int, dst []Row) int { return p.asOf.RowsAsOf(p.Len(), from, dst) }

// EntryInto is Entry in memory of the caller. See IntoReader.
func (p *Past) EntryInto(row Row, limit int, buf []byte) (Entry, error) {
	return EntryInto(p.Source, row, limit, buf)
}

// InOrder implements OrderReader: entries do not change.
func (p *Past) InOrder() IntoReader { return InOrder(p.Source) }

// Search implements Searcher, if the source does.
func (p *Past) Search(rows []Row, lower []byte, found []Found) { search(p.Source, rows, lower, found) }

// Stats returns the counts as they were. Size is where the last row ends.
func (p *Past) Stats() Stats {
	k := p.Len()
	s, now := p.asOf.StatsAsOf(k), p.Source.Stats()
	s.Recording, s.RecordingError, s.RecordingMoved = now.Recording, now.RecordingError, now.RecordingMoved
	if k < p.Source.Len() && (now.Recording.Complete() || now.Recording == RecordingReading) {
		s.Recording = RecordingOn
	}
	var last [1]Row
	if p.Source.Rows(max(k-1, 0), last[:]) == 1 {
		s.Size = last[0].Off
		if k > 0 {
			s.Size += int64(last[0].Len)
		}
	}
	return s
}

// Forgotten is what the source does not know of its past.
func (p *Past) Forgotten() Forgotten { return p.asOf.Forgotten() }

// Changed is closed when To has moved on after the call.
func (p *Past) Changed() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.changed
}
