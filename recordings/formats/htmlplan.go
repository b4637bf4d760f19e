package formats

import (
	"cmp"
	"context"
	"fmt"
	"sort"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings/digest"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// maxSlow is how many of the slowest calls a page has in any case.
const maxSlow = 500

// A pagePlan is the choice of the rows of a page.
type pagePlan struct {
	most int // bytes of messages
	rank []pageRank
	rows int   // planned
	size int   // of those, estimated
	all  int   // of the selection
	left int   // of the selection, not on the page
	lost int   // of those, rows with problems
	end  int64 // time of the last row
}

// A pageRank is why a row is on a page.
type pageRank uint8

const (
	pageUnselected pageRank = iota
	pageOmitted
	pageOrdinary // there is room for it
	pageSlow
	pageProblem
)

// plan chooses the rows of a page of about most bytes: those with problems, the first calls
// that were slow, the slowest ones, and then the others in their order, each with the other message of its exchange.
func (s Selection) plan(ctx context.Context, most int, d *digest.Digest) (*pagePlan, error) {
	p := &pagePlan{most: most, rank: make([]pageRank, s.Source.Len())}
	size := 0
	var slowest []slowCall
	for number, row := range session.RowsFrom(s.Source, 0) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if number >= len(p.rank) {
			break
		}
		p.end = row.T
		if row.Flags&session.FlagDropped != 0 || s.Include != nil && !s.Include(number, row) {
			continue
		}
		p.rank[number] = pageOmitted
		p.all++
		size += sizeOnPage(row)
		if row.Msg == framing.Request {
			if response, ok := s.partner(row); ok {
				slowest = append(slowest, slowCall{number, response.T - row.T})
			}
		}
	}
	if p.all <= maxRows && size <= most {
		for number := range p.rank {
			p.add(number, session.Row{}, pageOrdinary)
		}
		return p, nil
	}
	sort.Slice(slowest, func(i, j int) bool {
		a, b := &slowest[i], &slowest[j]
		return cmp.Compare(b.took, a.took) < 0
	})
	var slow []int
	for i := range d.Slower {
		slow = append(slow, d.Slower[i].Row)
	}
	for _, call := range slowest[:min(len(slowest), maxSlow)] {
		slow = append(slow, call.row)
	}
	s.choose(p, slow)
	p.left = p.all - p.rows
	return p, nil
}

type slowCall struct {
	row  int
	took int64
}

// add plans a row, if it is selected. It is not ok if there is no room.
func (p *pagePlan) add(number int, row session.Row, why pageRank) (ok bool) {
	switch {
	case number >= len(p.rank) || p.rank[number] != pageOmitted:
		return true
	case p.rows == maxRows || p.size > p.most:
		return false
	}
	p.rows, p.size, p.rank[number] = p.rows+1, p.size+sizeOnPage(row), why
	return true
}

func (s Selection) choose(p *pagePlan, slow []int) {
	both := func(number int, row session.Row, why pageRank) bool {
		ok := p.add(number, row, why)
		if other, paired := row.Partner(); ok && paired && p.on(number) {
			if partner, found := session.RowAt(s.Source, other); found {
				return p.add(other, partner, why)
			}
		}
		return ok
	}
	for number, row := range session.RowsFrom(s.Source, 0) {
		if s.isProblem(row) && !both(number, row, pageProblem) {
			p.lost++
		}
	}
	for _, number := range slow {
		if row, ok := session.RowAt(s.Source, number); ok && p.size < p.most/2 {
			both(number, row, pageSlow)
		}
	}
	for number, row := range session.RowsFrom(s.Source, 0) {
		if !both(number, row, pageOrdinary) {
			break
		}
	}
}

// sizeOnPage estimates the bytes of a row on a page, in which quotes are escaped.
func sizeOnPage(row session.Row) int {
	content := min(int(row.Len), maxContent)
	return content + content/8 + 150
}

// includes returns a filter of the planned rows, given how much was written so far: a
// text can become longer than estimated, and then ordinary rows are omitted.
func (p *pagePlan) includes(written *int) func(int, session.Row) bool {
	return func(number int, _ session.Row) bool {
		switch {
		case !p.on(number):
			return false
		case *written <= p.most || p.rank[number] > pageOrdinary && *written <= 2*p.most:
			return true
		case p.rank[number] == pageProblem:
			p.lost++
		}
		p.rank[number] = pageOmitted
		p.left++
		return false
	}
}

// on reports whether a row is on the page.
func (p *pagePlan) on(number int) bool {
	return number >= 0 && number < len(p.rank) && p.rank[number] > pageOmitted
}

// omitted describes the omissions of the page, "" without any.
func (p *pagePlan) omitted() string {
	if p.left == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "This page has %s of %s entries: failures, unanswered calls, lines that are not messages and the slowest calls, then the first others.", wording.Thousands(p.all-p.left), wording.Thousands(p.all))
	if p.lost > 0 {
		fmt.Fprintf(&b, " It lacks room for %s entries with problems, too.", wording.Thousands(p.lost))
	}
	b.WriteString(" To get a page with others: mcpdbg rec export FILE -o part.html --filter 'tool:NAME' (or 'id:7', '>100ms'), or --from and --to.")
	return b.String()
}

// isProblem reports whether a page marks a row, and lists it among the errors only. A probe
// without a response is as expected, and so is a request that may take any time.
func (s Selection) isProblem(row session.Row) bool {
	if row.Flags&session.FlagProblem != 0 || row.IsStray() || row.State == session.ReqDuplicate {
		return true
	}
	if row.Flags&session.FlagProbe != 0 {
		return false
	}
	if row.Flags&session.FlagError != 0 || row.Kind == session.KindGap || row.Kind == session.KindFailed {
		return true
	}
	switch row.State {
	case session.ReqPending, session.ReqLost:
		return !mcp.WaitsLong(s.Source.Method(row.Method))
	case session.ReqFailed, session.ReqTimedOut, session.ReqUnmatched, session.ReqUnread:
		return true
	}
	return false
}
