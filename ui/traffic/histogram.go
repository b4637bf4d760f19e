package traffic

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

const (
	// histogramLines is the height of the histogram, with its title.
	histogramLines  = 12
	histogramLabels = 20
	histogramCounts = 10
	// longestTime is the time, in microseconds, at which its steps end.
	longestTime = 1_000_000_000_000
)

// histogramSteps returns the limits of the lines of a histogram of times between low and
// high: 1, 2 and 5 times each power of ten.
func histogramSteps(low, high int64) []int64 {
	var all []int64
	for power := int64(1); power < longestTime; power *= 10 {
		all = append(all, power, 2*power, 5*power)
	}
	after := func(t int64) int { return sort.Search(len(all), func(i int) bool { return all[i] > t }) }
	first := max(min(after(low), len(all)-1)-1, 0)
	return all[first:min(max(after(high)+1, first+2), len(all))]
}

// paintHistogram paints how many requests of the line under the cursor took how
// long.
func (p *latencyPart) paintHistogram(out *paint.Lines) {
	l, th, current := out.Line(0), p.text.screen.Theme, p.current()
	if current.Latency == nil {
		return
	}
	l.Text(th.Border, p.text.glyph("── ", "-- "))
	l.Text(th.FocusTitle, current.name())
	l.Text(th.Dim, fmt.Sprintf("  %s, slowest %s ", wording.Counted(int(current.N), "response"), timeUnit(current.Max)))
	if current.Cancelled > 0 {
		l.Text(th.Warn, fmt.Sprintf(" %d cancelled, after up to %s ", current.Cancelled, timeUnit(current.LongestEnded)))
	}
	p.text.screen.PaintRule(l)
	_, height := out.Size()
	limits := histogramSteps(current.Min, current.Max)
	if current.N == 0 || len(limits) < 2 {
		return
	}
	limits = limits[max(len(limits)-height, 0):] // the slow ones matter
	p.paintCounts(out, current, limits)
}

// paintCounts paints a line for each pair of adjacent limits. The first one has
// all shorter times, too.
func (p *latencyPart) paintCounts(out *paint.Lines, of latencyLine, limits []int64) {
	th, block := p.text.screen.Theme, p.text.glyph("█", "#")
	counts, most := make([]uint64, len(limits)-1), uint64(1)
	for i := range counts {
		low := limits[i]
		if i == 0 {
			low = 0
		}
		counts[i] = of.CountBetween(low, limits[i+1])
		most = max(most, counts[i])
	}
	for i, n := range counts {
		l := out.Line(1 + i)
		label := timeUnit(limits[i]) + " - " + timeUnit(limits[i+1])
		if i == 0 {
			label = "under " + timeUnit(limits[1])
		}
		l.Field(th.Dim, []byte(label), histogramLabels, termsafe.Right)
		l.Field(th.Text, []byte(wording.Thousands(int(n))), histogramCounts, termsafe.Right)
		l.PadTo(histogramLabels + histogramCounts + 2)
		cells := int(float64(n) / float64(most) * float64(min(l.Room(), widestLatency)))
		if n > 0 {
			cells = max(cells, 1)
		}
		l.Text(th.Request, strings.Repeat(block, cells))
	}
}

func timeUnit(us int64) string { return wording.RoundedTime(time.Duration(us) * time.Microsecond) }
