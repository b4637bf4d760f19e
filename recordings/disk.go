package recordings

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// disk is what of a recording is to be brought to the disk. It may be used by any
// goroutine.
type disk struct {
	mu    sync.Mutex
	files []*os.File // that may have bytes which are not there; the last one is written to
	fresh []*os.File // of these, those whose names may not be there
}

// add adds a file that was created; no more is written to the others.
func (d *disk) add(f *os.File) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files, d.fresh = append(d.files, f), append(d.fresh, f)
}

// sync brings all that was written before it to the disk, file by file in their
// order.
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

// syncFolder brings the names in a folder to the disk. Where a folder can't be
// opened or synced, as on Windows, that is no reason not to record.
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
