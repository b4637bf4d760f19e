// Package logs prints the log of a session or of a recording: a line of text per entry,
// or the recorded lines. It follows a live session, selects entries by filter, number and
// time, checks a recording while its rows are read, and shows the progress of a command.
package logs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/summary"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/termsafe"
)

const (
	// in bytes
	plainPayload = 2000
	// rowsAtOnce is how many rows are filtered at once, and searchedAtOnce up to how many if
	// their messages are searched for a text: enough for all processors.
	rowsAtOnce, searchedAtOnce = 256, 16 << 10
	// plainDecoded is how many bytes are read: the id of a message is only found in a
	// whole one.
	plainDecoded = 64 << 10
)

// A Writer writes rows of a source as lines.
type Writer struct {
	Source  session.Source
	Out     *bufio.Writer
	Print   func(number int, row session.Row) error // writes one row to w
	Shown   *filter.Matcher                         // selects the rows to write, on another goroutine than Print
	Among   Span                                    // the part of the source to write, likewise
	Name    string                                  // begins each line of text, with a colon, if not empty
	Written int                                     // rows so far
	ByLine  bool                                    // of a line of stdout in parts only the first one selected is written
	next    int
	stop    int      // the first row not to write; 0: no limit
	chunks  [2]chunk // the one being written, and the next
	rounds  rounds
	times   *exchange.Table    // of Source
	calls   *Calls             // of Source
	parts   *session.LineParts // of Source
	begun   int                // row of the first part of the line that was written last
	line    []byte
	entry   []byte // buffer for reading
}

// NewWriter writes recorded lines, or plain text.
func NewWriter(src session.Source, w io.Writer, json bool) *Writer {
	var all *filter.Filter
	l := &Writer{
		Source: src, Out: bufio.NewWriterSize(w, 64<<10), Shown: all.Matcher(src), times: exchange.NewTable(src), calls: NewCalls(src), parts: session.NewLineParts(src), begun: -1, ByLine: !json,
		entry: make([]byte, 0, plainDecoded+4<<10),
	}
	l.Print = l.plainLine
	if json {
		l.Print = l.recordLine
	}
	return l
}

// follow also writes new rows until stop is closed and those up to then are written. It
// returns the writer's first error.
func (l *Writer) follow(stop <-chan struct{}) error {
	for {
		changed := l.Source.Changed()
		if err := l.write(context.Background()); err != nil {
			return err
		}
		select {
		case <-changed:
		case <-stop:
			return l.write(context.Background())
		}
	}
}

// A chunk is some rows that are filtered at once.
type chunk struct {
	rows     []session.Row
	verdicts []filter.Verdict // Yes or No
}

// write writes existing rows, until ctx is done. While it writes some, the next ones are
// being filtered.
func (l *Writer) write(ctx context.Context) error {
	now, then := &l.chunks[0], &l.chunks[1]
	l.filter(now, l.next, rowsAtOnce)
	for len(now.rows) > 0 {
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), l.Out.Flush())
		}
		var filtering sync.WaitGroup
		filtering.Go(func() { l.filter(then, l.next+len(now.rows), 2*len(now.rows)) })
		err := l.writeChunk(now)
		filtering.Wait()
		if err != nil {
			return err
		}
		l.next += len(now.rows)
		now, then = then, now
	}
	return l.Out.Flush()
}

// filter fills a chunk with the rows from a number on, about as many as wanted.
func (l *Writer) filter(c *chunk, from, wanted int) {
	most := rowsAtOnce
	if l.Shown.Searches() {
		most = searchedAtOnce
	}
	if wanted = max(rowsAtOnce, min(wanted, most)); len(c.verdicts) < wanted {
		c.rows, c.verdicts = make([]session.Row, wanted), make([]filter.Verdict, wanted)
	}
	c.rows = c.rows[:wanted]
	n := l.Source.Rows(from, c.rows)
	if l.stop > 0 {
		n = min(n, l.stop-from)
	}
	if n > 0 && l.Among.over(from, c.rows[0]) {
		n = 0
	}
	c.rows = c.rows[:max(n, 0)]
	l.Shown.Rows(from, c.rows, c.verdicts)
	for i, row := range c.rows {
		switch v := &c.verdicts[i]; {
		case *v == filter.No:
		case !l.Among.Has(from+i, row), *v == filter.Unread && !l.Shown.Read(from+i, row):
			*v = filter.No
		default:
			*v = filter.Yes
		}
	}
}

func (l *Writer) writeChunk(c *chunk) error {
	for i, row := range c.rows {
		number := l.next + i
		l.rounds.see(l.Source, number, row)
		if c.verdicts[i] == filter.No || l.ByLine && !l.begins(number, row) {
			continue
		}
		l.Written++
		if err := l.Print(number, row); err != nil {
			return err
		}
	}
	return nil
}

// begins reports whether no part of the line of a row was written.
func (l *Writer) begins(number int, row session.Row) bool {
	part, ok := l.parts.Of(number, row)
	if ok && part.First == l.begun {
		return false
	}
	if ok {
		l.begun = part.First
	}
	return true
}

// Part returns which part of a line a row is, or "".
func (l *Writer) Part(number int, row session.Row) string {
	if part, ok := l.parts.Of(number, row); ok {
		return part.String()
	}
	return ""
}

