package watch

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/require"
)

// A gathering is a gatherer in a synctest bubble. All paths count except "no".
type gathering struct {
	events chan fsnotify.Event
	errors chan error
	out    chan Change
}

func inGathering(t *testing.T, test func(t *testing.T, g *gathering)) {
	synctest.Test(t, func(t *testing.T) {
		g := &gathering{make(chan fsnotify.Event), make(chan error), make(chan Change)}
		stop := make(chan struct{})
		var paths []string
		run := gatherer{
			events: g.events, errors: g.errors, stop: stop, out: g.out, quiet: 100 * time.Millisecond, maxDelay: 2 * time.Second,
			interval: time.Second, scan: func() bool { return false },
			dirty:  func(e fsnotify.Event) bool { paths = append(paths, e.Name); return e.Name != "no" },
			lost:   func(error) bool { paths = append(paths, "all"); return true },
			settle: func() Change { c := Change{Paths: paths}; paths = nil; return c },
		}
		go run.run()
		test(t, g)
		close(stop)
	})
}

func (g *gathering) event(name string) { g.events <- fsnotify.Event{Name: name, Op: fsnotify.Write} }

func TestQuiet(t *testing.T) {
	inGathering(t, func(t *testing.T, g *gathering) {
		begin := time.Now()
		for i := range 3 {
			g.event(fmt.Sprint(i))
			time.Sleep(60 * time.Millisecond)
		}
		require.Equal(t, Change{Paths: []string{"0", "1", "2"}}, <-g.out)
		require.Equal(t, 220*time.Millisecond, time.Since(begin), "100 ms after the last one")
		g.event("4")
		require.Equal(t, Change{Paths: []string{"4"}}, <-g.out)
	})
}

// TestMaxDelay checks that a change is reported even if events never stop.
func TestMaxDelay(t *testing.T) {
	inGathering(t, func(t *testing.T, g *gathering) {
		begin := time.Now()
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 50 {
				g.event("x")
				time.Sleep(50 * time.Millisecond)
			}
		}()
		<-g.out
		require.InDelta(t, 2, time.Since(begin).Seconds(), 0.06)
		<-done
		<-g.out
	})
}

// TestIgnoredEvents checks that events which do not count are not reported and
// cause no delay.
func TestIgnoredEvents(t *testing.T) {
	inGathering(t, func(t *testing.T, g *gathering) {
		begin := time.Now()
		g.event("yes")
		time.Sleep(90 * time.Millisecond)
		g.event("no")
		<-g.out
		require.Equal(t, 100*time.Millisecond, time.Since(begin))
		g.event("no")
		select {
		case c := <-g.out:
			require.Fail(t, "a change", "%v", c)
		case <-time.After(time.Hour):
		}
	})
}

// TestChangesAreMerged checks that changes are merged while none is received.
func TestChangesAreMerged(t *testing.T) {
	inGathering(t, func(t *testing.T, g *gathering) {
		for _, name := range []string{"b", "a", "b"} {
			g.event(name)
			time.Sleep(time.Second)
		}
		g.errors <- errors.New("overflow")
		time.Sleep(time.Second)
		require.Equal(t, []string{"a", "all", "b"}, (<-g.out).Paths)
	})
}

func TestManyPaths(t *testing.T) {
	var c, more Change
	for i := range 900 {
		c.Paths = append(c.Paths, fmt.Sprintf("a%03d", i))
		more.Paths = append(more.Paths, fmt.Sprintf("b%03d", i))
	}
	c.add(more)
	require.Len(t, c.Paths, 1000)
	require.Equal(t, 800, c.More)
}
