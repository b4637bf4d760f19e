package rule

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
)

const (
	longLine    = 1 << 20  // FRM09 applies to longer lines
	tooLongLine = 10 << 20 // the TypeScript SDK closes the connection
	deepLine    = 1000     // levels
)

// A stdoutRun checks the stdout of one process.
type stdoutRun struct {
	l       *Checker
	joining joining
	parts   int64 // bytes so far of a line that comes in parts
	tooLong bool  // FRM09 was reported for it
	lines   int
	firstAt int64 // of the first line

	afterGap bool     // the next line may lack its beginning
	cut      *cutLine // the last line if it has no line end; nil otherwise
}

// A cutLine is a line without a line end. It is reported once it is known that lost
// output did not truncate it.
type cutLine struct {
	at       message.Place
	severity diagnosis.Severity
	detail   string
}

func (r *stdoutRun) gap() { r.afterGap, r.cut, r.joining = true, nil, joining{} }

// judgeCut reports a line without a line end at the end of the stream.
func (r *stdoutRun) judgeCut() {
	if c := r.cut; c != nil {
		r.cut = nil
		r.l.reportAs(frm08, c.severity, c.at, c.detail)
	}
}

func (r *stdoutRun) received(at message.Place, row session.Row, e *session.Entry) {
	if r.lines++; r.lines == 1 {
		r.firstAt = row.T
	}
	r.l.outlived(at)
	part := row.Flags&session.FlagPart != 0
	if touches := r.afterGap; touches {
		if r.afterGap = part && e.More; part || !isMessage(row.Msg) {
			return
		}
	}
	if row.State == session.ReqUnread { // the index knows the id
		request, _ := row.Partner()
		r.l.run.ids.settleRow(request, at.T)
	}
	if part {
		r.l.run.lifecycle.Lost()
		r.part(at, e)
		return
	}
	r.length(at, e.FullSize)
	if e.Msg.Depth > deepLine || e.Msg.Problems&framing.ProblemTooDeep != 0 {
		r.l.report(frm15, at, fmt.Sprintf("%d levels", e.Msg.Depth))
	}
	switch {
	case e.Cut:
		r.longMessage(at, row)
	case r.joining.lines > 0 && r.join(at, e):
	case e.Msg.Kind == framing.NotJSON:
		r.notJSON(at, e)
	default:
		switch e.EOL {
		case framing.CRLF:
			r.l.report(frm04, at, "the line ends with CR LF")
		case framing.NoEOL:
			r.cut = &cutLine{at, frm08.Severity, "the line is complete but has no newline"}
		}
		r.l.line(at, true, e.Msg, e.Payload, r.l.cursor.Tested())
	}
}

func (r *stdoutRun) part(at message.Place, e *session.Entry) {
	r.parts += e.FullSize
	if !r.tooLong && (r.parts > tooLongLine || !e.More) {
		r.tooLong = r.parts > longLine
		r.length(at, r.parts)
	}
	if !e.More {
		r.parts, r.tooLong = 0, false
	}
}

func (r *stdoutRun) length(at message.Place, size int64) {
	switch {
	case size > tooLongLine:
		r.l.reportAs(frm09, diagnosis.Error, at, fmt.Sprintf("a line of %.1f MiB", float64(size)/(1<<20)))
	case size > longLine:
		r.l.report(frm09, at, fmt.Sprintf("a line of %.1f MiB", float64(size)/(1<<20)))
	}
}

// longMessage checks a line that is too long by its row alone.
func (r *stdoutRun) longMessage(at message.Place, row session.Row) {
	r.stopJoining()
	r.l.run.lifecycle.Lost()
	switch {
	case row.Msg == framing.NotJSON:
		r.l.report(frm01, at, "a long line that is not JSON")
	case row.Paired() && (row.Msg == framing.Response || row.Msg == framing.ErrorResponse || row.Msg == framing.Batch):
		request, _ := row.Partner()
		r.l.run.ids.settleRow(request, at.T)
	}
}

// notJSON reports a line that is not one JSON value, under the first rule that
// matches.
func (r *stdoutRun) notJSON(at message.Place, e *session.Entry) {
	line, p := e.Payload, e.Msg.Problems
	quoted := quote(line)
	has := func(problem framing.Problem) bool { return p&problem != 0 }
	switch {
	case has(framing.ProblemBlank):
		r.l.report(frm10, at, "a blank line")
	case has(framing.ProblemTooDeep): // FRM15 was reported
	case has(framing.ProblemHeader), has(framing.ProblemTrailing) && headerBehind(line):
		r.l.report(frm11, at, quoted)
	case has(framing.ProblemBOM):
		r.l.report(frm03, at, "before "+quote(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))))
		r.behindBOM(at, line)
	case has(framing.ProblemUTF8), has(framing.ProblemNUL):
		r.l.report(frm07, at, quoted)
	case bytes.ContainsAny(line, "\x1b\r"):
		r.l.report(frm12, at, quoted)
	case has(framing.ProblemTrailing):
		r.l.report(frm06, at, quoted)
	case e.EOL == framing.NoEOL:
		r.cut = &cutLine{at, diagnosis.Error, "the line is cut short: " + quoted}
	case has(framing.ProblemMultiline):
		r.beginJoining(at, line)
	default:
		r.l.report(frm01, at, quoted)
	}
}

// behindBOM checks the message after a byte order mark, which a client may accept.
func (r *stdoutRun) behindBOM(at message.Place, line []byte) {
	rest := line[len("\xef\xbb\xbf"):]
	if m := framing.Scan(rest); m.Valid() {
		r.l.line(at, true, m, rest, certainlyStrict(m, rest))
	}
}

// headerBehind reports whether a header follows a message on the same line, which
// happens if the message has no newline.
func headerBehind(line []byte) bool {
	i := bytes.LastIndexByte(line, '}')
	return i >= 0 && framing.Scan(line[i+1:]).Problems&framing.ProblemHeader != 0
}

func quote(line []byte) string { return `"` + excerpt(line) + `"` }

// stderrRun measures the rate of stderr.
type stderrRun struct {
	windowAt int64
	bytes    int64
	tail     [3]session.Row // the last lines, oldest first
}

const (
	stderrWindow = 1_000_000
	stderrFlood  = 256 << 10
)

func (r *stderrRun) said(l *Checker, at message.Place, row session.Row, e *session.Entry) {
	if row.Flags&session.FlagLineEnd == 0 {
		copy(r.tail[:], r.tail[1:])
		r.tail[len(r.tail)-1] = row
	}
	l.outlived(at)
	if row.T-r.windowAt >= stderrWindow {
		r.windowAt, r.bytes = row.T, 0
	}
	before := r.bytes
	r.bytes += e.FullSize
	if before <= stderrFlood && r.bytes > stderrFlood {
		l.report(frm16, at, "over 256 KiB on stderr within a second")
	}
	text := e.Payload[:min(len(e.Payload), maxStderr)]
	if e.Cut || e.More || len(text) < len(e.Payload) { // it may end inside a rune
		text = text[:wording.Whole(text)]
	}
	if !utf8.Valid(text) && row.Flags&session.FlagPart == 0 {
		l.report(frm16, at, "not UTF-8: "+quote(text))
	}
}
