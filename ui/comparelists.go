package ui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/table"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// rowsOf is a table.Source out of two functions. The rows look different when
// the comparison is made anew, which makes new tables.
type rowsOf struct {
	len   func() int
	paint func(row int, c *table.Cells)
}

func (r rowsOf) Len() int                      { return r.len() }
func (rowsOf) Version(int) uint32              { return 0 }
func (r rowsOf) Paint(row int, c *table.Cells) { r.paint(row, c) }
func (v *comparing) count(n func() int) func() int {
	return func() int {
		if v.c == nil {
			return 0
		}
		return n()
	}
}

// makeTables makes the lists, with nothing in them yet.
func (v *comparing) makeTables(a *App) {
	number := func(title string, width, priority int) table.Column {
		return table.Column{Title: title, Min: width, Priority: priority, Align: termsafe.Right}
	}
	what := table.Column{Title: "exchange", Min: 20, Weight: 2, Must: true, Scroll: true}
	lists := [listCount]struct {
		empty   string
		columns []table.Column
		source  rowsOf
	}{
		listExchanges: {"no exchanges", []table.Column{
			what, {Title: "", Min: 7, Priority: 3}, number("A ms", 8, 2), number("B ms", 8, 2), number("delta", 9, 1),
		}, rowsOf{v.count(func() int { return v.c.Len() }), func(row int, c *table.Cells) { v.paintExchange(a, row, c) }}},
		listGroups: {"nothing differs", []table.Column{
			number("times", 7, 2), {Title: "class", Min: 9, Priority: 3}, {Title: "in", Min: 20, Weight: 2, Must: true}, {Title: "what", Min: 16, Weight: 3, Priority: 4, Scroll: true},
		}, rowsOf{v.count(func() int { return len(v.c.Report.Groups) }), func(row int, c *table.Cells) { v.paintGroup(a, row, c) }}},
		listMasked: {"nothing is equal by its type only", []table.Column{
			number("times", 7, 2), {Title: "type", Min: 9, Priority: 3}, {Title: "in", Min: 20, Weight: 2, Must: true}, {Title: "where", Min: 16, Weight: 3, Priority: 4, Scroll: true},
		}, rowsOf{v.count(func() int { return len(v.c.Report.Masked) }), func(row int, c *table.Cells) { v.paintMasked(a, row, c) }}},
		listTimes: {"nothing was answered", []table.Column{
			{Title: "method", Min: 14, Weight: 1, Must: true, Scroll: true}, number("answers", 7, 1), number("p50 A", 8, 2), number("p50 B", 8, 2), number("B/A", 5, 3), number("p95 A", 8, 0), number("p95 B", 8, 0), number("B/A", 5, 0),
		}, rowsOf{v.count(func() int { return len(v.c.Report.Timing) }), func(row int, c *table.Cells) { v.paintTiming(a, row, c) }}},
	}
	for i, l := range lists {
		t := table.New(table.Config{Source: l.source, Columns: l.columns, Theme: a.theme, Options: a.look(), Header: true, Empty: l.empty})
		t.SetFollow(false)
		v.tables[i] = t
	}
}

// report lists a new comparison: the cursors stay where they are, if they can.
func (v *comparing) report(a *App) {
	rows := [listCount]int{}
	for i, t := range v.tables {
		rows[i], _ = t.Cursor()
	}
	at := v.beside.pair
	v.makeTables(a)
	for i, t := range v.tables {
		t.Select(rows[i])
	}
	v.filter()
	if at >= 0 {
		v.tables[listExchanges].Select(min(at, v.c.Len()-1))
	}
}

// filter lists the exchanges that differ, or all.
func (v *comparing) filter() {
	t := v.tables[listExchanges]
	if !v.only {
		t.ClearFilter()
		return
	}
	var rows []uint32
	for n := range v.c.Len() {
		if v.c.Kind(n) != compare.Same {
			rows = append(rows, uint32(n))
		}
	}
	t.SetFilter(rows)
}

// current is the exchange under the cursor.
func (v *comparing) current() (pair int, ok bool) {
	if v.c == nil {
		return 0, false
	}
	return v.tables[listExchanges].Cursor()
}

