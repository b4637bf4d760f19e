package logs

import (
	"fmt"
	"io"
	"sync"
	"time"

	"mcpdbg/internal/cli/console"
	"mcpdbg/ui/widget/termsafe"
)

const (
	// firstShown is how long a command takes before its progress is shown, and
	// shownEach how often it changes.
	firstShown = 500 * time.Millisecond
	shownEach  = 100 * time.Millisecond
	// clearLine moves to the beginning of the line of a terminal and clears it.
	clearLine = "\r\x1b[K"
)

// A Meter shows how far a command has read its recordings: as a line of the terminal on
// stderr, which disappears at the end, and nowhere else. It may be used by several
// goroutines.
type Meter struct {
	out   io.Writer
	width func() int // nil if out is not a terminal
	doing string

	mu          sync.Mutex
	done, total int64
	next        time.Time
	shown       bool
}

// NewMeter returns a meter of what the command is doing, such as "checking".
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

// Close clears the line. It must be called before anything else is printed.
func (m *Meter) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.width = nil
	if m.shown {
		fmt.Fprint(m.out, clearLine)
	}
}
