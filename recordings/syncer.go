package recordings

import (
	"sync/atomic"
	"time"
)

// syncEvery is the longest time that written bytes stay unsynced.
const syncEvery = time.Second

// lookEvery is how often idle files are checked.
const lookEvery = 5 * time.Second

// A syncer syncs written data to disk from a goroutine of its own: one sync can take
// half a second, during which no pipe may wait. A nil syncer does nothing.
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

// touch reports that something was written. It returns the error of an earlier sync.
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
