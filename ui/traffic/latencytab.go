package traffic

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// The columns of the latencies.
const (
	latName = iota
	latCount
	latErrors
	latCancelled
	latP50
	latP95
	latMax
	latTime
)

const (
	// The table gets no wider: a name would be too far from its numbers.
	widestLatency = 120
	// sparkCells is the width of the times over the session.
	sparkCells = 16
)

type latencyPart struct {
	*table.Table
	text *rowText
	from *workspace.Latencies // what the lines are of
	at   uint64               // its version when they were sorted
	done bool

	lines     []latencyLine
	slots     int // used slots of the series
	sort      int // the column by which lines are sorted
	reversed  bool
	histogram bool
}

// A latencyLine is a line of the latencies, with the numbers that are computed from its
// buckets.
type latencyLine struct {
	*workspace.Latency
	p50, p95 int64
}

func newLatency(text *rowText) *latencyPart {
	p := &latencyPart{text: text, sort: latMax}
	p.Table = table.New(table.Config{
		Source: p, Theme: text.screen.Theme, Options: text.screen.Look(), Header: true, Empty: "no responses yet",
		Columns: p.columns(),
	})
	p.Select(0)
	return p
}

// columns returns the columns, with a mark at the one by which lines are sorted.
// The times over the session give way first, then the cancelled requests, which have a
// column if there are any, and the errors.
func (p *latencyPart) columns() []table.Column {
	columns := []table.Column{
		latName:      {Title: "latency", Min: 16, Weight: 1, Must: true},
		latCount:     {Title: "n", Min: 7, Priority: 4, Align: termsafe.Right},
		latErrors:    {Title: "err", Min: 5, Priority: 3, Align: termsafe.Right},
		latCancelled: {Title: "cancelled", Min: 10, Priority: 2, Align: termsafe.Right},
		latP50:       {Title: "p50", Min: 7, Priority: 5, Align: termsafe.Right},
		latP95:       {Title: "p95", Min: 7, Priority: 6, Align: termsafe.Right},
		latMax:       {Title: "max", Min: 7, Priority: 7, Align: termsafe.Right},
		latTime:      {Title: "over time", Min: sparkCells, Priority: 1},
	}
	mark := p.text.glyph("▾", "v")
	if p.reversed {
		mark = p.text.glyph("▴", "^")
	}
	columns[p.sort].Title += mark
	if !p.anyCancelled() {
		columns[latCancelled] = hiddenColumn
	}
	return columns
}

func (p *latencyPart) Len() int { return len(p.lines) }

// Version implements table.Source: relist clears what is painted.
func (p *latencyPart) Version(int) uint32 { return 0 }

func (p *latencyPart) Paint(i int, c *table.Cells) {
	l, th := p.lines[i], p.text.screen.Theme
	switch name := l.name(); {
	case l.Method == "":
		c.Text(latName, th.Strong, name)
	case l.Tool != "":
		c.Text(latName, th.Tool, "  "+name)
	default:
		c.Text(latName, th.Text, name)
	}
	c.Text(latCount, th.Text, wording.Thousands(int(l.N)))
	c.Text(latCancelled, th.Odd.If(l.Cancelled > 0), wording.Thousands(int(l.Cancelled)))
	if l.N == 0 {
		return
	}
	c.Bytes(latErrors, th.Failed.If(l.Errors > 0), strconv.AppendUint(nil, l.Errors, 10))
	p.text.paintTook(l.p50, th.Text, latP50, c)
	p.text.paintTook(l.p95, th.Text, latP95, c)
	p.text.paintTook(l.Max, th.Strong, latMax, c)
	c.Text(latTime, th.Dim, p.spark(l.Latency))
}

func (l latencyLine) name() string {
	switch {
	case l.Tool != "":
		return l.Tool
	case l.Method != "":
		return l.Method
	}
	return "all"
}

func (p *latencyPart) spark(l *workspace.Latency) string {
	levels := []rune(p.text.glyph("▁▂▃▄▅▆▇█", "_.-=+*%#"))
	cells := min(sparkCells, max(p.slots, 1))
	var b strings.Builder
	for i := range cells {
		var most int64
		for slot := i * p.slots / cells; slot < (i+1)*p.slots/cells; slot++ {
			most = max(most, l.Series[slot])
		}
		if most == 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(levels[kit.Between(0, int(float64(most)/float64(max(l.Max, 1))*float64(len(levels)-1)+0.5), len(levels)-1)])
	}
	return b.String()
}

// done is false while some are missing.
func (p *latencyPart) take(from *workspace.Latencies, done bool) {
	if p.done = done; from != nil && (p.from != from || p.at != from.Version()) {
		p.relist(from)
	}
}

func (p *latencyPart) paint(out *paint.Lines) {
	width, height := out.Size()
	p.SetSize(min(width, widestLatency), height)
	p.Table.Paint(out, false)
}