// goFirst goes to the first difference, or to the first exchange.
func (v *comparing) goFirst(a *App) tea.Cmd {
	if first := v.c.Report.First; first != nil {
		return v.goTo(a, first)
	}
	v.tables[listExchanges].Home()
	return v.look(a, "")
}

// goTo goes to a difference: to its exchange, and in that to its place.
func (v *comparing) goTo(a *App, d *compare.Difference) tea.Cmd {
	v.list = listExchanges
	if pair, ok := v.find(d); ok {
		v.tables[listExchanges].Select(pair)
	} else {
		a.say("it is about no one exchange")
	}
	return v.look(a, d.Pointer)
}

// find is the exchange of a difference: the one that stands where it does.
func (v *comparing) find(d *compare.Difference) (pair int, ok bool) {
	side := func(e *compare.End, s *compare.Side) bool {
		if e == nil || s == nil || s.N == 0 {
			return e == nil && (s == nil || s.N == 0)
		}
		return s.Row == e.Request || s.Row == e.Answer && e.Answered
	}
	for n := range v.c.Len() {
		if v.c.Kind(n) == compare.Same && d.Counts {
			continue
		}
		if p := v.c.Pair(n); p.Method == d.Method && side(p.A, d.A) && side(p.B, d.B) {
			return n, true
		}
	}
	return 0, false
}

// step goes to the next difference: in the exchange, then in the next one that
// differs.
func (v *comparing) step(a *App, way int) tea.Cmd {
	if at, ok := v.beside.next(v.beside.at, way); ok && v.list == listExchanges {
		v.beside.at = at
		return nil
	}
	v.list = listExchanges
	at, _ := v.current()
	for n := at + way; n >= 0 && n < v.c.Len(); n += way {
		if v.c.Kind(n) != compare.Same {
			v.tables[listExchanges].Select(n)
			cmd := v.look(a, "")
			v.beside.last = way < 0
			return cmd
		}
	}
	if way > 0 {
		a.say("no difference below")
	} else {
		a.say("no difference above")
	}
	return nil
}

// exchangeName names what was asked.
func exchangeName(method, subject string, fromServer bool) string {
	text := strings.TrimSpace(method + " " + subject)
	if fromServer {
		text = "~ " + text
	}
	return text
}

// kindLook is how a kind of exchange is shown.
func (v *comparing) kindLook(th *theme.Theme, p compare.Pair) (mark, text string, style theme.Style) {
	switch {
	case p.Kind == compare.Different:
		return "x", "differs", th.Error
	case p.Kind == compare.OnlyA:
		return "-", "only A", th.Error
	case p.Kind == compare.OnlyB:
		return "+", "only B", th.Error
	case p.Noted:
		return "~", "same", th.Dim
	}
	return " ", "same", th.Dim
}

func (v *comparing) paintExchange(a *App, row int, c *table.Cells) {
	p := v.c.Pair(row)
	mark, text, style := v.kindLook(a.theme, p)
	c.Mark(style, mark)
	c.Text(0, a.theme.Text, exchangeName(p.Method, p.Subject, p.FromServer))
	c.Text(1, style, text)
	for i, e := range []*compare.End{p.A, p.B} {
		switch {
		case e == nil:
		case !e.Answered:
			c.Text(2+i, a.theme.Warn, "none")
		default:
			took := a.theme.Text
			if e.Failed {
				took = a.theme.Error
			}
			c.Bytes(2+i, took, appendMillis(nil, e.Took.Microseconds()))
		}
	}
	if p.A != nil && p.B != nil && p.A.Answered && p.B.Answered {
		c.Text(4, a.theme.Dim, delta(p.B.Took-p.A.Took))
	}
}

// delta is a difference of times in milliseconds.
func delta(d time.Duration) string {
	sign := "+"
	if d < 0 {
		sign, d = "-", -d
	}
	return sign + string(appendMillis(nil, d.Microseconds()))
}

