package logs

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"mcpdbg/internal/cli/console"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/ui/widget/filter"
)

// A Span is a part of a recording, between entries or times. The zero span is all of it.
type Span struct {
	Set      bool
	from, to int64           // times in microseconds, inclusive
	last     int             // last entry; 0: no limit
	numbers  *filter.Matcher // matches the entry numbers; nil: all
}

// A Bound is one end of a Span: an entry number, a time since the start such as 1.5s, or
// a date and time such as 2026-11-21T10:00:00Z.
type Bound struct {
	text   string
	number uint64
	since  time.Duration
	at     time.Time
}

// Given reports whether the bound is set.
func (b *Bound) Given() bool { return b.text != "" }

// String implements pflag.Value.
func (b *Bound) String() string { return b.text }

// Type implements pflag.Value.
func (b *Bound) Type() string { return "where" }

// Set implements pflag.Value.
func (b *Bound) Set(text string) error {
	*b = Bound{text: text}
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
	return fmt.Errorf("invalid position %q: write an entry number, a time since the start such as 1.5s, or 2026-11-21T10:00:00Z", text)
}

func (b *Bound) time(start time.Time) (us int64, ok bool) {
	switch {
	case b.text == "" || b.number > 0:
		return 0, false
	case !b.at.IsZero():
		return b.at.Sub(start).Microseconds(), true
	}
	return b.since.Microseconds(), true
}

// Between returns a part of a source.
func Between(src session.Source, from, to Bound) (Span, error) {
	s := Span{Set: from.text != "" || to.text != "", from: math.MinInt64, to: math.MaxInt64}
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
		return s, console.Usagef("--to %d is before --from %d", to.number, from.number)
	}
	s.numbers = f.Matcher(src)
	return s, nil
}

// Has reports whether a row is in the span.
func (s *Span) Has(number int, row session.Row) bool {
	return !s.Set || row.T >= s.from && row.T <= s.to && (s.numbers == nil || s.numbers.Match(number, row))
}

// over reports whether all later rows are outside the span.
func (s *Span) over(number int, row session.Row) bool {
	return s.Set && (row.T > s.to || s.last > 0 && number >= s.last) // row i has at least the number i+1
}

// Copy writes the rows of a file as they are indexed: those at its opening, and with
// follow also those that its recorder adds, until it ends.
func Copy(ctx context.Context, rec *recordings.Recording, lines *Writer, follow bool) error {
	for {
		changed, over := rec.Changed(), false
		select {
		case <-rec.Indexed():
			over = !follow || rec.Stats().Recording != session.RecordingOn
			if !follow && lines.stop == 0 {
				lines.stop = rec.Len()
			}
		default:
		}
		if err := lines.write(ctx); err != nil {
			return err
		}
		if over {
			return rec.Progress().Err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
