package executor

import (
	"context"
	"sync"
	"time"
)

// WithPatience returns a context that ends, with cause, when d has passed; the
// time in which somebody is asked (see Pause) does not count, neither for it nor
// for the patience around it. Its Deadline is not known, for that reason.
// Calling cancel releases its timer.
func WithPatience(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancelCause(ctx)
	outer, _ := ctx.Value(patienceKey{}).(*patience)
	p := &patience{outer: outer, limit: d, left: d, since: time.Now(), end: func() { cancel(cause) }}
	p.timer = time.AfterFunc(d, p.end)
	return context.WithValue(inner, patienceKey{}, p), func() {
		p.stop()
		cancel(context.Canceled)
	}
}

// Pause stops the clocks of every WithPatience around ctx until resume is
// called: a person is being asked. Pauses may overlap; resume may be called
// twice. Without such a clock it does nothing.
func Pause(ctx context.Context) (resume func()) {
	p, _ := ctx.Value(patienceKey{}).(*patience)
	for outer := p; outer != nil; outer = outer.outer {
		outer.pause()
	}
	return sync.OnceFunc(func() {
		for outer := p; outer != nil; outer = outer.outer {
			outer.resume()
		}
	})
}

// Spent is how much of its time the innermost WithPatience of ctx has had, its
// pauses not counted; 0 without one.
func Spent(ctx context.Context) time.Duration {
	p, _ := ctx.Value(patienceKey{}).(*patience)
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

type patienceKey struct{}

// A patience is a timer that can be paused.
type patience struct {
	outer *patience
	end   func()
	limit time.Duration

	mu     sync.Mutex
	timer  *time.Timer
	left   time.Duration
	since  time.Time // when left was true, while not paused
	pauses int
	over   bool
}

func (p *patience) pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pauses++; p.pauses == 1 && p.timer.Stop() {
		p.left -= time.Since(p.since)
	}
}

func (p *patience) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pauses--; p.pauses == 0 && !p.over {
		p.since = time.Now()
		p.timer.Reset(max(p.left, 0))
	}
}

func (p *patience) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.timer.Stop()
}