func (l *Writer) recordLine(_ int, row session.Row) error {
	chunk := l.entry[:cap(l.entry)]
	for off := int64(0); off < int64(row.Len); {
		n, err := l.Source.ReadLine(row, chunk[:min(int64(len(chunk)), int64(row.Len)-off)], off)
		if n == 0 {
			return fmt.Errorf("read the log: %w", err)
		}
		if _, err := l.Out.Write(chunk[:n]); err != nil {
			return err
		}
		off += int64(n)
	}
	return nil
}

// plainLine writes number, time, sequence number, direction and text of an entry, in
// stable columns; the server's text is sanitized.
func (l *Writer) plainLine(number int, row session.Row) error {
	e, err := session.EntryInto(l.Source, row, plainDecoded, l.entry)
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	id, said := "", ""
	if isMessage(row) {
		id = IDOf(l.Source, row, &e)
		_, _, called := l.calls.Of(row)
		said = wording.Join("  ", called, summary.Message(row.Msg, l.Source.Method(row.Method), e.Payload, e.FullSize))
	}
	if len(e.Payload) > plainPayload {
		e.Payload, e.Cut = e.Payload[:plainPayload], true
	}
	b := l.line[:0]
	if l.Name != "" {
		b = append(termsafe.AppendAll(b, l.Name), ':')
	}
	b = appendRight(b, strconv.AppendUint(nil, e.N, 10), 6)
	b = appendRight(b, fmt.Appendf(nil, "%.6f", float64(e.T)/1e6), 13)
	if e.Seq > 0 {
		b = appendRight(b, strconv.AppendUint(nil, e.Seq, 10), 8)
	} else {
		b = appendRight(b, []byte("-"), 8)
	}
	b = append(b, ' ', ' ', Mark(row), ' ')
	b = append(b, fmt.Sprintf("%-8s ", row.Kind)...)
	if isMessage(row) {
		b = l.appendMessage(b, number, row, &e, id, said)
	} else if row.Flags&session.FlagLineEnd != 0 {
		b = append(b, "(end of the line before)"...)
	} else {
		b = termsafe.AppendAll(b, session.Describe(&e))
		if e.Cut {
			b = fmt.Appendf(b, " … (%d bytes)", e.FullSize)
		}
	}
	if part := l.Part(number, row); part != "" {
		b = append(append(append(b, " ("...), part...), ')')
	}
	b = append(b, '\n')
	l.line = b
	_, err = l.Out.Write(b)
	return err
}

func isMessage(row session.Row) bool {
	return (row.Kind == session.KindStdin || row.Kind == session.KindStdout) && row.Msg != framing.NotJSON
}

// Mark returns the sign of a row: > sent, < received, ~ server request, x error, ? not a message, | stderr.
func Mark(row session.Row) byte {
	switch {
	case row.Flags&session.FlagError != 0 && row.Flags&session.FlagProbe == 0:
		return 'x'
	case row.Kind == session.KindStdin:
		return '>'
	case row.Kind == session.KindStdout && (row.Msg == framing.NotJSON || row.Msg == framing.Other):
		return '?'
	case row.Kind == session.KindStdout && row.Msg == framing.Request:
		return '~'
	case row.Kind == session.KindStdout:
		return '<'
	case row.Kind == session.KindStderr:
		return '|'
	default:
		return '*'
	}
}

// Kind, method, id, latency, size, summary, payload.
func (l *Writer) appendMessage(b []byte, number int, row session.Row, e *session.Entry, id, said string) []byte {
	b = append(b, fmt.Sprintf("%-14s", row.Msg)...)
	if method := l.Source.Method(row.Method); method != "" && row.Msg != framing.Batch {
		b = append(b, ' ')
		b = termsafe.AppendAll(b, method)
	}
	if id != "" {
		b = append(b, " id="...)
		b = termsafe.AppendAll(b, id)
	}
	b = l.appendLatency(b, number, row)
	if mark := l.rounds.mark(number, row); mark != "" {
		b = append(append(b, ' '), mark...)
	}
	if row.State == session.ReqUnmatched || row.State == session.ReqDuplicate {
		b = append(b, ' ')
		b = append(b, row.State.String()...)
	}
	b = fmt.Appendf(b, " %dB ", e.FullSize)
	if said != "" {
		b = append(termsafe.AppendAll(b, said), "  "...)
	}
	b = termsafe.AppendAll(b, string(e.Payload))
	if e.Cut {
		b = append(b, " …"...)
	}
	return b
}

// appendLatency appends how long the server took for a response, and for how long it
// waited for its client; of a response to the server the time since its request.
func (l *Writer) appendLatency(b []byte, number int, row session.Row) []byte {
	at, _ := row.Partner()
	request, ok := session.RowAt(l.Source, at)
	if !ok || at >= number {
		return b
	}
	whole := exchange.Span{From: request.T, To: row.T}
	took, waited := l.times.Between(at, number, whole).Answering(request.Kind)
	b = wording.AppendTook(append(b, ' '), took)
	if exchange.Noticed(waited) {
		b = fmt.Appendf(b, " (you %s)", wording.Took(waited))
	}
	return b
}

func appendRight(b, text []byte, width int) []byte {
	for range width - len(text) {
		b = append(b, ' ')
	}
	return append(b, text...)
}
