package formats

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings/digest"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
)

// A rank is the place of a row in a report: the first ones are shown first.
type rank uint8

const (
	rankFailed rank = iota
	rankUnanswered
	rankSlow
	rankStray
	rankOther
	ranks
)

// rankOf returns the rank of a row, and false if it is part of the row of its request.
func (s Selection) rankOf(number int, row session.Row, slowest []digest.Call) (rank, bool) {
	switch {
	case isStray(row):
		return rankStray, true
	case row.Msg == framing.Response || row.Msg == framing.ErrorResponse:
		request, _ := row.Partner()
		of, ok := s.partner(row)
		merged := ok && row.State != session.ReqDuplicate && row.State != session.ReqUnmatched && of.Msg == framing.Request &&
			(s.Include == nil || s.Include(request, of))
		if isError(row) || row.State == session.ReqUnmatched || row.State == session.ReqDuplicate {
			return rankFailed, !merged
		}
		return rankOther, !merged
	case row.Msg != framing.Request:
		return rankOther, true
	case isError(row):
		return rankFailed, true
	case row.State == session.ReqPending || row.State == session.ReqLost || row.State == session.ReqTimedOut:
		if row.Flags&session.FlagProbe != 0 || mcp.WaitsLong(s.Source.Method(row.Method)) {
			return rankOther, true
		}
		return rankUnanswered, true
	case slices.ContainsFunc(slowest, func(c digest.Call) bool { return c.Row == number }):
		return rankSlow, true
	}
	return rankOther, true
}

const (
	// maxWhole is how many rows of a recording are shown in order; of more, only those that
	// matter, with the ones around the first of them.
	maxWhole = 100
	around   = 2
	// maxMoments of one kind are shown with the rows around them.
	maxMoments = 4
)

// A choice is the rows of a report.
type choice struct {
	all    int // rows of the selection
	first  []int
	ranked [ranks][]int
	near   [][]int // around moments
	moment map[int]bool
}

// moments are the calls around which a report has more rows.
func moments(d *digest.Digest) map[int]bool {
	rows := map[int]bool{}
	for i := range d.Failures.Groups[:min(len(d.Failures.Groups), maxMoments)] {
		rows[d.Failures.Groups[i].Calls[0].Row] = true
	}
	for i := range d.Unanswered[:min(len(d.Unanswered), maxMoments)] {
		rows[d.Unanswered[i].Row] = true
	}
	for i := range d.Slower[:min(len(d.Slower), maxMoments)] {
		rows[d.Slower[i].Row] = true
	}
	return rows
}

// choose chooses the rows of a report.
func (r *report) choose(ctx context.Context, d *digest.Digest) (*choice, error) {
	s := r.Selection
	c := &choice{moment: moments(d)}
	var before []int
	after, gap := 0, true
	for number, row := range session.RowsFrom(s.Source, 0) {
		if number%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if s.Include != nil && !s.Include(number, row) || row.Flags&session.FlagDropped != 0 {
			continue
		}
		rank, shown := s.rankOf(number, row, d.Slowest)
		if !shown {
			continue
		}
		if c.all++; c.all <= maxWhole {
			c.first = append(c.first, number)
		}
		if len(c.ranked[rank]) < maxTable {
			c.ranked[rank] = append(c.ranked[rank], number)
		}
		if c.moment[number] {
			after = around + 1
			if gap {
				c.near = append(c.near, nil)
			}
			last := &c.near[len(c.near)-1]
			*last = append(*last, before...)
			before, gap = nil, false
		}
		if after > 0 {
			after--
			last := &c.near[len(c.near)-1]
			*last = append(*last, number)
			continue
		}
		if before = append(before, number); len(before) > around {
			before, gap = before[1:], true
		}
	}
	return c, nil
}

// table adds the rows of a selection and their content. Those of a short one are in order.
// Of a longer one, failed calls come first. Of a whole recording, only those that matter
// are shown, with the ones around the first of each kind.
func (r *report) table(ctx context.Context, c *choice) error {
	w := rowWriter{report: r, choice: c, ctx: ctx, rows: map[int]bool{}}
	switch {
	case c.all <= maxWhole:
		w.title("Calls and other entries", "")
		w.add(c.first, true)
	case r.Include == nil && len(c.near) > 0:
		w.title("Around the first of each kind", "")
		for i, rows := range c.near {
			if i > 0 {
				r.b.WriteString("| … | | | | | |\n")
			}
			w.add(rows, false)
		}
		rows := slices.Concat(c.ranked[rankFailed], c.ranked[rankUnanswered], c.ranked[rankStray])
		if slices.ContainsFunc(rows, func(number int) bool { return !w.rows[number] }) {
			w.title("Calls and other entries", "Failed calls, then those without a response, and lines that are not messages.\n\n")
			w.add(rows, false)
		}
	default:
		w.title("Calls and other entries", "Failed calls come first, then those without a response, the slowest ones, lines that are not messages, and the others.\n\n")
		w.add(slices.Concat(c.ranked[:]...), true)
	}
	if n := c.all - len(w.rows); n > 0 {
		fmt.Fprintf(&r.b, "\nThe report omits %s, such as those of `mcpdbg rec export FILE -o part.md --filter 'tool:NAME'` (or `n:130-150`, `is:failed`, `'>100ms'`).\n",
			wording.PluralOf(n, "more entry", "more entries"))
	}
	if w.blocks.Len() > 0 {
		r.b.WriteString("\n### Content\n\n" + w.blocks.String())
	}
	if w.omitted > 0 {
		fmt.Fprintf(&r.b, "\nThe content of %s is omitted.\n", wording.PluralOf(w.omitted, "more entry", "more entries"))
	}
	return w.err
}

