package compare

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	diff "mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/widget/termsafe"
)

// The rows change only when the comparison is recomputed, which makes new tables.
type listRows struct {
	len   func() int
	paint func(row int, c *table.Cells)
}

func (r listRows) Len() int                      { return r.len() }
func (listRows) Version(int) uint32              { return 0 }
func (r listRows) Paint(row int, c *table.Cells) { r.paint(row, c) }
func (v *view) count(n func() int) func() int {
	return func() int {
		if v.result == nil {
			return 0
		}
		return n()
	}
}

func (v *view) makeTables(screen *kit.Screen) {
	number := func(title string, width, priority int) table.Column {
		return table.Column{Title: title, Min: width, Priority: priority, Align: termsafe.Right}
	}
	what := table.Column{Title: "call", Min: 20, Weight: 2, Must: true, Scroll: true}
	lists := [listCount]struct {
		empty   string
		columns []table.Column
		source  listRows
	}{
		listExchanges: {"no calls", []table.Column{
			what, {Title: "", Min: 7, Priority: 3}, number("A ms", 8, 2), number("B ms", 8, 2), number("delta", 9, 1),
		}, listRows{v.count(func() int { return v.result.Len() }), func(row int, c *table.Cells) { v.paintExchange(screen.Theme, row, c) }}},
		listGroups: {"no differences", []table.Column{
			number("times", 7, 2), {Title: "class", Min: 9, Priority: 3}, {Title: "call", Min: 20, Weight: 2, Must: true}, {Title: "difference", Min: 16, Weight: 3, Priority: 4, Scroll: true},
		}, listRows{v.count(func() int { return len(v.result.Report.Groups) }), func(row int, c *table.Cells) { v.paintGroup(screen.Theme, row, c) }}},
		listMasked: {"no values equal by type only", []table.Column{
			number("times", 7, 2), {Title: "type", Min: 9, Priority: 3}, {Title: "call", Min: 20, Weight: 2, Must: true}, {Title: "path", Min: 16, Weight: 3, Priority: 4, Scroll: true},
		}, listRows{v.count(func() int { return len(v.result.Report.Masked) }), func(row int, c *table.Cells) { v.paintMasked(screen.Theme, row, c) }}},
		listTimes: {"no responses", []table.Column{
			{Title: "method", Min: 14, Weight: 1, Must: true, Scroll: true}, number("count", 7, 1), number("p50 A", 8, 2), number("p50 B", 8, 2), number("B/A", 5, 3), number("p95 A", 8, 0), number("p95 B", 8, 0), number("B/A", 5, 0),
		}, listRows{v.count(func() int { return len(v.result.Report.Timing) }), func(row int, c *table.Cells) { v.paintTiming(screen.Theme, row, c) }}},
	}
	for i, l := range lists {
		t := table.New(table.Config{Source: l.source, Columns: l.columns, Theme: screen.Theme, Options: screen.Look(), Header: true, Empty: l.empty})
		t.SetFollow(false)
		v.tables[i] = t
	}
}

// The cursors stay in place if possible.
func (v *view) report(screen *kit.Screen) {
	rows := [listCount]int{}
	for i, t := range v.tables {
		rows[i], _ = t.Cursor()
	}
	at := v.beside.pair
	v.makeTables(screen)
	for i, t := range v.tables {
		t.Select(rows[i])
	}
	v.filter()
	if at >= 0 {
		v.tables[listExchanges].Select(min(at, v.result.Len()-1))
	}
}

func (v *view) filter() {
	t := v.tables[listExchanges]
	if !v.only {
		t.ClearFilter()
		return
	}
	var rows []uint32
	for n := range v.result.Len() {
		if v.result.Kind(n) != diff.Same {
			rows = append(rows, uint32(n))
		}
	}
	t.SetFilter(rows)
}

func (v *view) current() (pair int, ok bool) {
	if v.result == nil {
		return 0, false
	}
	return v.tables[listExchanges].Cursor()
}

