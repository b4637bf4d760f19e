package scenario

import (
	"context"
	"fmt"
	"time"

	"mcpdbg/session"
)

// row is the row of a number; ok is false beyond the log's end.
func (r *runner) row(number int) (session.Row, bool) {
	var one [1]session.Row
	if number < 0 || r.log.Rows(number, one[:]) == 0 {
		return session.Row{}, false
	}
	return one[0], true
}

// time is when entry n came, by the log's clock. The log of a session that runs
// has no holes, so that the row of an entry is known by its number.
func (r *runner) time(n uint64) time.Duration {
	row, _ := r.row(int(n) - 1)
	return time.Duration(row.T) * time.Microsecond
}

// now is the log's clock.
func (r *runner) now() time.Duration { return time.Duration(r.log.Now()) * time.Microsecond }

// entry reads the entry of a row, all of it.
func (r *runner) entry(number int) (session.Entry, error) {
	row, ok := r.row(number)
	if !ok {
		return session.Entry{}, fmt.Errorf("the log has no row %d", number)
	}
	return r.read(row)
}

// read reads an entry, of one that is too large for any check only the
// beginning.
func (r *runner) read(row session.Row) (session.Entry, error) {
	limit := 0
	if row.Len > maxValue {
		limit = maxShown
	}
	return r.log.Entry(row, limit)
}

// sentSince is the entry of the first message with a method that was sent from a
// row on, 0 if there is none.
func (r *runner) sentSince(from int, method string) uint64 {
	number, ok := r.find(from, func(_ int, row session.Row) bool {
		return row.Kind == session.KindStdin && r.log.Method(row.Method) == method
	})
	if !ok {
		return 0
	}
	return uint64(number) + 1
}

// find looks for a row, from a number on, in what is there.
func (r *runner) find(from int, matches func(number int, row session.Row) bool) (number int, ok bool) {
	for number, row := range session.RowsFrom(r.log, from) {
		if matches(number, row) {
			return number, true
		}
		from = number + 1
	}
	return from, false
}

// until looks for a row, from a number on, until there is one. The error is that
// the server has ended without it, or ctx's.
func (r *runner) until(ctx context.Context, from int, matches func(number int, row session.Row) bool) (number int, err error) {
	done := r.sess.Done()
	for {
		changed, ended := r.log.Changed(), isClosed(done)
		number, ok := r.find(from, func(number int, row session.Row) bool { return ctx.Err() != nil || matches(number, row) })
		switch {
		case ctx.Err() != nil:
			return 0, context.Cause(ctx)
		case ok:
			return number, nil
		}
		if ended {
			return 0, endOf(r.sess.Status().Process)
		}
		from = number
		select {
		case <-changed:
		case <-done:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// round makes a time short to read.
func round(d time.Duration) time.Duration {
	switch {
	case d < 10*time.Millisecond:
		return d.Round(10 * time.Microsecond)
	case d < 10*time.Second:
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}
