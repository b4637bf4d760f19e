package watch

import (
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A Change lists the changes within a short time.
type Change struct {
	// Paths were changed, created or removed, in order, at most 1,000; More counts the
	// others.
	Paths []string
	More  int
	// Warning is about the watcher. A Change may be only that.
	Warning Warning
	// Begun, with Options.Early: there are events whose changes are still gathered.
	// Nothing: there was no change in the latest ones.
	Begun, Nothing bool
}

// A Warning describes what can no longer be watched as before, and why; zero: nothing.
type Warning struct {
	Text, Hint string
}

const maxPaths = 1000

func (c *Change) empty() bool {
	return len(c.Paths) == 0 && c.Warning.Text == "" && !c.Begun && !c.Nothing
}

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

type gatherer struct {
	events   <-chan fsnotify.Event
	errors   <-chan error
	stop     <-chan struct{}
	out      chan<- Change
	quiet    time.Duration // time without events before changes are collected
	maxDelay time.Duration // maximum delay because of further events
	// dirty records the paths that an event may have changed, and reports whether there
	// are any; lost does so after an error. settle checks them.
	dirty func(fsnotify.Event) bool
	lost  func(error) bool
	// polls every interval, or less often if it takes long
	scan     func() bool
	interval time.Duration
	settle   func() Change
	early    bool
	looks    <-chan chan<- bool
	look     func() bool // checks the files that it knows
}

// run gathers changes until stop is closed, merging one that was not received with the
// next.
func (g *gatherer) run() {
	timer := time.NewTimer(g.quiet)
	timer.Stop()
	defer timer.Stop()
	var first time.Time // first event since the last change; zero without
	var news Change
	more := func(anything bool) {
		if !anything {
			return
		}
		if first.IsZero() {
			first, news.Begun = time.Now(), g.early
		}
		timer.Reset(min(g.quiet, g.maxDelay-time.Since(first)))
	}
	tick := time.NewTimer(g.interval)
	defer tick.Stop()
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
			news.Begun = false
			news.add(g.settle())
			news.Nothing = g.early && len(news.Paths) == 0
		case <-tick.C:
			begin := time.Now()
			more(g.scan())
			tick.Reset(max(g.interval, time.Since(begin)*pollShare))
		case answer := <-g.looks:
			more(g.look())
			answer <- !first.IsZero()
		case out <- news:
			news = Change{}
		case <-g.stop:
			return
		}
	}
}