func (v *view) goToFirst(c host.Context) tea.Cmd {
	if first := v.result.Report.First; first != nil {
		return v.goTo(c, first)
	}
	v.tables[listExchanges].Home()
	return v.look(c, "")
}

func (v *view) goTo(c host.Context, d *diff.Difference) tea.Cmd {
	v.list = listExchanges
	if pair, ok := v.find(d); ok {
		v.tables[listExchanges].Select(pair)
	} else {
		c.Host.Notify("the difference is not about a single call")
	}
	return v.look(c, d.Pointer)
}

// find returns the exchange of a difference: the one at the same place.
func (v *view) find(d *diff.Difference) (pair int, ok bool) {
	side := func(e *diff.End, s *diff.Side) bool {
		if e == nil || s == nil || s.N == 0 {
			return e == nil && (s == nil || s.N == 0)
		}
		return s.Row == e.Request || s.Row == e.Response && e.Answered
	}
	for n := range v.result.Len() {
		if v.result.Kind(n) == diff.Same && d.Counts {
			continue
		}
		if p := v.result.Pair(n); p.Method == d.Method && side(p.A, d.A) && side(p.B, d.B) {
			return n, true
		}
	}
	return 0, false
}

// step goes to the next difference: in this exchange, then in the next one that
// differs.
func (v *view) step(c host.Context, way int) tea.Cmd {
	if at, ok := v.beside.next(v.beside.at, way); ok && v.list == listExchanges {
		v.beside.at = at
		return nil
	}
	v.list = listExchanges
	at, _ := v.current()
	for n := at + way; n >= 0 && n < v.result.Len(); n += way {
		if v.result.Kind(n) != diff.Same {
			v.tables[listExchanges].Select(n)
			cmd := v.look(c, "")
			v.beside.last = way < 0
			return cmd
		}
	}
	if way > 0 {
		c.Host.Notify("no more differences below")
	} else {
		c.Host.Notify("no more differences above")
	}
	return nil
}

func exchangeName(method, subject string, fromServer bool) string {
	text := strings.TrimSpace(method + " " + subject)
	if fromServer {
		text = "~ " + text
	}
	return text
}

func (v *view) kindStyle(th *paint.Theme, p diff.Pair) (mark, text string, style paint.Style) {
	switch {
	case p.Kind == diff.Different:
		return "x", "differs", th.Failed
	case p.Kind == diff.OnlyA:
		return "-", "only A", th.Failed
	case p.Kind == diff.OnlyB:
		return "+", "only B", th.Good
	case p.HasIgnored:
		return "~", "same", th.Dim
	}
	return " ", "same", th.Dim
}

func (v *view) paintExchange(th *paint.Theme, row int, c *table.Cells) {
	p := v.result.Pair(row)
	mark, text, style := v.kindStyle(th, p)
	c.Mark(style, mark)
	c.Text(0, th.Text, exchangeName(p.Method, p.Subject, p.FromServer))
	c.Text(1, style, text)
	for i, e := range []*diff.End{p.A, p.B} {
		switch {
		case e == nil:
		case !e.Answered:
			c.Text(2+i, th.Odd, "none")
		default:
			took := th.Text
			if e.Failed {
				took = th.Failed
			}
			c.Bytes(2+i, took, wording.AppendMillis(nil, e.Took.Microseconds()))
		}
	}
	if p.A != nil && p.B != nil && p.A.Answered && p.B.Answered {
		c.Text(4, th.Dim, delta(p.B.Took-p.A.Took))
	}
}

func delta(d time.Duration) string {
	sign := "+"
	if d < 0 {
		sign, d = "-", -d
	}
	return sign + string(wording.AppendMillis(nil, d.Microseconds()))
}

