package ui

const (
	// meterSpan is over how long a rate is measured, in microseconds, and
	// meterStep how far its samples are apart.
	meterSpan = 4_000_000
	meterStep = 500_000
	// leastRate is from how many a second on there is a rate: a person who calls
	// a tool is none.
	leastRate = 10
)

// A meter measures a rate over the last seconds. The zero value has measured
// nothing.
type meter struct {
	samples []metered // oldest first
}

type metered struct {
	t int64 // microseconds
	n uint64
}

// sample takes a count at a time.
func (m *meter) sample(t int64, n uint64) {
	if last := len(m.samples) - 1; last > 0 && t-m.samples[last-1].t < meterStep {
		m.samples[last] = metered{t, n}
		return
	}
	for len(m.samples) > 1 && t-m.samples[1].t >= meterSpan {
		m.samples = append(m.samples[:0], m.samples[1:]...)
	}
	m.samples = append(m.samples, metered{t, n})
}

// perSecond is the rate, rounded; 0 below leastRate.
func (m *meter) perSecond() int {
	if len(m.samples) == 0 {
		return 0
	}
	first, last := m.samples[0], m.samples[len(m.samples)-1]
	took := max(last.t-first.t, 1_000_000)
	rate := int((int64(last.n-first.n)*1_000_000 + took/2) / took)
	if rate < leastRate {
		return 0
	}
	return rate
}

// runs tells whether the rate changes with time.
func (m *meter) runs() bool { return m.perSecond() > 0 }
