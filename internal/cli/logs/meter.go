package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"mcpdbg/internal/cli/console"
	"mcpdbg/recordings"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/ui/widget/termsafe"
)

const (
	// firstShown is how long a command takes before its progress is shown, and
	// shownEach how often it changes.
	firstShown = 500 * time.Millisecond
	shownEach  = 100 * time.Millisecond
	clearLine  = "\r\x1b[K"
)

// A Meter shows how far a command has read, in a line of the terminal on stderr, which
// disappears at the end. Several goroutines may use it.
type Meter struct {
	out   io.Writer
	width func() int // nil if out is not a terminal
	doing string

	mu          sync.Mutex
	done, total int64
	next        time.Time
	shown       bool
}

// NewMeter takes what the command is doing, such as "checking".
func NewMeter(env *console.Env, doing string) *Meter {
	return &Meter{out: env.Stderr, width: env.StderrWidth, doing: doing, next: time.Now().Add(firstShown)}
}

// A Part is the progress of one recording.
type Part struct {
	meter      *Meter
	done, size int64
}

// Part begins a recording of size bytes.
func (m *Meter) Part(size int64) *Part {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total += size
	return &Part{meter: m, size: size}
}

// To notes that the first done bytes were read.
func (p *Part) To(done int64) {
	done = min(done, p.size)
	p.meter.add(done - p.done)
	p.done = done
}

func (m *Meter) add(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += n
	now := time.Now()
	if m.width == nil || m.total == 0 || now.Before(m.next) {
		return
	}
	m.next, m.shown = now.Add(shownEach), true
	text := fmt.Sprintf("mcpdbg: %s: %d %%", m.doing, m.done*100/m.total)
	fmt.Fprint(m.out, clearLine+termsafe.Truncate(text, m.width()-1, "…")) // the last column would wrap
}

// Close clears the line. Call it before anything else is printed.
func (m *Meter) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.width = nil
	if m.shown {
		fmt.Fprint(m.out, clearLine)
	}
}

const (
	// stepBytes is between two updates of a meter.
	stepBytes = 16 << 20
	// heapGoal is the heap target in percent of the live heap, most of which are the rows of
	// a recording: little else is allocated.
	heapGoal = 50
)

// Check opens a recording and checks it against the rules, on other processors while
// later rows are being read. Meanwhile it calls indexed, unless that is nil, once all rows
// have been read. When ctx ends, the error is its cause; other errors are those of
// recordings.Open.
func Check(ctx context.Context, path string, meter *Meter, indexed func(*recordings.Recording)) (*recordings.Recording, *rule.Checker, error) {
	if os.Getenv("GOGC") == "" { // else the user's choice
		debug.SetGCPercent(heapGoal) // the program ends after the report
	}
	var checker *rule.Checker
	rec, err := recordings.OpenWhile(ctx, path, func(r *recordings.Recording) {
		var reading sync.WaitGroup
		defer reading.Wait()
		if indexed != nil {
			reading.Go(func() {
				select {
				case <-r.Indexed():
					indexed(r)
				case <-ctx.Done():
				}
			})
		}
		checker = rule.New(r.AsIndexed())
		part, done := meter.Part(r.Progress().Size), int64(0)
		for last := false; ctx.Err() == nil; {
			changed := r.Changed()
			if checker.Advance(ctx, math.MaxInt, stepBytes) {
				done += stepBytes
				part.To(done)
			} else if last {
				return
			} else {
				last = !wait(ctx, r, changed) // the end may have come with more rows
			}
		}
	})
	if err == nil && ctx.Err() != nil {
		err = errors.Join(context.Cause(ctx), rec.Close())
	}
	if err != nil {
		return nil, nil, err
	}
	return rec, checker, nil
}

// wait returns false if all rows have been read.
func wait(ctx context.Context, r *recordings.Recording, changed <-chan struct{}) bool {
	select {
	case <-r.Indexed():
		return false
	default:
	}
	select {
	case <-changed:
	case <-r.Indexed():
	case <-ctx.Done():
	}
	return true
}
