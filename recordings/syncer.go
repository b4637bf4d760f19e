package recordings

import (
	"sync/atomic"
	"time"
)

// syncEvery is how long written bytes may stay out of the disk.
const syncEvery = time.Second

// lookEvery is how often files that nothing is written to are looked at.
const lookEvery = 5 * time.Second

// A syncer brings what was written to the disk, from a goroutine of its own:
// one sync can take half a second, in which no pipe may wait. A nil syncer does
// nothing.
type syncer struct {
	sync  func() error
	look  func()        // called after each sync, and now and then without one
	dirty chan struct{} // has room for one
	quit  chan struct{}
	done  chan struct{}
	err   atomic.Pointer[error]
}

func newSyncer(sync func() error, look func()) *syncer {
	s := &syncer{sync: sync, look: look, dirty: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
	go s.run()
	return s
}

// touch tells that something was written. The error is that of an earlier sync.
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

// failure is the error of the last sync that failed.
func (s *syncer) failure() error {
	if s == nil {
		return nil
	}
	if err := s.err.Load(); err != nil {
		return *err
	}
	return nil
}

// stop syncs for the last time and waits for it.
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
	s.once() // the file itself, and its name
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
