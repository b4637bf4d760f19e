package store

import (
	"context"
	"os"

	"mcpdbg/recordings"
	"mcpdbg/session/diagnosis/cause"
)

// maxExamined is the size in bytes of the largest recording that Examine reads.
const maxExamined = 8 << 20

// Look reads the first and the last line, in well below a millisecond. Fields that
// they lack stay empty. The error is that of recordings.Peek.
func (r *Recording) Look() error {
	s, err := recordings.Peek(r.Path)
	if info, statErr := os.Stat(r.Path); err != nil && statErr == nil {
		s.Size = info.Size()
	}
	r.Size, r.Header, r.State, r.Stopped = s.Size, s.Header, s.State, s.Stopped
	r.Duration, r.Counts = s.Duration, s.Counts
	return err
}

// Examine reads all entries of a recording of up to 8 MiB, for its counts and the
// likeliest cause of its problems. It does nothing for a larger one, and
// for one that Look has not read.
func (r *Recording) Examine(ctx context.Context) error {
	if r.Size == 0 || r.Size > maxExamined {
		return nil
	}
	rec, err := recordings.OpenContext(ctx, r.Path)
	if err != nil {
		return err
	}
	defer rec.Close()
	stats := rec.Stats()
	counts := stats.EndCounts()
	found := cause.Find(ctx, rec)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r.Examined, r.Counts, r.Cause = true, &counts, ""
	if len(found) > 0 {
		r.Cause = found[0].Text
	}
	return nil
}
