package logs

import (
	"context"

	"mcpdbg/recordings"
	"mcpdbg/session"
)

// Copy writes the rows as they are indexed: those in the file when it was
// opened, and with follow also those that its recorder adds, until it ends.
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
