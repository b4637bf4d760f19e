package sshconfig

import (
	"context"
	"sync"
)

// maxFlights is how many programs run at once.
const maxFlights = 8

// flights let one caller at a time resolve a destination, so that concurrent callers find
// its result in the cache, and limit the number of programs that run at once. The zero
// value is ready for use.
type flights struct {
	mu     sync.Mutex
	byKey  map[cacheKey]*flight
	runway chan struct{}
}

type flight struct {
	turn  chan struct{} // one slot
	users int
}

// enter waits until the caller may resolve key. The caller calls land in the end.
func (f *flights) enter(ctx context.Context, key cacheKey) (land func(), err error) {
	one := f.join(key)
	for i, slot := range []chan struct{}{one.turn, f.runway} {
		select {
		case slot <- struct{}{}:
		case <-ctx.Done():
			if i > 0 {
				<-one.turn
			}
			f.leave(key, one)
			return nil, ctx.Err()
		}
	}
	return func() {
		<-f.runway
		<-one.turn
		f.leave(key, one)
	}, nil
}

func (f *flights) join(key cacheKey) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byKey == nil {
		f.byKey = make(map[cacheKey]*flight)
		f.runway = make(chan struct{}, maxFlights)
	}
	one := f.byKey[key]
	if one == nil {
		one = &flight{turn: make(chan struct{}, 1)}
		f.byKey[key] = one
	}
	one.users++
	return one
}

func (f *flights) leave(key cacheKey, one *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(f.byKey, key)
	}
}