func (v *view) paintGroup(th *paint.Theme, row int, c *table.Cells) {
	g := &v.result.Report.Groups[row]
	style := th.Failed
	c.Mark(style, "x")
	if !g.Counts {
		style = th.Dim
		c.Mark(style, "~")
	}
	c.Text(0, th.Text, wording.Thousands(g.Count))
	c.Text(1, style, string(g.Class))
	c.Text(2, th.Text, exchangeName(g.Method, g.Subject, g.From == "server"))
	c.Text(3, th.Text, placeText(g.Class, g.Pointer, g.Change))
	switch {
	case len(g.Example.Detail) > 0:
		c.Text(3, th.Dim, "  "+g.Example.Detail[0])
	case g.Example.A != nil && g.Example.B != nil && g.Example.A.Value+g.Example.B.Value != "":
		c.Text(3, th.Dim, fmt.Sprintf("  %s -> %s", g.Example.A.Value, g.Example.B.Value))
	}
}

func placeText(class diff.Class, p match.Pointer, change diff.Change) string {
	switch class {
	case diff.ClassMissing:
		return "only in A"
	case diff.ClassExtra:
		return "only in B"
	case diff.ClassOutcome:
		return "different outcome"
	case diff.ClassEra:
		return "different era"
	case diff.ClassProgress:
		return "different progress"
	case diff.ClassDuplicate:
		return "different number of responses"
	case diff.ClassTime:
		return "took too long"
	case diff.ClassNotes:
		return "different number of notifications"
	}
	return string(p) + " " + string(change)
}

func (v *view) paintMasked(th *paint.Theme, row int, c *table.Cells) {
	m := &v.result.Report.Masked[row]
	c.Mark(th.Dim, "~")
	c.Text(0, th.Text, wording.Thousands(m.Count))
	c.Text(1, th.Text, m.Type)
	c.Text(2, th.Text, exchangeName(m.Method, m.Subject, false))
	c.Text(3, th.Text, string(m.Pointer))
	if v.reveal {
		c.Text(3, th.Dim, fmt.Sprintf("  %s -> %s", m.A, m.B))
	}
}

func (v *view) paintTiming(th *paint.Theme, row int, c *table.Cells) {
	m := &v.result.Report.Timing[row]
	c.Text(0, th.Text, exchangeName(m.Method, "", m.From == "server"))
	answers := wording.Thousands(m.A.Count)
	if m.B.Count != m.A.Count {
		answers += "/" + wording.Thousands(m.B.Count)
	}
	c.Text(1, th.Text, answers)
	for i, us := range []int64{m.A.P50, m.B.P50, 0, m.A.P95, m.B.P95} {
		if i != 2 && us > 0 {
			c.Bytes(2+i, th.Text, wording.AppendMillis(nil, us))
		}
	}
	for column, ratio := range map[int]float64{4: m.P50, 7: m.P95} {
		if ratio > 0 {
			c.Text(column, ratioStyle(th, ratio), diff.FormatRatio(ratio))
		}
	}
}

// slower is the ratio of times from which a slowdown is highlighted.
const slower = 2

func ratioStyle(th *paint.Theme, ratio float64) paint.Style {
	switch {
	case ratio >= slower:
		return th.Odd
	case ratio <= 1.0/slower:
		return th.Good
	}
	return th.Text
}

func (v *view) summary() string {
	r := v.result.Report
	alone := 0
	for _, g := range r.Groups {
		if g.Class == diff.ClassMissing || g.Class == diff.ClassExtra {
			alone += g.Count
		}
	}
	text := fmt.Sprintf("%s compared, %s equal", wording.Thousands(r.Compared), wording.Thousands(r.Equal))
	if n := r.Compared - r.Equal; n > 0 {
		text += fmt.Sprintf(", %s differ", wording.Thousands(n))
	}
	if alone > 0 {
		text += fmt.Sprintf(", %s on one side only", wording.Thousands(alone))
	}
	if !r.Differs {
		text += ", no differences"
	}
	return text
}

func maskedCount(r *diff.Report) int {
	n := r.MoreMasked
	for i := range r.Masked {
		n += r.Masked[i].Count
	}
	return n
}

func groupCount(r *diff.Report) int {
	n := 0
	for i := range r.Groups {
		if r.Groups[i].Counts {
			n++
		}
	}
	return n
}
