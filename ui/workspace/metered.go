package workspace

import (
	"sync/atomic"

	"mcpdbg/session"
)

// A Metered is a source that counts the rows that are read from it, to show how far a
// long job is.
type Metered struct {
	session.Source
	Read *atomic.Int64
}

// Rows implements session.Source.
func (m Metered) Rows(from int, dst []session.Row) int {
	n := m.Source.Rows(from, dst)
	if n > 1 { // single rows are read again, so only batches count
		m.Read.Add(int64(n))
	}
	return n
}

// EntryInto implements session.IntoReader.
func (m Metered) EntryInto(row session.Row, limit int, buf []byte) (session.Entry, error) {
	return session.EntryInto(m.Source, row, limit, buf)
}
