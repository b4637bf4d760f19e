package formats

import (
	"bufio"
	"context"
	"fmt"
	"html"
	"strconv"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/summary"
)

const (
	// maxBars is the maximum number of exchanges in the waterfall of a page.
	maxBars = 2000
	// maxBarName is how many bytes of the name of an exchange a page has.
	maxBarName = 60
	// idleFrom is the pause between all exchanges, in microseconds, from which it is
	// shortened to idleLeft.
	idleFrom = 5_000_000
	idleLeft = 500_000
	// The sizes of the picture, in its own units.
	barHeight   = 18
	barsLeft    = 330
	barsWidth   = 650
	pictureWide = barsLeft + barsWidth + 20
)

// A bar is the time of an exchange.
type bar struct {
	name     string
	from, to int64 // microseconds
	class    string
	open     bool // no response

	cancelled bool
	row       int
	waits     []exchange.Span // of the server, for its client
	gone      int64
	idle      bool // a pause before it was shortened
}

// waterfall writes a picture of the first exchanges: when each began, and when its
// response came. It needs no script.
func (s Selection) waterfall(ctx context.Context, w *bufio.Writer) error {
	bars, all, err := s.bars(ctx)
	if err != nil || len(bars) == 0 {
		return err
	}
	total := shorten(bars)
	more := ""
	if left := all - len(bars); left > 0 {
		more = fmt.Sprintf("; the first %d, %d more are not shown", len(bars), left)
	}
	_, _ = fmt.Fprintf(w, "<details id=\"waterfall\"><summary>Waterfall: %s%s</summary>\n", countOf(all, "call"), more) // Flush returns errors
	_, _ = w.WriteString("<p class=\"hint\">Bars on one axis of time: <b class=\"out\">server working</b>, <b class=\"err\">waiting for the client</b>, <b class=\"bad\">failed</b>. Dashed lines: idle time over 5 s, shortened.</p>\n")
	_, _ = fmt.Fprintf(w, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"waterfall of the calls\">\n", pictureWide, len(bars)*barHeight)
	for i := range bars {
		bars[i].write(w, i*barHeight, bars[0].from, total)
	}
	_, err = w.WriteString("</svg></details>\n")
	return err
}

// bars returns the first exchanges of the selection, and the number of all.
func (s Selection) bars(ctx context.Context) (bars []bar, all int, err error) {
	var last int64
	times := exchange.NewTable(s.Source)
	buf := make([]byte, 0, summary.Limit+1<<10)
	for number, row := range session.RowsFrom(s.Source, 0) {
		if ctx.Err() != nil {
			return nil, 0, context.Cause(ctx)
		}
		last = max(last, row.T)
		if row.Msg != framing.Request || s.Include != nil && !s.Include(number, row) {
			continue
		}
		if all++; len(bars) < maxBars {
			bars = append(bars, s.bar(number, row, buf))
		}
	}
	if err := times.Follow(ctx, s.Source.Len()-1); err != nil {
		return nil, 0, err
	}
	for i := range bars {
		b := &bars[i]
		if at, ok := times.GivenUp(b.row); ok {
			b.to = max(at, b.from)
		} else if b.open {
			b.to = max(last, b.from)
		}
		b.waits = times.Waits(b.row, s.Source.Len()-1)
	}
	return bars, all, nil
}

// bar returns the bar of the request at a row.
func (s Selection) bar(number int, row session.Row, buf []byte) bar {
	method := s.Source.Method(row.Method)
	b := bar{row: number, name: method, from: row.T, to: row.T, class: "out"}
	if e, err := session.EntryInto(s.Source, row, summary.Limit, buf); err == nil {
		if call := summary.Call(method, e.Payload); call != "" {
			b.name += " " + call
		}
	}
	b.name = wording.Visible(wording.Clip(b.name, maxBarName, wording.Ellipsis))
	response, answered := s.partner(row)
	switch {
	case answered:
		b.to = max(response.T, row.T)
	case row.State == session.ReqPending:
		b.open = true
	}
	b.cancelled = row.State == session.ReqCancelled
	if row.Kind == session.KindStdout {
		b.class = "err"
	}
	if row.State == session.ReqLost || row.State == session.ReqTimedOut || answered && isError(response) {
		b.class = "bad"
	}
	return b
}

// shorten finds the pauses to shorten, and returns the time that is left.
func shorten(bars []bar) int64 {
	end, gone := bars[0].from, int64(0)
	for i := range bars {
		b := &bars[i]
		if pause := b.from - end; pause > idleFrom {
			gone += pause - idleLeft
			b.idle = true
		}
		b.gone, end = gone, max(end, b.to)
	}
	return max(end-gone-bars[0].from, 1)
}

// write writes the bar with its name and its time.
func (b *bar) write(w *bufio.Writer, y int, first, total int64) {
	at := func(t int64) float64 { return barsLeft + float64(t-b.gone-first)*barsWidth/float64(total) }
	from, to := at(b.from), at(b.to)
	times := exchange.TimesOf(exchange.Span{From: b.from, To: b.to}, b.waits)
	took, end := wording.Took(times.Server), ""
	text := took
	switch {
	case b.open:
		text, end = "no response after "+took, " ▸"
	case b.cancelled:
		text, end = "cancelled after "+took, " ⊘"
	}
	if exchange.Noticed(times.Person) {
		text += ", and " + wording.Took(times.Person) + " waiting for the client"
	}
	name := html.EscapeString(b.name)
	if b.idle {
		_, _ = fmt.Fprintf(w, "<line class=\"idle\" x1=\"%[1]s\" x2=\"%[1]s\" y1=\"%[2]d\" y2=\"%[3]d\"/>", decimal(from-2), y, y+barHeight) // Flush returns errors
	}
	_, _ = fmt.Fprintf(w, "<g class=\"%s\"><title>%s: %s, at %s s</title><text x=\"2\" y=\"%d\">%s</text><text class=\"r\" x=\"%d\" y=\"%d\">%s</text><rect x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\"/>",
		b.class, name, text, decimal(float64(b.from)/1e6), y+13, name, barsLeft-8, y+13, html.EscapeString(took+end), decimal(from), y+4, decimal(max(to-from, 2)), barHeight-8)
	for _, wait := range b.waits {
		if from, to := at(max(wait.From, b.from)), at(min(wait.To, b.to)); from < to {
			_, _ = fmt.Fprintf(w, "<rect class=\"err\" x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\"/>", decimal(from), y+4, decimal(to-from), barHeight-8)
		}
	}
	_, _ = w.WriteString("</g>\n")
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
