package session

import "sync"

// A Rewinder is a Source that can report its rows and counts as of an earlier
// length.
type Rewinder interface {
	Source
	// RowsAsOf is like Rows when Len was k.
	RowsAsOf(k, from int, dst []Row) int
	// StatsAsOf returns the counts of Stats when Len was k. The fields about
	// the file (Size, Recording, RecordingError) are zero.
	StatsAsOf(k int) Stats
	// Forgotten returns what both do not know exactly.
	Forgotten() Forgotten
}

// Forgotten counts the parts of a log's past that are not known exactly,
// because the log is too long. It is usually zero.
type Forgotten struct {
	Changes uint64 // rows that were cancelled, timed out or lost, beyond a million: they always show their latest state
	Rows    uint64 // rows beyond some 11 M, for which counts are known only every 2,048 rows
}

// A Past is a Source that shows another one as it was when it had fewer rows:
// requests that were pending then are pending, and later rows do not exist. It
// moves forwards only, as rows of a Source are only ever added; to go back,
// make a new one, which is cheap. All methods may be called from any goroutine.
// NewPast and To are O(1), Rows costs what it costs the source, and Stats walks
// over at most 2,048 rows in memory.
//
// Header is that of the source. Before its last row, a complete recording is
// shown as still being recorded. Entries can be read at any position.
type Past struct {
	Source
	asOf Rewinder

	mu      sync.Mutex
	rows    int
	changed chan struct{} // nil if unused
}

// NewPast returns a Past that shows src before its first row.
func NewPast(src Rewinder) *Past { return &Past{Source: src, asOf: src} }

// To moves to the moment when the source had the given number of rows. It moves
// neither back nor beyond the rows that the source has now.
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

// Len returns the number of rows at that moment.
func (p *Past) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rows
}

// Rows copies rows as they were, from number from on, into dst and returns how
// many.
func (p *Past) Rows(from int, dst []Row) int { return p.asOf.RowsAsOf(p.Len(), from, dst) }

// EntryInto implements IntoReader.
func (p *Past) EntryInto(row Row, limit int, buf []byte) (Entry, error) {
	return EntryInto(p.Source, row, limit, buf)
}

// InOrder implements OrderReader: entries do not change.
func (p *Past) InOrder() IntoReader { return InOrder(p.Source) }

// Search implements Searcher, if the source does.
func (p *Past) Search(rows []Row, needle Needle, found []Found) {
	search(p.Source, rows, needle, found)
}

// Stats returns the counts as they were. Size is the end of the last row.
func (p *Past) Stats() Stats {
	k := p.Len()
	s, now := p.asOf.StatsAsOf(k), p.Source.Stats()
	s.Recording, s.RecordingError, s.RecordingMoved = now.Recording, now.RecordingError, now.RecordingMoved
	if k < p.Source.Len() && (now.Recording.Complete() || now.Recording == RecordingReading) {
		s.Recording = RecordingOn
	}
	if last, ok := RowAt(p.Source, max(k-1, 0)); ok {
		s.Size = last.Off
		if k > 0 {
			s.Size += int64(last.Len)
		}
	}
	return s
}

// Forgotten returns what the source does not know exactly of its past.
func (p *Past) Forgotten() Forgotten { return p.asOf.Forgotten() }

// Changed returns a channel that is closed when To moves on.
func (p *Past) Changed() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.changed
}
