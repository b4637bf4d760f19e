package redact

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"mcpdbg/recordings"
)

// A Temporary is a redacted copy of a recording in a file of its own, which Close
// removes.
type Temporary struct {
	*recordings.Recording
	Report *Report
	folder string
}

// Open makes a redacted copy of the recording at path and opens it. The caller must
// close it. The errors are those of Copy and of recordings.OpenContext.
func Open(ctx context.Context, path string, with Rules) (t *Temporary, err error) {
	folder, err := os.MkdirTemp("", "mcpdbg-redacted-") // 0700
	if err != nil {
		return nil, err
	}
	t = &Temporary{folder: folder}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(folder)
			t = nil
		}
	}()
	copied := filepath.Join(folder, filepath.Base(path))
	out, err := os.OpenFile(copied, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	t.Report, err = Copy(ctx, path, out, with)
	if err = errors.Join(err, out.Close()); err != nil {
		return nil, err
	}
	t.Recording, err = recordings.OpenContext(ctx, copied)
	return t, err
}

// Close closes and removes the copy.
func (t *Temporary) Close() error {
	return errors.Join(t.Recording.Close(), os.RemoveAll(t.folder))
}
