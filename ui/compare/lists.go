package compare

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	diff "mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// The rows change only when the comparison is recomputed, which makes new tables.
type listRows struct {
	*view
	len   func() int
	paint func(th *paint.Theme, row int, c *table.Cells)
	on    *kit.Screen
}

func (r listRows) Len() int {
	if r.result == nil {
		return 0
	}
	return r.len()
}
func (listRows) Version(int) uint32              { return 0 }
func (r listRows) Paint(row int, c *table.Cells) { r.paint(r.on.Theme, row, c) }

func (v *view) makeTables(screen *kit.Screen) {
	number := func(title string, width, priority int) table.Column {
		return table.Column{Title: title, Min: width, Priority: priority, Align: termsafe.Right}
	}
	call := table.Column{Title: "call", Min: 10, Weight: 1, ByNeed: true, Must: true}
	what := table.Column{Title: "what differs", Min: 24, Gap: 1, Weight: 3, ByNeed: true, Must: true, Scroll: true}
	count, kind := number("times", 7, 2), table.Column{Title: "type", Min: 9, Priority: 3}
	lists := [listCount]struct {
		empty   string
		columns []table.Column
		len     func() int
		paint   func(th *paint.Theme, row int, c *table.Cells)
	}{
		listCalls: {"no calls", []table.Column{
			call, {Title: "arguments", Min: 10, Weight: 2, ByNeed: true, Optional: true, Priority: 1}, number("A took", 9, 3), number("B took", 9, 3), what,
		}, func() int { return v.result.Len() }, v.paintCall},
		listValues: {"no values differ", []table.Column{count, call, what}, func() int { return len(v.result.Report.Groups) }, v.paintValue},
		listTypes:  {"no values are equal by type only", []table.Column{count, kind, call, what}, func() int { return len(v.result.Report.Masked) }, v.paintType},
		listTimes: {"no answers", []table.Column{
			call, number("n", 7, 1), number("p50 A", 8, 2), number("p50 B", 8, 2), number("B/A", 5, 3), number("p95 A", 8, 0), number("p95 B", 8, 0), number("B/A", 5, 0),
		}, func() int { return len(v.result.Report.Timing) }, v.paintTiming},
	}
	v.theme = screen.Theme
	for i, l := range lists {
		t := table.New(table.Config{Source: listRows{v, l.len, l.paint, screen}, Columns: l.columns, Theme: screen.Theme, Options: screen.Look(), Header: true, Empty: l.empty})
		t.SetFollow(false)
		t.SetFlags(true)
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
		v.tables[listCalls].Select(min(at, v.result.Len()-1))
	}
}

func (v *view) filter() {
	t := v.tables[listCalls]
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
	return v.tables[listCalls].Cursor()
}

func (v *view) goToFirst(c host.Context) tea.Cmd {
	if first := v.result.Report.First; first != nil {
		return v.goTo(c, first)
	}
	v.tables[listCalls].Home()
	return v.look(c, "")
}

func (v *view) goTo(c host.Context, d *diff.Difference) tea.Cmd {
	v.list = listCalls
	if pair, ok := v.result.Find(d); ok {
		v.tables[listCalls].Select(pair)
	} else {
		c.Host.Notify("the difference is not about a single call")
	}
	return v.look(c, d.Pointer)
}

// step goes to the next difference: in this exchange, then in the next one that
// differs.
func (v *view) step(c host.Context, way int) tea.Cmd {
	if at, ok := v.beside.next(v.beside.at, way); ok && v.list == listCalls {
		v.beside.at = at
		return nil
	}
	v.list = listCalls
	at, _ := v.current()
	for n := at + way; n >= 0 && n < v.result.Len(); n += way {
		if v.result.Kind(n) != diff.Same {
			v.tables[listCalls].Select(n)
			cmd := v.look(c, "")
			v.beside.last = way < 0
			return cmd
		}
	}
	c.Host.Notify("no more differences " + map[bool]string{true: "below", false: "above"}[way > 0])
	return nil
}

// callName returns the tool that is called, or the method and its subject.
func (v *view) callName(method, subject string, fromServer bool) string {
	switch {
	case fromServer:
		return v.glyph("← ", "< ") + method
	case method == mcp.MethodToolsCall && subject != "":
		return subject
	}
	return strings.TrimSpace(method + " " + subject)
}