// The cursor stays on its line.
func (p *latencyPart) relist(from *workspace.Latencies) {
	at := p.current()
	p.from, p.at = from, from.Version()
	_, p.slots = from.Slots()
	p.lines = p.lines[:0]
	for _, l := range from.Lines() {
		p.lines = append(p.lines, latencyLine{l, l.Median(), l.Quantile(0.95)})
	}
	p.SetColumns(p.columns())
	p.sortLines()
	p.Renumbered(nil)
	for i, l := range p.lines {
		if at.Latency != nil && at.Method == l.Method && at.Tool == l.Tool {
			p.Select(i)
		}
	}
}

// current returns the line under the cursor; without a Latency if there is none.
func (p *latencyPart) current() latencyLine {
	if i, ok := p.Cursor(); ok && i < len(p.lines) {
		return p.lines[i]
	}
	return latencyLine{}
}

// sortLines sorts the methods, and the tools below theirs. All requests stay
// first, and others last.
func (p *latencyPart) sortLines() {
	methods := map[string]latencyLine{}
	for _, l := range p.lines {
		if l.Tool == "" {
			methods[l.Method] = l
		}
	}
	slices.SortStableFunc(p.lines, func(a, b latencyLine) int {
		switch {
		case a.Method != b.Method:
			return p.compare(methods[a.Method], methods[b.Method])
		case a.Tool == "" || b.Tool == "":
			return strings.Compare(a.Tool, b.Tool)
		}
		return p.compare(a, b)
	})
}

func (p *latencyPart) compare(a, b latencyLine) int {
	if first := cmp.Compare(a.rank(), b.rank()); first != 0 {
		return first
	}
	order := 0
	switch p.sort {
	case latName:
		order = strings.Compare(a.name(), b.name())
	case latCount:
		order = cmp.Compare(b.N, a.N)
	case latErrors:
		order = cmp.Compare(b.Errors, a.Errors)
	case latCancelled:
		order = cmp.Compare(b.Cancelled, a.Cancelled)
	case latP50:
		order = cmp.Compare(b.p50, a.p50)
	case latP95:
		order = cmp.Compare(b.p95, a.p95)
	default:
		order = cmp.Compare(b.Max, a.Max)
	}
	if p.reversed {
		order = -order
	}
	return cmp.Or(order, strings.Compare(a.name(), b.name()))
}

func (l latencyLine) rank() int {
	switch {
	case l.Method == "":
		return -1
	case l.Others:
		return 1
	}
	return 0
}

func (p *latencyPart) sortBy(column int, reversed bool) {
	p.sort, p.reversed = column, reversed
	p.SetColumns(p.columns())
	if p.from != nil {
		p.relist(p.from)
	}
}

func (p *latencyPart) nextSort() {
	next := (p.sort + 1) % latTime
	if next == latCancelled && !p.anyCancelled() {
		next++
	}
	p.sortBy(next, false)
}

func (p *latencyPart) anyCancelled() bool { return p.from != nil && p.from.All().Cancelled > 0 }

func (l latencyLine) all() bool { return l.Latency != nil && !l.Others && l.Method == "" }

// filter shows the requests of the line, "" if there is none.
func (l latencyLine) filter() string {
	switch {
	case l.Latency == nil, l.Others, l.Method == "":
		return ""
	case l.Tool != "":
		return "tool:" + quotedValue(l.Tool)
	}
	return "method:" + quotedValue(l.Method)
}

// quotedValue returns a text as the value of a filter: between quotes if it has other
// characters than those of usual names.
func quotedValue(text string) string {
	if strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./") == "" && text != "" {
		return text
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// clickHead sorts by the column at a cell of the head, and reverses if it is
// sorted by that already. It reports whether there is one.
func (p *latencyPart) clickHead(x int) bool {
	column, ok := p.ColumnAt(x)
	if ok && column < latTime {
		p.sortBy(column, column == p.sort && !p.reversed)
	}
	return ok
}

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

func (p *latencyPart) paintHistogram(out *paint.Lines) {
	l, th, current := out.Line(0), p.text.screen.Theme, p.current()
	if current.Latency == nil {
		return
	}
	l.Text(th.Rule, p.text.glyph("── ", "-- "))
	l.Text(th.FocusTitle, current.name())
	l.Text(th.Dim, fmt.Sprintf("  %s, slowest %s ", wording.Counted(int(current.N), "response"), timeUnit(current.Max)))
	if current.Cancelled > 0 {
		l.Text(th.Odd, fmt.Sprintf(" %d cancelled, after up to %s ", current.Cancelled, timeUnit(current.LongestEnded)))
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
		l.Text(th.Text, strings.Repeat(block, cells))
	}
}

func timeUnit(us int64) string { return wording.RoundedTime(time.Duration(us) * time.Microsecond) }
