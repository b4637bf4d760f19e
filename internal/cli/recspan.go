package cli

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"mcpdbg/session"
	"mcpdbg/ui/filter"
)

// A span is a part of a recording: from an entry or a time on, up to another.
// The zero span is all of it.
type span struct {
	set      bool
	from, to int64           // times in microseconds, the ends included
	last     int             // entry; 0: no matter which
	numbers  *filter.Matcher // of the entries; nil: all
}

// A bound is one end of a span, as a person writes it: the number of an entry,
// a time since the start such as 1.5s, or a moment such as
// 2026-11-21T10:00:00Z.
type bound struct {
	text   string
	number uint64
	since  time.Duration
	at     time.Time
}

// String implements pflag.Value.
func (b *bound) String() string { return b.text }

// Type implements pflag.Value.
func (b *bound) Type() string { return "where" }

// Set implements pflag.Value.
func (b *bound) Set(text string) error {
	*b = bound{text: text}
	var err error
	if b.number, err = strconv.ParseUint(text, 10, 64); err == nil && b.number > 0 {
		return nil
	}
	b.number = 0
	if b.since, err = time.ParseDuration(text); err == nil && b.since >= 0 {
		return nil
	}
	if b.at, err = time.Parse(time.RFC3339, text); err == nil {
		return nil
	}
	return fmt.Errorf("%q is no place in a recording: write the number of an entry, a time since the start such as 1.5s, or 2026-11-21T10:00:00Z", text)
}

// time is the bound as a time of the log, if it is one.
func (b *bound) time(start time.Time) (us int64, ok bool) {
	switch {
	case b.text == "" || b.number > 0:
		return 0, false
	case !b.at.IsZero():
		return b.at.Sub(start).Microseconds(), true
	}
	return b.since.Microseconds(), true
}

// between is the part of a source from one bound to another.
func between(src session.Source, from, to bound) (span, error) {
	s := span{set: from.text != "" || to.text != "", from: math.MinInt64, to: math.MaxInt64}
	start := src.Header().Start
	if t, ok := from.time(start); ok {
		s.from = t
	}
	if t, ok := to.time(start); ok {
		s.to = t
	}
	if from.number == 0 && to.number == 0 {
		return s, nil
	}
	numbers := fmt.Sprintf("n:%d-", from.number)
	if to.number > 0 {
		numbers += to.text
		s.last = int(min(to.number, math.MaxInt))
	}
	f, err := filter.Parse(numbers)
	if err != nil {
		return s, usagef("--to %d is before --from %d", to.number, from.number)
	}
	s.numbers = f.Over(src)
	return s, nil
}

func (s *span) has(number int, row session.Row) bool {
	return !s.set || row.T >= s.from && row.T <= s.to && (s.numbers == nil || s.numbers.Match(number, row))
}

// over tells whether nothing that comes after a row can be in it.
func (s *span) over(number int, row session.Row) bool {
	return s.set && (row.T > s.to || s.last > 0 && number >= s.last) // row i has at least the number i+1
}
