package scenario

import (
	"context"
	"fmt"
	"time"

	"mcpdbg/session"
)

// A live log has no gaps, so row n-1 is entry n.
func (r *runner) time(n uint64) time.Duration {
	row, _ := session.RowAt(r.log, int(n)-1)
	return time.Duration(row.T) * time.Microsecond
}

func (r *runner) now() time.Duration { return time.Duration(r.log.Now()) * time.Microsecond }

func (r *runner) entry(number int) (session.Entry, error) {
	row, ok := session.RowAt(r.log, number)
	if !ok {
		return session.Entry{}, fmt.Errorf("the log has no row %d", number)
	}
	return r.read(row)
}

// read reads only the beginning of an entry that is too large for any check.
func (r *runner) read(row session.Row) (session.Entry, error) {
	limit := 0
	if row.Len > maxValue {
		limit = maxShown
	}
	return r.log.Entry(row, limit)
}

// sentSince returns the first message with a method sent at or after a row, or 0.
func (r *runner) sentSince(from int, method string) uint64 {
	number, ok := r.find(from, func(_ int, row session.Row) bool {
		return row.Kind == session.KindStdin && r.log.Method(row.Method) == method
	})
	if !ok {
		return 0
	}
	return uint64(number) + 1
}

// find searches the existing rows, starting at from.
func (r *runner) find(from int, matches func(number int, row session.Row) bool) (number int, ok bool) {
	for number, row := range session.RowsFrom(r.log, from) {
		if matches(number, row) {
			return number, true
		}
		from = number + 1
	}
	return from, false
}

// until waits for a matching row from from on. The error is the exit of the server, or
// that of ctx.
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
