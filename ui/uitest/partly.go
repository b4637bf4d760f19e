package uitest

import (
	"sync"

	"mcpdbg/recordings"
	"mcpdbg/session"
)

// A PartlyRead is a recording of which only the first rows and a tail are read.
type PartlyRead struct {
	*recordings.Recording
	Err  error // of reading, which ends it
	tail int   // the first row of the tail

	mu   sync.Mutex
	rows int
}

// NewPartlyRead returns a recording of which only the rows from tail on are read.
func NewPartlyRead(r *recordings.Recording, tail int) *PartlyRead {
	return &PartlyRead{Recording: r, tail: tail}
}

// Read reads the first rows, up to a number.
func (p *PartlyRead) Read(rows int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows = min(rows, p.Recording.Len())
}

// Len implements session.Source.
func (p *PartlyRead) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rows
}

// Rows implements session.Source.
func (p *PartlyRead) Rows(from int, dst []session.Row) int {
	return p.Recording.Rows(from, dst[:min(len(dst), max(p.Len()-from, 0))])
}

// Progress reports how many rows are read.
func (p *PartlyRead) Progress() recordings.Progress {
	rows, all := p.Len(), p.Recording.Len()
	return recordings.Progress{Bytes: int64(rows), Size: int64(all), Rows: rows, Done: rows == all || p.Err != nil, Err: p.Err}
}

// Stats implements session.Source.
func (p *PartlyRead) Stats() session.Stats {
	s := p.StatsAsOf(p.Len())
	whole := p.Recording.Stats()
	if s.Size, s.Recording = whole.Size, session.RecordingReading; p.Progress().Done {
		s.Recording = whole.Recording
	}
	return s
}

// Tail returns the tail as a source of its own.
func (p *PartlyRead) Tail() session.Source { return tailOf{p} }

// tailOf is the tail as a source of its own.
type tailOf struct{ *PartlyRead }

func (o tailOf) Len() int { return o.Recording.Len() - o.tail }

func (o tailOf) Rows(from int, dst []session.Row) int {
	n := o.Recording.Rows(from+o.tail, dst)
	for i := range dst[:n] {
		dst[i].Related = uint32(max(int(dst[i].Related)-o.tail, 0))
	}
	return n
}
