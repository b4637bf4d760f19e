package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/filter"
	"mcpdbg/ui/termsafe"
)

const (
	// plainPayload is how many bytes of a payload a plain line shows.
	plainPayload = 2000
	// plainDecoded is how many are read: the id of a message is found only in
	// one that was read whole.
	plainDecoded = 64 << 10
)

// lineWriter writes rows of a source as lines.
type lineWriter struct {
	src   session.Source
	w     *bufio.Writer
	print func(number int, row session.Row) error // writes one row to w
	shown *filter.Matcher                         // decides what is written
	among span                                    // and of what
	next  int
	stop  int // no row from this number on is written; 0: all are
	rows  []session.Row
	say   []filter.Verdict // of rows
	line  []byte
	entry []byte // memory for what is read
}

// newLineWriter writes lines of the recording, or plain text.
func newLineWriter(src session.Source, w io.Writer, json bool) *lineWriter {
	var all *filter.Filter
	l := &lineWriter{
		src: src, w: bufio.NewWriterSize(w, 64<<10), shown: all.Over(src), rows: make([]session.Row, 256), say: make([]filter.Verdict, 256),
		entry: make([]byte, 0, plainDecoded+4<<10),
	}
	l.print = l.plainLine
	if json {
		l.print = l.recordLine
	}
	return l
}

// follow writes what is there and what is added, until stop is closed and all
// that was there by then is written. It returns the first error of the writer.
func (l *lineWriter) follow(stop <-chan struct{}) error {
	for {
		changed := l.src.Changed()
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

// write writes all rows that are there, and are to be shown, or as many until
// ctx is over.
func (l *lineWriter) write(ctx context.Context) error {
	for {
		n := l.src.Rows(l.next, l.rows)
		if l.stop > 0 {
			n = min(n, l.stop-l.next)
		}
		if n <= 0 || l.among.over(l.next, l.rows[0]) {
			return l.w.Flush()
		}
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), l.w.Flush())
		}
		l.shown.Rows(l.next, l.rows[:n], l.say[:n])
		for i, row := range l.rows[:n] {
			if !l.shows(l.next+i, row, l.say[i]) {
				continue
			}
			if err := l.print(l.next+i, row); err != nil {
				return err
			}
		}
		l.next += n
	}
}

// shows tells whether a row is to be written, of which the filter says this.
func (l *lineWriter) shows(number int, row session.Row, v filter.Verdict) bool {
	return v != filter.No && l.among.has(number, row) && (v == filter.Yes || l.shown.Read(number, row))
}

// recordLine writes the entry's line as the recording has it.
func (l *lineWriter) recordLine(_ int, row session.Row) error {
	chunk := l.entry[:cap(l.entry)]
	for off := int64(0); off < int64(row.Len); {
		n, err := l.src.ReadLine(row, chunk[:min(int64(len(chunk)), int64(row.Len)-off)], off)
		if n == 0 {
			return fmt.Errorf("read the log: %w", err)
		}
		if _, err := l.w.Write(chunk[:n]); err != nil {
			return err
		}
		off += int64(n)
	}
	return nil
}

// plainLine writes number, time, sequence number, direction and text of one
// entry. Columns are stable; the text is the server's and made safe.
func (l *lineWriter) plainLine(number int, row session.Row) error {
	e, err := session.EntryInto(l.src, row, plainDecoded, l.entry)
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	id := string(e.Msg.ID.Of(e.Payload))
	if len(e.Payload) > plainPayload {
		e.Payload, e.Cut = e.Payload[:plainPayload], true
	}
	b := l.line[:0]
	b = appendRight(b, strconv.AppendUint(nil, e.N, 10), 6)
	b = appendRight(b, fmt.Appendf(nil, "%.6f", float64(e.T)/1e6), 13)
	if e.Seq > 0 {
		b = appendRight(b, strconv.AppendUint(nil, e.Seq, 10), 8)
	} else {
		b = appendRight(b, []byte("-"), 8)
	}
	b = append(b, ' ', ' ', mark(row), ' ')
	b = append(b, fmt.Sprintf("%-8s ", row.Kind)...)
	if isMessage(row) {
		b = l.appendMessage(b, number, row, &e, id)
	} else if row.Flags&session.FlagLineEnd != 0 {
		b = append(b, "(end of the line before)"...)
	} else {
		b = safe(b, session.Describe(&e))
		if e.Cut {
			b = fmt.Appendf(b, " … (%d bytes)", e.FullSize)
		}
	}
	b = append(b, '\n')
	l.line = b
	_, err = l.w.Write(b)
	return err
}

func isMessage(row session.Row) bool {
	return (row.Kind == session.KindStdin || row.Kind == session.KindStdout) && row.Msg != framing.NotJSON
}

// mark says at a glance what a row is: > sent, < received, ~ a request of the
// server, x an error, ? not a message, | stderr.
func mark(row session.Row) byte {
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

// appendMessage appends kind, method, id, latency, size and the payload.
func (l *lineWriter) appendMessage(b []byte, number int, row session.Row, e *session.Entry, id string) []byte {
	b = append(b, fmt.Sprintf("%-14s", row.Msg)...)
	if method := l.src.Method(row.Method); method != "" {
		b = append(b, ' ')
		b = safe(b, method)
	}
	if id != "" {
		b = append(b, " id="...)
		b = safe(b, id)
	}
	if took, ok := l.latency(number, row); ok {
		b = append(b, ' ')
		b = append(b, took.String()...)
	}
	if row.State == session.ReqOrphan || row.State == session.ReqDuplicate {
		b = append(b, ' ')
		b = append(b, row.State.String()...)
	}
	b = fmt.Appendf(b, " %dB ", e.FullSize)
	b = safe(b, string(e.Payload))
	if e.Cut {
		b = append(b, " …"...)
	}
	return b
}

// latency is how long the request of a response took.
func (l *lineWriter) latency(number int, row session.Row) (time.Duration, bool) {
	if row.Pair == 0 || int(row.Pair-1) >= number {
		return 0, false
	}
	var request [1]session.Row
	if l.src.Rows(int(row.Pair-1), request[:]) == 0 {
		return 0, false
	}
	return time.Duration(row.T-request[0].T) * time.Microsecond, true
}

func appendRight(b, text []byte, width int) []byte {
	for range width - len(text) {
		b = append(b, ' ')
	}
	return append(b, text...)
}

// safe appends untrusted text as one line.
func safe(b []byte, text string) []byte {
	b, _, _ = termsafe.AppendString(b, text, termsafe.Unlimited, termsafe.Options{})
	return b
}
