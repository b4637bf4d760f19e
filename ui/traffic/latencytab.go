package traffic

import (
	"cmp"
	"math"
	"sort"
	"strconv"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session/exchange"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// The columns of the latencies.
const (
	latName = iota
	latCount
	latFailed
	latP50
	latP95
	latMax
	latYou
	latTime
	latCancelled
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
	p := &latencyPart{text: text, sort: latMax, histogram: true}
	p.Table = table.New(table.Config{
		Source: p, Theme: text.screen.Theme, Options: text.screen.Look(), Header: true, Empty: "no responses yet",
		Columns: p.columns(),
	})
	p.Select(0)
	return p
}

// columns returns the columns, with a mark at the one by which lines are sorted.
// The cancelled calls give way first, then the times over the session.
func (p *latencyPart) columns() []table.Column {
	columns := []table.Column{
		latName:      {Title: "name", Min: 16, Weight: 1, Must: true},
		latCount:     {Title: "n", Min: 7, Priority: 4, Align: termsafe.Right},
		latFailed:    {Title: "failed", Min: 7, Priority: 3, Align: termsafe.Right},
		latP50:       {Title: "p50", Min: 7, Priority: 5, Align: termsafe.Right},
		latP95:       {Title: "p95", Min: 7, Priority: 6, Align: termsafe.Right},
		latMax:       {Title: "max", Min: 7, Must: true, Align: termsafe.Right},
		latYou:       {Title: "you", Min: 7, Priority: 7, Align: termsafe.Right},
		latTime:      {Title: "over time", Min: sparkCells, Priority: 1, Gap: 1},
		latCancelled: {Min: 11, ByNeed: true, Optional: true},
	}
	mark := p.text.glyph("▾", "v")
	if p.reversed {
		mark = p.text.glyph("▴", "^")
	}
	columns[p.sort].Title += mark
	return columns
}

func (p *latencyPart) Len() int { return len(p.lines) }

// Version implements table.Source: relist clears what is painted.
func (p *latencyPart) Version(int) uint32 { return 0 }

func (p *latencyPart) Paint(i int, c *table.Cells) {
	l, th := p.lines[i], p.text.screen.Theme
	switch {
	case l.Method == "":
		c.Text(latName, th.Strong, l.name())
	case l.Tool != "":
		c.Text(latName, th.Tool, l.name())
	default:
		c.Text(latName, th.Text, l.name())
	}
	c.Text(latCount, th.Text, wording.Thousands(int(l.N)))
	if l.N == 0 {
		return
	}
	c.Bytes(latFailed, th.Failed.If(l.Errors > 0), strconv.AppendUint(nil, l.Errors, 10))
	p.text.paintTook(l.p50, th.Text, latP50, c)
	p.text.paintTook(l.p95, th.Text, latP95, c)
	p.text.paintTook(l.Max, th.Strong, latMax, c)
	if exchange.Noticed(l.Person) {
		p.text.paintTook(l.Person, th.You, latYou, c)
	}
	c.Text(latTime, th.Dim, p.spark(l.Latency))
	if l.Cancelled > 0 {
		c.Text(latCancelled, th.Odd, wording.Thousands(int(l.Cancelled))+" "+filter.ShownCancelled)
	}
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
	cells := min(sparkCells, max(p.slots, 1))
	var b strings.Builder
	for i := range cells {
		var most int64
		for slot := i * p.slots / cells; slot < (i+1)*p.slots/cells; slot++ {
			most = max(most, l.Series[slot])
		}
		if most == 0 {
			b.WriteString(p.text.glyph("·", "."))
			continue
		}
		b.WriteString(p.level(float64(most) / float64(max(l.Max, 1))))
	}
	return b.String()
}

// level returns the glyph of a share of a height.
func (p *latencyPart) level(share float64) string {
	levels := []rune(p.text.glyph("▁▂▃▄▅▆▇█", "_,-=+*%#"))
	return string(levels[kit.Between(0, int(share*float64(len(levels)-1)+0.5), len(levels)-1)])
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
	sort.SliceStable(p.lines, func(i, j int) bool { return p.compare(p.lines[i], p.lines[j]) < 0 })
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
	case latFailed:
		order = cmp.Compare(b.Errors, a.Errors)
	case latYou:
		order = cmp.Compare(b.Person, a.Person)
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

func (p *latencyPart) nextSort() { p.sortBy((p.sort+1)%latTime, false) }

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

// longestTime is the time, in microseconds, at which the steps of a histogram end.
const longestTime = 1_000_000_000_000

// histogramSteps returns the limits of the steps of a histogram of times between low and
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

// paintHistogram paints how many calls of the line at the cursor took at most how long.
func (p *latencyPart) paintHistogram(l *paint.Line) {
	th, of := p.text.screen.Theme, p.current()
	if of.Latency == nil || of.N == 0 {
		return
	}
	l.Text(th.Dim, "  histogram of ")
	l.Text(th.Strong, of.name())
	limits := histogramSteps(of.Min, of.Max)
	counts, most, from := make([]uint64, len(limits)), uint64(1), int64(0)
	for i, limit := range limits {
		to := limit
		if i == len(limits)-1 {
			to = math.MaxInt64 // the middle of the last bucket may be beyond
		}
		counts[i] = of.CountBetween(from, to)
		most, from = max(most, counts[i]), limit
	}
	for i, n := range counts {
		if n > 0 {
			l.Text(th.Text, "   "+p.level(float64(n)/float64(most)))
			l.Text(th.Dim, " "+wording.Took(limits[i]))
		}
	}
}
