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
	"mcpdbg/session/diagnosis"
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
func (r *report) rankOf(number int, row session.Row) (rank, bool) {
	switch {
	case row.IsStray():
		return rankStray, true
	case row.Msg == framing.Response || row.Msg == framing.ErrorResponse:
		request, _ := row.Partner()
		of, ok := r.partner(row)
		merged := ok && row.State != session.ReqDuplicate && row.State != session.ReqUnmatched && of.Msg == framing.Request && r.includes(request)
		if isError(row) || row.State == session.ReqUnmatched || row.State == session.ReqDuplicate {
			return rankFailed, !merged
		}
		return rankOther, !merged
	case row.Msg != framing.Request:
		return rankOther, true
	case isError(row):
		return rankFailed, true
	case row.State == session.ReqPending || row.State == session.ReqLost || row.State == session.ReqTimedOut:
		if row.Flags&session.FlagProbe != 0 || mcp.WaitsLong(r.Source.Method(row.Method)) {
			return rankOther, true
		}
		return rankUnanswered, true
	case r.slow[number]:
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
	// maxOpened is the size of the longest batch whose elements have rows.
	maxOpened = 1 << 20
)

// A choice is the rows of a report.
type choice struct {
	all    int // rows of the selection
	first  []int
	ranked [ranks][]int
	near   [][]int // around moments
	moment map[int]bool
	before []int // the latest rows that are not near
	after  int   // how many of the next ones are
	gap    bool  // rows between the last ones of near and before are in neither
}

// moments are the calls around which a report has more rows.
func (r *report) moments(d *digest.Digest, causes []remark) map[int]bool {
	rows := map[int]bool{}
	for _, c := range causes {
		if c.Severity == diagnosis.Error.String() && c.Failure == 0 && len(rows) < maxMoments {
			rows[c.Row] = true
		}
	}
	for i := range d.Failures.Groups[:min(len(d.Failures.Groups), maxMoments)] {
		rows[r.number(&d.Failures.Groups[i].Calls[0])] = true
	}
	for i := range d.Unanswered[:min(len(d.Unanswered), maxMoments)] {
		rows[r.number(&d.Unanswered[i])] = true
	}
	for i := range d.Slower[:min(len(d.Slower), maxMoments)] {
		rows[d.Slower[i].Row] = true
	}
	return rows
}

// includes reports whether a row, or the batch that it is an element of, is selected.
func (r *report) includes(number int) bool {
	if r.Include == nil {
		return true
	}
	parent := r.source.Parent(number)
	row, ok := session.RowAt(r.Source, parent)
	return ok && r.Include(parent, row)
}

// numbers returns a row, or those of the elements of a batch that is not too long.
func (r *report) numbers(number int, row session.Row) []int {
	if row.Msg == framing.Batch && row.Len <= maxOpened {
		if all := r.source.Numbers(number); len(all) > 0 {
			return all
		}
	}
	return []int{number}
}

// choose chooses the rows of a report.
func (r *report) choose(ctx context.Context, d *digest.Digest, causes []remark) (*choice, error) {
	c := &choice{moment: r.moments(d, causes), gap: true}
	for i := range d.Slowest {
		r.slow[r.number(&d.Slowest[i])] = true
	}
	for number, row := range session.RowsFrom(r.Source, 0) {
		if number%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if r.Include != nil && !r.Include(number, row) || row.Flags&session.FlagDropped != 0 {
			continue
		}
		for _, number := range r.numbers(number, row) {
			if row, ok := r.row(number); ok {
				if rank, shown := r.rankOf(number, row); shown {
					c.add(number, rank)
				}
			}
		}
	}
	return c, nil
}

// row returns a row whose partner may be in a batch.
func (r *report) row(number int) (session.Row, bool) {
	row, ok := session.RowAt(r.Source, number)
	return r.source.Paired(number, row), ok
}

func (c *choice) add(number int, r rank) {
	if c.all++; c.all <= maxWhole {
		c.first = append(c.first, number)
	}
	if len(c.ranked[r]) < maxTable {
		c.ranked[r] = append(c.ranked[r], number)
	}
	if c.moment[number] {
		c.after = around + 1
		if c.gap {
			c.near = append(c.near, nil)
		}
		last := &c.near[len(c.near)-1]
		*last = append(*last, c.before...)
		c.before, c.gap = nil, false
	}
	if c.after > 0 {
		c.after--
		last := &c.near[len(c.near)-1]
		*last = append(*last, number)
		return
	}
	if c.before = append(c.before, number); len(c.before) > around {
		c.before, c.gap = c.before[1:], true
	}
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
		w.title("Around the first of each kind", "Bold: the first failure with each message, requests without a response, errors, and the first slow call of a tool. F1 and so on are the failures above.\n\n")
		for i, rows := range c.near {
			if i > 0 {
				r.b.WriteString("| … | | | | | |\n")
			}
			w.add(rows, false)
		}
		rows, order := c.ranked[rankFailed], "Failed calls, then lines that are not messages"
		if len(c.ranked[rankUnanswered]) > maxFailures { // of fewer, all are above
			rows, order = slices.Concat(rows, c.ranked[rankUnanswered]), "Failed calls, then those without a response, and lines that are not messages"
		}
		rows = slices.Concat(rows, c.ranked[rankStray])
		if slices.ContainsFunc(rows, func(number int) bool { return !w.rows[number] }) {
			w.title("Calls and other entries", order+".\n\n")
			w.add(rows, false)
		}
	default:
		w.title("Calls and other entries", "Failed calls come first, then those without a response, the slowest ones, lines that are not messages, and the others.\n\n")
		w.add(slices.Concat(c.ranked[:]...), true)
	}
	if n := c.all - len(w.rows); n > 0 {
		r.omits(n)
		fmt.Fprintf(&r.b, "\nThe report omits %s, such as those of `mcpdbg rec export FILE -o part.md --filter 'tool:NAME'` (or `n:130-150`, `is:failed`, `'>100ms'`).\n",
			wording.PluralOf(n, "more row", "more rows"))
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
	w.b.WriteString("\n### " + title + "\n\n" + order + "| entry | time (s) | | what | result | took |\n|--:|--:|---|---|---|--:|\n")
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
		if c, w.err = w.readCall(number); w.err != nil {
			return
		}
		w.rows[number] = true
		w.nameFailure(&c)
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
	element            int // place in a batch, from 1
	what, result, took string
	response           *session.Entry // nil without one
	failure            int            // the group of its failure, from 1
}

// nameFailure replaces the message of a failure that the report describes by the name of its
// group, and what else the message has.
func (r *report) nameFailure(c *reportedRow) {
	if !isError(c.item.row) || c.result == "" {
		return
	}
	said := strings.TrimPrefix(c.result, "failed: ")
	n := r.failures.Of(said)
	if n == 0 || n > maxFailures {
		return
	}
	c.failure, c.result = n, said
	if !r.failures.Groups[n-1].Varies() {
		c.result = ""
	}
}

func (r *report) readCall(number int) (reportedRow, error) {
	s, times := r.Selection, r.times
	row, _ := r.row(number)
	e, err := s.Source.Entry(row, maxBlock+64<<10)
	c := reportedRow{item: item{number, row, e}}
	if err != nil {
		return c, err
	}
	if at, ok := r.source.Element(number); ok && at.Index >= 0 {
		c.element = at.Index + 1
	}
	method := s.Source.Method(row.Method)
	if row.Msg != framing.Request {
		c.what = s.what(c.item)
		if row.Msg == framing.Notification {
			c.what = strings.TrimSpace(c.what + " " + summary.Message(row.Msg, method, e.Payload, e.FullSize))
		}
		if row.Msg == framing.Response || row.Msg == framing.ErrorResponse {
			c.what, c.result = "response to "+method, summary.Response(method, e.Payload, e.FullSize)
		}
		c.took = s.tookText(times, c.item)
		return c, nil
	}
	called := digest.Call{Method: method, Tool: summary.Call(method, e.Payload), Arguments: summary.Request(method, e.Payload)}
	c.what = called.Words()
	c.took = s.tookText(times, c.item)
	partner, ok := s.partner(row)
	if !ok {
		c.result = "no response"
		if row.State != session.ReqPending && row.State != session.ReqLost {
			c.result += ": " + row.State.String()
		}
		return c, nil
	}
	answer, err := s.Source.Entry(partner, maxBlock+64<<10)
	if err != nil {
		return c, err
	}
	c.response, c.result = &answer, summary.Response(method, answer.Payload, answer.FullSize)
	return c, nil
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
	number := digest.EntryText(r.entry.N, r.element)
	if moment {
		number = "**" + number + "**"
	}
	const shownResult, shownError = 40, 120
	result := inline(wording.Clip(r.result, shownResult, wording.Ellipsis))
	switch {
	case r.failure > 0:
		result = strings.TrimSpace("**" + failureName(r.failure) + "** " + inline(wording.Clip(r.result, shownError, wording.Ellipsis)))
	case isError(r.item.row) && result != "":
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
	response := ""
	if r.response != nil {
		response = fmt.Sprintf(", response %d", r.response.N)
	}
	return fmt.Sprintf("<details><summary>%s %s %s%s</summary>\n\n%s\n</details>\n", digest.EntryText(r.entry.N, r.element), arrow(r.item.row),
		inline(wording.Clip(r.what, 80, wording.Ellipsis)), response, exchanged(&r.entry, r.response, maxBlock))
}