// A rowWriter adds rows to a report.
type rowWriter struct {
	*report
	*choice
	ctx     context.Context //nolint:containedctx // of one table
	rows    map[int]bool    // written
	blocks  strings.Builder
	omitted int // blocks without room
	err     error
}

func (w *rowWriter) title(title, order string) {
	w.b.WriteString("\n### " + title + "\n\n" + order + "| entry | time | | what | result | took |\n|--:|--:|---|---|---|--:|\n")
}

// add adds rows as far as there is room, with their content unless the report has that.
func (w *rowWriter) add(numbers []int, content bool) {
	for _, number := range numbers {
		if w.err == nil {
			w.err = context.Cause(w.ctx)
		}
		if w.err != nil || w.b.Len() > maxTables || len(w.rows) >= maxTable {
			return
		}
		var c reportedRow
		if c, w.err = w.readCall(w.times, number); w.err != nil {
			return
		}
		w.rows[number] = true
		c.row(&w.b, w.moment[number])
		if !content || w.content[number] {
			continue
		}
		text := c.block()
		if w.omitted > 0 || w.blocks.Len()+len(text) > maxMarkdown-maxTables {
			w.omitted++
			continue
		}
		w.content[number] = true
		w.blocks.WriteString(text)
	}
}

// A reportedRow is a row of a report: a request with its response, or another entry.
type reportedRow struct {
	item
	what, result, took string
	response           *session.Entry // nil without one
}

func (s Selection) readCall(times *exchange.Table, number int) (reportedRow, error) {
	row, _ := session.RowAt(s.Source, number)
	e, err := s.Source.Entry(row, maxBlock+64<<10)
	r := reportedRow{item: item{number, row, e}}
	if err != nil {
		return r, err
	}
	method := s.Source.Method(row.Method)
	if row.Msg != framing.Request {
		r.what = s.what(r.item)
		if row.Msg == framing.Notification {
			r.what = strings.TrimSpace(r.what + " " + summary.Message(row.Msg, method, e.Payload, e.FullSize))
		}
		if row.Msg == framing.Response || row.Msg == framing.ErrorResponse {
			r.what, r.result = "response to "+method, summary.Response(method, e.Payload, e.FullSize)
		}
		r.took = s.tookText(times, r.item)
		return r, nil
	}
	called := digest.Call{Method: method, Tool: summary.Call(method, e.Payload), Arguments: summary.Request(method, e.Payload)}
	r.what = strings.TrimSpace(called.Name() + " " + called.Arguments)
	r.took = s.tookText(times, r.item)
	partner, ok := s.partner(row)
	if !ok {
		r.result = "no response"
		if row.State != session.ReqPending && row.State != session.ReqLost {
			r.result += ": " + row.State.String()
		}
		return r, nil
	}
	answer, err := s.Source.Entry(partner, maxBlock+64<<10)
	if err != nil {
		return r, err
	}
	r.response, r.result = &answer, summary.Response(method, answer.Payload, answer.FullSize)
	return r, nil
}

// tookText formats the time of a request; "" for other rows and those without a response.
func (s Selection) tookText(times *exchange.Table, it item) string {
	us, waited, ok := s.took(times, it)
	if !ok || us < 0 {
		return ""
	}
	text := wording.Took(us)
	if exchange.Noticed(waited) {
		text += ", and " + wording.Took(waited) + " waiting for the client"
	}
	return text
}

// row adds a line of the table. The number of a moment is bold.
func (r *reportedRow) row(b *strings.Builder, moment bool) {
	number := fmt.Sprint(r.entry.N)
	if moment {
		number = "**" + number + "**"
	}
	const shownResult, shownError = 80, 120
	result := inline(wording.Clip(r.result, shownResult, wording.Ellipsis))
	if isError(r.item.row) && result != "" {
		result = "**" + inline(wording.Clip(r.result, shownError, wording.Ellipsis)) + "**"
	}
	fmt.Fprintf(b, "| %s | %.6f | %s | %s | %s | %s |\n", number, float64(r.item.row.T)/1e6, arrow(r.item.row),
		inline(wording.Clip(r.what, 120, wording.Ellipsis)), result, r.took)
}

// block formats a row with its content, folded.
func (r *reportedRow) block() string {
	if !r.item.row.Kind.IsStream() {
		return "" // the table has all of it
	}
	text := fmt.Sprintf("<details><summary>%d %s %s</summary>\n\n%s", r.entry.N, arrow(r.item.row),
		inline(wording.Clip(r.what, 80, wording.Ellipsis)), fenced(&r.entry, maxBlock))
	if r.response != nil {
		text += fmt.Sprintf("\n%d, the response:\n\n%s", r.response.N, fenced(r.response, maxBlock))
	}
	return text + "\n</details>\n"
}
