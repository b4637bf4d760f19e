package rule

import (
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis/message"
)

const (
	// Limits for joining the lines of a message: lines, bytes, and microseconds after
	// the first line.
	maxJoined      = 2000
	maxJoinedBytes = maxLine
	joinGrace      = 1_000_000
	// keptJoined is how many lines are reported one by one if they are not a message.
	keptJoined = 20
)

// joining collects lines that may form a message together. The zero value is
// inactive.
type joining struct {
	at    message.Place // of the first line
	text  []byte
	lines int
	depth int // levels open at the end of text
	kept  []keptLine
}

type keptLine struct {
	at     message.Place
	quoted string
}

func (j *joining) due() int64 {
	if j.lines == 0 {
		return never
	}
	return j.at.T + joinGrace
}

func (j *joining) add(at message.Place, line []byte) {
	j.text = append(append(j.text, line...), '\n')
	j.lines++
	j.depth += nesting(line)
	if len(j.kept) < keptJoined {
		j.kept = append(j.kept, keptLine{at, quote(line)})
	}
}

func (r *stdoutRun) beginJoining(at message.Place, line []byte) {
	r.stopJoining()
	j := &r.joining
	j.at = at
	j.add(at, line)
}

// join reports whether it added a line. One that is a message by itself ends the joining;
// other valid JSON may be an element of an array.
func (r *stdoutRun) join(at message.Place, e *session.Entry) bool {
	j := &r.joining
	switch {
	case isMessage(e.Msg.Kind), len(j.text)+len(e.Payload) > maxJoinedBytes, j.lines >= maxJoined:
		r.stopJoining()
		return false
	}
	if j.add(at, e.Payload); j.depth > 0 {
		return true
	}
	m := framing.Scan(j.text)
	if !m.Valid() {
		r.stopJoining()
		return true
	}
	first, text := j.at, j.text
	r.l.report(frm05, first, fmt.Sprintf("%s in %d lines, to entry %d", m.Kind, j.lines, at.N))
	*j = joining{}
	r.l.line(first, true, m, text, certainlyStrict(m, text))
	return true
}

// nesting returns how many more levels a line opens than it closes. Strings do not
// continue past the end of a line.
func nesting(line []byte) int {
	depth := 0
	c := framing.Cursor{Data: line}
	for token := range c.Tokens() {
		switch token[0] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
	}
	return depth
}

func (r *stdoutRun) stopJoining() {
	j := r.joining
	r.joining = joining{}
	for _, k := range j.kept {
		r.l.report(frm01, k.at, k.quoted)
	}
	for range j.lines - len(j.kept) {
		r.l.report(frm01, j.kept[len(j.kept)-1].at, "")
	}
}

func isMessage(k framing.Kind) bool {
	switch k {
	case framing.Request, framing.Notification, framing.Response, framing.ErrorResponse:
		return true
	}
	return false
}
