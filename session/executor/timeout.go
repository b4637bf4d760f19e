package executor

import (
	"context"
	"sync"
	"time"
)

// WithPausableTimeout returns a context that is cancelled with cause after the timeout
// d. Pauses (see Pause) do not count, for it and for any outer WithPausableTimeout;
// therefore it has no Deadline. Calling cancel releases its timer.
func WithPausableTimeout(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancelCause(ctx)
	outer, _ := ctx.Value(timerKey{}).(*pausableTimer)
	p := &pausableTimer{outer: outer, limit: d, left: d, since: time.Now(), end: func() { cancel(cause) }}
	p.timer = time.AfterFunc(d, p.end)
	return context.WithValue(inner, timerKey{}, p), func() {
		p.stop()
		cancel(context.Canceled)
	}
}

// Pause pauses the timeouts of every WithPausableTimeout around ctx until resume is
// called, for example while a person answers a prompt. Pauses may overlap;
// resume may be called twice. Without such a timeout it does nothing.
func Pause(ctx context.Context) (resume func()) {
	p, _ := ctx.Value(timerKey{}).(*pausableTimer)
	for outer := p; outer != nil; outer = outer.outer {
		outer.pause()
	}
	return sync.OnceFunc(func() {
		for outer := p; outer != nil; outer = outer.outer {
			outer.resume()
		}
	})
}

// Elapsed returns the elapsed time of the innermost WithPausableTimeout of ctx, without
// its pauses; 0 without one.
func Elapsed(ctx context.Context) time.Duration {
	p, _ := ctx.Value(timerKey{}).(*pausableTimer)
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	spent := p.limit - p.left
	if p.pauses == 0 {
		spent += time.Since(p.since)
	}
	return spent
}

type timerKey struct{}

type pausableTimer struct {
	outer *pausableTimer
	end   func()
	limit time.Duration

	mu     sync.Mutex
	timer  *time.Timer
	left   time.Duration
	since  time.Time // when left was computed, while not paused
	pauses int
	over   bool
}

func (p *pausableTimer) pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pauses++; p.pauses == 1 && p.timer.Stop() {
		p.left -= time.Since(p.since)
	}
}

func (p *pausableTimer) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pauses--; p.pauses == 0 && !p.over {
		p.since = time.Now()
		p.timer.Reset(max(p.left, 0))
	}
}

func (p *pausableTimer) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.timer.Stop()
}