func (v *comparing) paintGroup(a *App, row int, c *table.Cells) {
	g := &v.c.Report.Groups[row]
	style := a.theme.Error
	c.Mark(style, "x")
	if !g.Counts {
		style = a.theme.Dim
		c.Mark(style, "~")
	}
	c.Text(0, a.theme.Text, paint.Thousands(g.Count))
	c.Text(1, style, string(g.Class))
	c.Text(2, a.theme.Text, exchangeName(g.Method, g.Subject, g.From == "server"))
	c.Text(3, a.theme.Text, place(g.Class, g.Pointer, g.Change))
	switch {
	case len(g.Example.Detail) > 0:
		c.Text(3, a.theme.Dim, "  "+g.Example.Detail[0])
	case g.Example.A != nil && g.Example.B != nil && g.Example.A.Value+g.Example.B.Value != "":
		c.Text(3, a.theme.Dim, fmt.Sprintf("  %s -> %s", g.Example.A.Value, g.Example.B.Value))
	}
}

// place says where a difference is, and what became of the value.
func place(class compare.Class, p match.Pointer, change compare.Change) string {
	switch class {
	case compare.ClassMissing:
		return "only in A"
	case compare.ClassExtra:
		return "only in B"
	case compare.ClassOutcome:
		return "ended otherwise"
	case compare.ClassEra:
		return "another era"
	case compare.ClassProgress:
		return "another progress"
	case compare.ClassDuplicate:
		return "another number of responses"
	case compare.ClassTime:
		return "took too long"
	case compare.ClassNotes:
		return "another number of notifications"
	}
	return string(p) + " " + string(change)
}

func (v *comparing) paintMasked(a *App, row int, c *table.Cells) {
	m := &v.c.Report.Masked[row]
	c.Mark(a.theme.Dim, "~")
	c.Text(0, a.theme.Text, paint.Thousands(m.Count))
	c.Text(1, a.theme.Text, m.Type)
	c.Text(2, a.theme.Text, exchangeName(m.Method, m.Subject, false))
	c.Text(3, a.theme.Text, string(m.Pointer))
	if v.reveal {
		c.Text(3, a.theme.Dim, fmt.Sprintf("  %s -> %s", m.A, m.B))
	}
}

func (v *comparing) paintTiming(a *App, row int, c *table.Cells) {
	m := &v.c.Report.Timing[row]
	c.Text(0, a.theme.Text, exchangeName(m.Method, "", m.From == "server"))
	answers := paint.Thousands(m.A.Count)
	if m.B.Count != m.A.Count {
		answers += "/" + paint.Thousands(m.B.Count)
	}
	c.Text(1, a.theme.Text, answers)
	for i, us := range []int64{m.A.P50, m.B.P50, 0, m.A.P95, m.B.P95} {
		if i != 2 && us > 0 {
			c.Bytes(2+i, a.theme.Text, appendMillis(nil, us))
		}
	}
	for column, ratio := range map[int]float64{4: m.P50, 7: m.P95} {
		if ratio > 0 {
			c.Text(column, ratioStyle(a.theme, ratio), compare.FormatRatio(ratio))
		}
	}
}

// slower is the ratio of times from which it catches the eye.
const slower = 2

func ratioStyle(th *theme.Theme, ratio float64) theme.Style {
	switch {
	case ratio >= slower:
		return th.Warn
	case ratio <= 1.0/slower:
		return th.OK
	}
	return th.Text
}

// summary says in a line what a comparison came to.
func (v *comparing) summary() string {
	r := v.c.Report
	alone := 0
	for _, g := range r.Groups {
		if g.Class == compare.ClassMissing || g.Class == compare.ClassExtra {
			alone += g.Count
		}
	}
	text := fmt.Sprintf("%s compared, %s equal", paint.Thousands(r.Compared), paint.Thousands(r.Equal))
	if n := r.Compared - r.Equal; n > 0 {
		text += fmt.Sprintf(", %s differ", paint.Thousands(n))
	}
	if alone > 0 {
		text += fmt.Sprintf(", %s on one side only", paint.Thousands(alone))
	}
	if !r.Differs {
		text += ": the same"
	}
	return text
}

// maskedCount is how many values are equal by their type only.
func maskedCount(r *compare.Report) int {
	n := r.MoreMasked
	for i := range r.Masked {
		n += r.Masked[i].Count
	}
	return n
}

// groupCount is how many groups count.
func groupCount(r *compare.Report) int {
	n := 0
	for i := range r.Groups {
		if r.Groups[i].Counts {
			n++
		}
	}
	return n
}
