package logs

import (
	"context"
	"math"

	"mcpdbg/recordings"
	"mcpdbg/session/diagnosis/rule"
)

// stepBytes is how much of a recording is checked between two updates of a meter.
const stepBytes = 4 << 20

// Check opens a recording and checks it against the rules. The rows are checked while
// later ones are being read, on other processors. It stops when ctx ends, with the
// cause as the error; the other errors are those of recordings.Open.
func Check(ctx context.Context, path string, meter *Meter) (*recordings.Recording, *rule.Checker, error) {
	var checker *rule.Checker
	rec, err := recordings.OpenWhile(ctx, path, func(r *recordings.Recording) {
		checker = rule.New(r)
		part, done := meter.Part(r.Progress().Size), int64(0)
		for last := false; ctx.Err() == nil; {
			changed := r.Changed()
			if checker.Advance(ctx, math.MaxInt, stepBytes) {
				done += stepBytes
				part.To(done)
			} else if last {
				return
			} else {
				last = !wait(ctx, r, changed) // the end may have come with more rows
			}
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return rec, checker, nil
}

// wait waits for more rows. It returns false if all have been read.
func wait(ctx context.Context, r *recordings.Recording, changed <-chan struct{}) bool {
	select {
	case <-r.Indexed():
		return false
	default:
	}
	select {
	case <-changed:
	case <-r.Indexed():
	case <-ctx.Done():
	}
	return true
}
