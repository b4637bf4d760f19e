//go:build soak && linux

package soak

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"
)

// The gauges, in the order of their columns.
const (
	gaugeRate = iota // messages per second
	gaugeFDs         // of this process, as the next two
	gaugeGoroutines
	gaugeHeap // MiB after a collection
	gaugeRSS  // MiB
	gaugeScreenFDs
	gaugeScreenRSS // MiB
	gaugeCount
)

var gaugeNames = [gaugeCount]string{"messages/s", "fds", "goroutines", "heap MiB", "RSS MiB", "screen fds", "screen RSS MiB"}

// slack is how much the median of the last quarter may exceed that of the second
// one: a share of it, and an amount.
//
// A restart that leaks one descriptor or goroutine exceeds the amounts within a
// minute, whereas the number of processes that live at a sample differs by two or
// three, with up to eight descriptors and ten goroutines each. Heaps differ by
// large results in flight, and grow by the rows of the session that never ends: by
// 3 MiB from quarter to quarter of an hour. The kernel gets memory back late. The
// screen grows by its rows: by 4 MiB from quarter to quarter.
var slack = [gaugeCount]struct{ share, amount float64 }{
	gaugeFDs:        {0.10, 16},
	gaugeGoroutines: {0.10, 24},
	gaugeHeap:       {0.20, 12},
	gaugeRSS:        {0.20, 48},
	gaugeScreenFDs:  {0, 2},
	gaugeScreenRSS:  {0.25, 24},
}

// A sample is the value of each gauge at one time.
type sample [gaugeCount]float64

// A gauge takes samples.
type gauge struct {
	messages func() uint64
	screen   func() int // the process with the screen

	begin, at time.Time
	seen      uint64
	samples   []sample
	times     []time.Duration
}

func newGauge(messages func() uint64, screen func() int) *gauge {
	now := time.Now()
	return &gauge{messages: messages, screen: screen, begin: now, at: now}
}

// take takes a sample.
func (g *gauge) take() sample {
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	seen, now, screen := g.messages(), time.Now(), g.screen()
	s := sample{
		gaugeRate:       float64(seen-g.seen) / now.Sub(g.at).Seconds(),
		gaugeFDs:        float64(openFiles(os.Getpid())),
		gaugeGoroutines: float64(runtime.NumGoroutine()),
		gaugeHeap:       float64(memory.HeapAlloc) / (1 << 20),
		gaugeRSS:        residentMiB(os.Getpid()),
		gaugeScreenFDs:  float64(openFiles(screen)),
		gaugeScreenRSS:  residentMiB(screen),
	}
	g.seen, g.at = seen, now
	g.samples, g.times = append(g.samples, s), append(g.times, now.Sub(g.begin))
	return s
}

// table returns the last samples, or all.
func (g *gauge) table(from int) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "time\t%s\t\n", strings.Join(gaugeNames[:], "\t"))
	for i := from; i < len(g.samples); i++ {
		fmt.Fprintf(w, "%v\t", g.times[i].Round(time.Second))
		for _, value := range g.samples[i] {
			fmt.Fprintf(w, "%.0f\t", value)
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // to memory
	return text.String()
}

// minSamples are the fewest of which quarters have a meaning.
const minSamples = 16

// growth returns the gauges that grew: the median of their last quarter exceeds
// that of the second one, which pools and caches have filled by then, by more than
// the slack.
func growth(samples []sample) (grown []string) {
	if len(samples) < minSamples {
		return nil
	}
	quarter := len(samples) / 4
	for i, allowed := range slack {
		before, after := median(samples[quarter:2*quarter], i), median(samples[len(samples)-quarter:], i)
		if i != gaugeRate && after > before*(1+allowed.share)+allowed.amount {
			grown = append(grown, fmt.Sprintf("%s from %.0f to %.0f", gaugeNames[i], before, after))
		}
	}
	return grown
}

func median(samples []sample, gauge int) float64 {
	var values []float64
	for _, s := range samples {
		values = append(values, s[gauge])
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// openFiles returns the number of a process's descriptors; 0 if it is gone.
func openFiles(pid int) int {
	entries, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(entries)
}

// residentMiB returns the memory of a process; 0 if it is gone.
func residentMiB(pid int) float64 {
	statm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := bytes.Fields(statm)
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(string(fields[1])) // the kernel writes a number
	return float64(pages*os.Getpagesize()) / (1 << 20)
}

// TestGrowth checks the rule itself: noise and an outlier pass, and a
// leak fails.
func TestGrowth(t *testing.T) {
	flat := make([]sample, 60)
	for i := range flat {
		flat[i] = sample{gaugeFDs: 100 + float64(i%7), gaugeHeap: 60 + float64(i%5)}
	}
	require.Empty(t, growth(flat))
	flat[59][gaugeFDs] = 10_000
	require.Empty(t, growth(flat))
	for i := range flat {
		flat[i][gaugeFDs] += float64(i)
	}
	require.Equal(t, []string{"fds from 125 to 155"}, growth(flat))
}
