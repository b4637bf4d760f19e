package workspace

import (
	"sync/atomic"

	"mcpdbg/session"
)

const (
	// MeterSpan is the period in microseconds over which a rate is measured.
	MeterSpan = 4_000_000
	// MeterStep is the time between its samples, in microseconds.
	MeterStep = 500_000
	// leastRate is the lowest rate a second that is reported; a person who calls tools
	// stays below it.
	leastRate = 10
)

// A Meter measures a rate over the last seconds. The zero value is empty.
type Meter struct {
	Samples []metered // oldest first
}

type metered struct {
	t int64 // microseconds
	n uint64
}

// Sample records the count n at time t, in microseconds.
func (m *Meter) Sample(t int64, n uint64) {
	if last := len(m.Samples) - 1; last > 0 && t-m.Samples[last-1].t < MeterStep {
		m.Samples[last] = metered{t, n}
		return
	}
	for len(m.Samples) > 1 && t-m.Samples[1].t >= MeterSpan {
		m.Samples = append(m.Samples[:0], m.Samples[1:]...)
	}
	m.Samples = append(m.Samples, metered{t, n})
}

// PerSecond returns the rate, rounded; 0 below leastRate.
func (m *Meter) PerSecond() int {
	if len(m.Samples) == 0 {
		return 0
	}
	first, last := m.Samples[0], m.Samples[len(m.Samples)-1]
	took := max(last.t-first.t, 1_000_000)
	rate := int((int64(last.n-first.n)*1_000_000 + took/2) / took)
	if rate < leastRate {
		return 0
	}
	return rate
}

// Active reports whether the rate changes with time.
func (m *Meter) Active() bool { return m.PerSecond() > 0 }

// A Metered is a source that counts the rows read from it, as the progress of a long job.
type Metered struct {
	session.Source
	Read *atomic.Int64
}

// Rows implements session.Source.
func (m Metered) Rows(from int, dst []session.Row) int {
	n := m.Source.Rows(from, dst)
	if n > 1 { // single rows are read again
		m.Read.Add(int64(n))
	}
	return n
}

// EntryInto implements session.IntoReader.
func (m Metered) EntryInto(row session.Row, limit int, buf []byte) (session.Entry, error) {
	return session.EntryInto(m.Source, row, limit, buf)
}