func (v *view) glyph(glyph, ascii string) string {
	return paint.Glyph(v.blocks[blockLines].Options, glyph, ascii)
}

// markDiffers marks a row. A letter is reversed, so that it does not look like a key.
func (v *view) markDiffers(th *paint.Theme, c *table.Cells) {
	mark, style := v.glyph("≠", "x"), th.Failed
	if mark == "x" {
		style = style.With(paint.Reversed())
	}
	c.Mark(style, mark)
}

func (v *view) paintCall(th *paint.Theme, row int, c *table.Cells) {
	p := v.result.Pair(row)
	text, style := "same", th.Dim
	switch p.Kind {
	case diff.Different:
		text, style = "differs", th.Failed
		if p.First != nil {
			text = v.whatDiffers(p.First)
		}
		v.markDiffers(th, c)
	case diff.OnlyA:
		text, style = "only in A", th.Failed
		c.Mark(style, "-")
	case diff.OnlyB:
		text, style = "only in B", th.Good
		c.Mark(style, "+")
	}
	c.Text(0, th.Text, v.callName(p.Method, p.Subject, p.FromServer))
	for i, e := range []*diff.End{p.A, p.B} {
		switch {
		case e == nil:
			continue
		case !e.Answered:
			c.Text(2+i, th.Odd, "no answer")
		case e.Failed:
			c.Text(2+i, th.Failed, took(e))
		default:
			c.Text(2+i, th.Text, took(e))
		}
		if i == 0 || p.A == nil {
			c.Text(1, th.Dim, v.arguments(i, e))
		}
	}
	c.Text(4, style, text)
}

func took(e *diff.End) string { return string(wording.AppendTook(nil, e.Took.Microseconds())) }

// arguments returns those of a call.
func (v *view) arguments(side int, call *diff.End) string {
	row, _ := session.RowAt(v.logs[side], call.Request)
	e, err := v.logs[side].Entry(row, summary.Limit)
	if err != nil {
		return ""
	}
	return summary.Request(v.logs[side].Method(row.Method), e.Payload)
}

func (v *view) paintValue(th *paint.Theme, row int, c *table.Cells) {
	g := &v.result.Report.Groups[row]
	style := th.Dim
	if g.Counts {
		style = th.Failed
		v.markDiffers(th, c)
	}
	example := g.Example
	if g.Count > 1 {
		example.Pointer = g.Pointer
	}
	c.Text(0, th.Text, wording.Thousands(g.Count))
	c.Text(1, th.Text, v.callName(g.Method, g.Subject, g.From == "server"))
	if g.Count == 1 && example.Arguments != "" {
		c.Text(1, th.Dim, " "+example.Arguments)
	}
	c.Text(2, style, v.whatDiffers(&example))
}

// whatDiffers returns the place of a difference, and both values or what changed there.
func (v *view) whatDiffers(d *diff.Difference) string {
	place, values := placeText(d), ""
	_, isList := mcp.ListOf(d.Method)
	switch {
	case d.Class == diff.ClassMissing || d.Class == diff.ClassExtra || d.Class == diff.ClassEra:
		return place
	case d.Text != nil:
		place, values = v.textPlace(place, d.Text)
	case len(d.Detail) > 0:
		values = d.Detail[0]
	case d.A != nil && d.B != nil && d.A.Value+d.B.Value != "":
		values = d.A.Value + v.glyph(" → ", " -> ") + d.B.Value
	}
	if isList && len(d.Detail) == 0 {
		return place
	}
	return place + wording.IfAny(": ", values)
}

// textPlace adds where two texts differ to their place, and returns what differs there.
func (v *view) textPlace(place string, t *diff.TextPlace) (where, values string) {
	a, b := t.Changed()
	return place + " at " + t.String(), "[" + a + "]" + v.glyph(" → ", " -> ") + "[" + b + "]"
}

