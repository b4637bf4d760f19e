package recordings

import (
	"io"

	"mcpdbg/session"
)

// storeIndex stores the index of a recording that is complete, as if it had been
// opened: it is there for free.
func (f *File) storeIndex() {
	if f.keeps != session.RecordingOn || f.end < worthStoring || f.stopReason() != nil || f.watch.moved() != "" || f.rowsError() != nil {
		return
	}
	path, err := storedPath(f.path)
	if err != nil {
		return
	}
	info, err := f.files.Stat()
	if err != nil {
		return
	}
	var last [1]session.Row
	if f.index.Rows(f.index.Len()-1, last[:]) == 0 {
		return
	}
	at := position{End: f.end, Entries: f.n, N: f.n, T: last[0].T, Kind: last[0].Kind}
	_ = storeAt(path, func(w io.Writer) error {
		return writeStored(w, &f.index, f.header.ID, &f.files, info, at)
	})
}
