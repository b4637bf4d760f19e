package lint

import (
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session"
)

const (
	// A message over several lines is looked for in so many lines and bytes, and
	// for so long after its first line.
	maxJoined      = 2000
	maxJoinedBytes = MaxLine
	joinGrace      = 1_000_000
	// keptJoined is how many lines of it are told one by one if it is none.
	keptJoined = 20
)

// joining gathers lines that may be a message only together. The zero value
// gathers nothing.
type joining struct {
	at    place // of the first line
	text  []byte
	lines int
	depth int // levels open at the end of text
	kept  []keptLine
}

type keptLine struct {
	at     place
	quoted string
}

func (j *joining) due() int64 {
	if j.lines == 0 {
		return never
	}
	return j.at.t + joinGrace
}

func (j *joining) add(at place, line []byte) {
	j.text = append(append(j.text, line...), '\n')
	j.lines++
	j.depth += nesting(line)
	if len(j.kept) < keptJoined {
		j.kept = append(j.kept, keptLine{at, quote(line)})
	}
}

// beginJoining takes the first line of what may be a message over several.
func (l *Linter) beginJoining(at place, line []byte) {
	l.stopJoining()
	j := &l.run.stdout.joining
	j.at = at
	j.add(at, line)
}

// join takes another line, unless it is a message of its own: a line of which
// the whole is JSON may still be the inside of an array.
func (l *Linter) join(at place, e *session.Entry) bool {
	j := &l.run.stdout.joining
	switch {
	case isMessage(e.Msg.Kind), len(j.text)+len(e.Payload) > maxJoinedBytes, j.lines >= maxJoined:
		l.stopJoining()
		return false
	}
	if j.add(at, e.Payload); j.depth > 0 {
		return true
	}
	m := framing.Scan(j.text)
	if !m.Valid() {
		l.stopJoining()
		return true
	}
	first, text := j.at, j.text
	l.report(frm05, first, fmt.Sprintf("%s in %d lines, to entry %d", m.Kind, j.lines, at.n))
	*j = joining{}
	l.line(first, true, m, text)
	return true
}

// nesting is how many more levels a line opens than it closes. Strings do not
// go on over the end of a line.
func nesting(line []byte) int {
	depth, inside := 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case inside:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
	}
	return depth
}

// stopJoining gives up: the lines are noise, each of them.
func (l *Linter) stopJoining() {
	j := l.run.stdout.joining
	l.run.stdout.joining = joining{}
	for _, k := range j.kept {
		l.report(frm01, k.at, k.quoted)
	}
	for range j.lines - len(j.kept) {
		l.report(frm01, j.kept[len(j.kept)-1].at, "")
	}
}

func isMessage(k framing.Kind) bool {
	switch k {
	case framing.Request, framing.Notification, framing.Response, framing.ErrorResponse:
		return true
	}
	return false
}