// placeText returns the words for the place of a difference: in a result, the names that
// lead to it, such as content 0 text; in a list, the item first.
func placeText(d *diff.Difference) string {
	switch d.Class {
	case diff.ClassMissing:
		return "only in A"
	case diff.ClassExtra:
		return "only in B"
	case diff.ClassOutcome:
		return "outcome"
	case diff.ClassEra:
		return "another protocol"
	case diff.ClassProgress:
		return "progress"
	case diff.ClassDuplicate:
		return "number of answers"
	case diff.ClassTime:
		return "took too long"
	case diff.ClassNotes:
		return "number of notifications"
	}
	text := pathText(d.Method, d.Pointer)
	if d.Change == "added" || d.Change == "removed" {
		text += " " + string(d.Change)
	}
	return text
}

func pathText(method string, p match.Pointer) string {
	tokens := p.Tokens()
	if len(tokens) > 1 && tokens[0] == "result" {
		tokens = tokens[1:]
	}
	if list, ok := mcp.ListOf(method); ok && len(tokens) > 1 && tokens[0] == list.Member {
		return tokens[1] + wording.IfAny(": ", strings.Join(tokens[2:], " "))
	}
	return strings.Join(tokens, " ")
}

func (v *view) paintType(th *paint.Theme, row int, c *table.Cells) {
	m := &v.result.Report.Masked[row]
	c.Text(0, th.Text, wording.Thousands(m.Count))
	c.Text(1, th.Text, m.Type)
	c.Text(2, th.Text, v.callName(m.Method, m.Subject, false))
	place, values := pathText(m.Method, m.Pointer), m.A+v.glyph(" → ", " -> ")+m.B
	if m.Text != nil {
		place, values = v.textPlace(place, m.Text)
	}
	c.Text(3, th.Text, place)
	if v.reveal || m.Guess {
		c.Text(3, th.Dim, ": "+values)
	}
}

func (v *view) paintTiming(th *paint.Theme, row int, c *table.Cells) {
	m := &v.result.Report.Timing[row]
	name := v.callName(m.Method, "", m.From == "server")
	if m.Subject != "" { // below its method
		name = "  " + m.Subject
	}
	c.Text(0, th.Text, name)
	answers := wording.Thousands(m.A.Count)
	if m.B.Count != m.A.Count {
		answers += "/" + wording.Thousands(m.B.Count)
	}
	c.Text(1, th.Text, answers)
	for i, us := range []int64{m.A.P50, m.B.P50, 0, m.A.P95, m.B.P95} {
		if i != 2 && us > 0 {
			c.Bytes(2+i, th.Text, wording.AppendTook(nil, us))
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

// A tally counts the calls of a comparison by kind, and sums what the server took for those
// that have an answer in both sessions, without the handshake.
type tally struct {
	kinds [diff.OnlyB + 1]int
	took  [2]time.Duration
}

func tallyOf(c *diff.Comparison) (t tally) {
	for n := range c.Len() {
		p := c.Pair(n)
		t.kinds[p.Kind]++
		if p.A != nil && p.B != nil && p.A.Answered && p.B.Answered && !p.FromServer && !workspace.IsHandshake(p.Method) {
			t.took[0] += p.A.Took
			t.took[1] += p.B.Took
		}
	}
	return t
}

// String returns the counts, "" before there are any.
func (t *tally) String() string {
	all, text := 0, ""
	for kind, words := range []string{"same", "differ", "only A", "only B"} {
		if n := t.kinds[kind]; n > 0 {
			all += n
			text += fmt.Sprintf(", %s %s", wording.Thousands(n), words)
		}
	}
	if all == 0 {
		return ""
	}
	return wording.Counted(all, "call") + ":" + text[1:]
}

// slower returns how much longer or shorter the second session took, "" if that is unknown.
func (t *tally) slower() string {
	if t.took[0] == 0 {
		return ""
	}
	return fmt.Sprintf(" %+d %%", (t.took[1]-t.took[0])*100/t.took[0])
}

func maskedCount(r *diff.Report) int {
	n := r.MoreMasked
	for i := range r.Masked {
		n += r.Masked[i].Count
	}
	return n
}

func valueCount(r *diff.Report) int {
	n := 0
	for i := range r.Groups {
		if r.Groups[i].Counts {
			n++
		}
	}
	return n
}
