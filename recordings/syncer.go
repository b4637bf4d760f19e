package recordings

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const syncEvery = time.Second

const lookEvery = 5 * time.Second

// A syncer syncs to disk from a goroutine of its own: one sync can take half a second,
// during which no pipe may wait. A nil syncer does nothing.
type syncer struct {
	sync  func() error
	look  func()        // called after each sync, and every lookEvery while idle
	dirty chan struct{} // of capacity 1
	quit  chan struct{}
	done  chan struct{}
	err   atomic.Pointer[error]
}

func newSyncer(sync func() error, look func()) *syncer {
	s := &syncer{sync: sync, look: look, dirty: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
	go s.run()
	return s
}

// touch reports a write. It returns the error of an earlier sync.
func (s *syncer) touch() error {
	if s == nil {
		return nil
	}
	select {
	case s.dirty <- struct{}{}:
	default:
	}
	return s.failure()
}

// failure returns the error of the last sync that failed.
func (s *syncer) failure() error {
	if s == nil {
		return nil
	}
	if err := s.err.Load(); err != nil {
		return *err
	}
	return nil
}

// stop syncs one last time and waits for it.
func (s *syncer) stop() {
	if s == nil {
		return
	}
	close(s.quit)
	<-s.done
}

func (s *syncer) run() {
	defer close(s.done)
	defer s.once()
	s.once() // the file itself and its directory entry
	for {
		select {
		case <-s.dirty:
		case <-time.After(lookEvery):
			s.look()
			continue
		case <-s.quit:
			return
		}
		select {
		case <-time.After(syncEvery):
			s.once()
		case <-s.quit:
			return
		}
	}
}

func (s *syncer) once() {
	if err := s.sync(); err != nil {
		s.err.Store(&err)
	}
	s.look()
}

// disk tracks the files that must be synced. It is safe for concurrent use.
type disk struct {
	mu    sync.Mutex
	files []*os.File // may have unsynced bytes; the last one is being written
	fresh []*os.File // those whose directory entry may be unsynced
}

// add adds a new file; the others are not written to any more.
func (d *disk) add(f *os.File) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files, d.fresh = append(d.files, f), append(d.fresh, f)
}

// sync syncs everything written before the call, file by file in order.
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

// syncFolder syncs the directory entries of a folder. A folder that can't be opened or
// synced, as on Windows, does not prevent recording.
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
