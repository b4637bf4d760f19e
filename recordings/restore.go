package recordings

import (
	"io"
	"io/fs"
	"os"
	"time"

	"mcpdbg/session/index"
)

// restore replaces the empty index by the stored one, if there is one. An unreliable one
// is deleted.
func (r *Recording) restore(info fs.FileInfo) {
	r.building.Lock()
	defer r.building.Unlock()
	if r.storedAt == "" {
		return
	}
	f, err := os.Open(r.storedAt)
	if err != nil {
		return
	}
	if !r.restoreFrom(f, info) {
		_ = f.Close()
		_ = os.Remove(r.storedAt)
		return
	}
	now := time.Now()
	_ = os.Chtimes(r.storedAt, now, now) // last used now
}

func (r *Recording) restoreFrom(f *os.File, info fs.FileInfo) bool {
	at, err := f.Stat()
	if err != nil {
		return false
	}
	about, state, err := readStored(f, at.Size())
	if err != nil || !about.same(r.header, r.f, info) {
		return false
	}
	rows := &storedRows{f: f, sums: about.Pages}
	index := r.newIndex()
	if index.Restore(state, rows) != nil || index.Len() != int(about.Position.Entries) {
		return false
	}
	r.indexer = indexer{f: r.f, index: index, position: about.Position, read: about.Position.End}
	r.change(func() { r.at = r.indexer.position })
	r.index.Store(index)
	r.restored, r.storedEnd = rows, about.Position.End
	return true
}

// store stores the index if it has grown enough to be worth it. Failure is ignored, and
// closing does not wait for it.
func (r *Recording) store() {
	r.building.Lock()
	defer r.building.Unlock()
	if r.storedAt == "" || r.indexer.End-r.storedEnd < minStored {
		return
	}
	info, err := r.f.Stat()
	if err != nil {
		return
	}
	_ = storeAt(r.storedAt, func(w io.Writer) error {
		if r.atOnce {
			w = unlessClosed{w, r.quit}
		}
		return writeStored(w, r.indexer.index, r.header.ID, r.f, info, r.indexer.position)
	})
}

// rebuild rebuilds the index if x was restored and one of its pages can't be read. The
// rows stay the same. Readers of rows wait meanwhile.
func (r *Recording) rebuild(x *index.Index) bool {
	r.handover.end() // its reader may be waiting here
	r.building.Lock()
	defer r.building.Unlock()
	if r.index.Load() != x {
		return true // already rebuilt
	}
	if r.restored == nil || !r.restored.bad.Load() {
		return false
	}
	_ = os.Remove(r.storedAt)
	_, begin, err := readHeader(r.path, r.f)
	if err != nil {
		return false
	}
	r.begin(begin)
	size, err := r.grown()
	if err == nil {
		err = r.indexer.catchUp(size, func() error { return nil })
	}
	r.indexer.index.Publish()
	r.change(func() { r.at = r.indexer.position })
	r.index.Store(r.indexer.index)
	r.storedEnd = r.indexer.End // not stored again: the disk can't be trusted
	return err == nil
}

type unlessClosed struct {
	io.Writer
	quit <-chan struct{}
}

func (w unlessClosed) Write(p []byte) (int, error) {
	select {
	case <-w.quit:
		return 0, errQuit
	default:
		return w.Writer.Write(p)
	}
}
