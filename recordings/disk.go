package recordings

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// disk tracks the files of a recording that must be synced to disk. It is safe for
// concurrent use.
type disk struct {
	mu    sync.Mutex
	files []*os.File // may have unsynced bytes; the last one is being written
	fresh []*os.File // those whose directory entry may be unsynced
}

// add adds a newly created file; the others are not written to any more.
func (d *disk) add(f *os.File) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files, d.fresh = append(d.files, f), append(d.fresh, f)
}

// sync syncs everything written before the call to disk, file by file in order.
func (d *disk) sync() error {
	d.mu.Lock()
	files, fresh := slices.Clone(d.files), d.fresh
	d.files, d.fresh = d.files[len(d.files)-1:], nil
	d.mu.Unlock()
	var err error
	for _, f := range files {
		if slices.Contains(fresh, f) {
			err = errors.Join(err, f.Sync(), syncFolder(filepath.Dir(f.Name())))
		} else {
			err = errors.Join(err, syncData(f))
		}
	}
	return err
}

// syncFolder syncs the directory entries of a folder to disk. A folder that can't
// be opened or synced, as on Windows, does not prevent recording.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	if err := d.Sync(); errors.Is(err, syscall.EIO) {
		return err
	}
	return nil
}
