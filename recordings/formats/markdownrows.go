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
	case row.Kind == session.KindStdout && (row.Msg == framing.NotJSON || row.Msg == framing.Other):
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

// table adds the rows of a selection and their content: failed calls first, then those
// without a response, the slowest, stray lines, and the rest in order.
func (s Selection) table(ctx context.Context, b *strings.Builder, d *digest.Digest) error {
	var ranked [ranks][]int
	all := 0
	for number, row := range session.RowsFrom(s.Source, 0) {
		if number%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if s.Include != nil && !s.Include(number, row) || row.Flags&session.FlagDropped != 0 {
			continue
		}
		r, shown := s.rankOf(number, row, d.Slowest)
		if !shown {
			continue
		}
		all++
		if len(ranked[r]) < maxTable {
			ranked[r] = append(ranked[r], number)
		}
	}
	chosen := slices.Concat(ranked[:]...)
	order := ""
	if len(chosen) > len(ranked[rankOther]) && len(ranked[rankOther]) > 0 {
		order = "Failed calls, those without a response, the slowest ones and stray lines come first.\n\n"
	}
	b.WriteString("\n### Calls and other entries\n\n" + order + "| entry | time | | what | result | took |\n|--:|--:|---|---|---|--:|\n")
	var blocks strings.Builder
	rows, blocked, full := 0, 0, false
	times := exchange.NewTable(s.Source)
	for _, number := range chosen[:min(len(chosen), maxTable)] {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if b.Len() > maxTables {
			break
		}
		c, err := s.readCall(times, number)
		if err != nil {
			return err
		}
		rows++
		c.row(b)
		if full {
			continue
		}
		text := c.block()
		if full = blocks.Len()+len(text) > maxMarkdown-maxTables; !full {
			blocked++
			blocks.WriteString(text)
		}
	}
	if rows < all {
		fmt.Fprintf(b, "\nThe table omits %d more entries. `mcpdbg rec export --filter` selects others, such as `tool:NAME`.\n", all-rows)
	}
	b.WriteString("\n### Content\n\n")
	b.WriteString(blocks.String())
	if blocked < all {
		fmt.Fprintf(b, "\nThe content of %d more entries is omitted.\n", all-blocked)
	}
	return nil
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
		r.result = "no response: " + row.State.String()
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

func (r *reportedRow) row(b *strings.Builder) {
	result := inline(wording.Clip(r.result, 120, wording.Ellipsis))
	if isError(r.item.row) && result != "" {
		result = "**" + result + "**"
	}
	fmt.Fprintf(b, "| %d | %.6f | %s | %s | %s | %s |\n", r.entry.N, float64(r.item.row.T)/1e6, arrow(r.item.row),
		inline(wording.Clip(r.what, 120, wording.Ellipsis)), result, r.took)
}

// block formats a row with its content, folded.
func (r *reportedRow) block() string {
	if !r.item.row.Kind.IsStream() {
		return "" // the table has all of it
	}
	text := fmt.Sprintf("<details><summary>%d %s %s</summary>\n\n%s", r.entry.N, arrow(r.item.row),
		inline(wording.Clip(r.what, 80, wording.Ellipsis)), fenced(&r.entry))
	if r.response != nil {
		text += fmt.Sprintf("\n%d, the response:\n\n%s", r.response.N, fenced(r.response))
	}
	return text + "\n</details>\n"
}
