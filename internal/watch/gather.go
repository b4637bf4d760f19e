package watch

import (
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A Change is what happened within a short time.
type Change struct {
	// Paths are the files that changed, appeared or went, in order; at most 1,000,
	// More is how many there were besides.
	Paths []string
	More  int
	// Warning is about the watch itself. A change may be a warning alone.
	Warning Warning
}

// A Warning says what can't be watched as before any more, and why; the zero
// value is none.
type Warning struct {
	Text, Hint string
}

// maxPaths is how many paths a Change has.
const maxPaths = 1000

// empty tells whether nothing happened.
func (c *Change) empty() bool { return len(c.Paths) == 0 && c.Warning.Text == "" }

// add adds what happened later.
func (c *Change) add(later Change) {
	c.Paths = slices.Compact(slices.Sorted(slices.Values(append(c.Paths, later.Paths...))))
	c.More += later.More
	if n := len(c.Paths) - maxPaths; n > 0 {
		c.Paths, c.More = c.Paths[:maxPaths], c.More+n
	}
	if c.Warning.Text == "" {
		c.Warning = later.Warning
	}
}

// A gatherer makes changes out of events.
type gatherer struct {
	events <-chan fsnotify.Event
	errors <-chan error
	stop   <-chan struct{}
	out    chan<- Change
	quiet  time.Duration // without events, before they are looked at
	most   time.Duration // that this may take
	// dirty notes what an event may have changed, and tells whether it may be
	// anything; lost does so when events are lost. settle looks at it.
	dirty func(fsnotify.Event) bool
	lost  func(error) bool
	// look does so each, or less often if it takes long, without any event.
	look   func() bool
	each   time.Duration
	settle func() Change
}

// run gathers until stop is closed. What nobody takes is added to.
func (g *gatherer) run() {
	timer := time.NewTimer(g.quiet)
	timer.Stop()
	defer timer.Stop()
	var first time.Time // of the events that are gathered; zero without any
	more := func(anything bool) {
		if !anything {
			return
		}
		if first.IsZero() {
			first = time.Now()
		}
		timer.Reset(min(g.quiet, g.most-time.Since(first)))
	}
	tick := time.NewTimer(g.each)
	defer tick.Stop()
	var news Change
	for {
		var out chan<- Change
		if !news.empty() {
			out = g.out
		}
		select {
		case e := <-g.events:
			more(g.dirty(e))
		case err := <-g.errors:
			more(g.lost(err))
		case <-timer.C:
			first = time.Time{}
			news.add(g.settle())
		case <-tick.C:
			begin := time.Now()
			more(g.look())
			tick.Reset(max(g.each, time.Since(begin)*pollShare))
		case out <- news:
			news = Change{}
		case <-g.stop:
			return
		}
	}
}
