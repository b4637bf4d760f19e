package verdict

import (
	"encoding/json"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session"
)

const (
	// maxStray is how many lines without a message are read of one process; of
	// further ones only the number is known.
	maxStray = 256
	// maxJoined is how much of a message over several lines is put together.
	maxJoined = 64 << 10
)

// A lineProblem is what a line of stdout has that keeps it from being a message.
type lineProblem uint8

const (
	plainText lineProblem = iota
	header
	multiline
	tooLong
	tooDeep
	byteOrderMark
	notUTF8
	nul
	problemCount
)

// problemOrder says which problem a line with several is counted for.
var problemOrder = []struct {
	bit     framing.Problem
	problem lineProblem
}{
	{framing.ProblemHeader, header},
	{framing.ProblemTooLong, tooLong},
	{framing.ProblemTooDeep, tooDeep},
	{framing.ProblemBOM, byteOrderMark},
	{framing.ProblemUTF8, notUTF8},
	{framing.ProblemNUL, nul},
	{framing.ProblemMultiline, multiline},
}

// strays are the stdout lines that are no messages.
type strays struct {
	read  int
	lines [problemCount]tally
	join  join

	afterGap bool        // the next line may have lost its beginning
	cut      int         // the row, from 1, of the last line if that has no end; else 0
	counted  lineProblem // what that was counted for
}

func (s *strays) add(f *facts, number int, row session.Row) {
	s.cut = 0
	if row.Flags&session.FlagPart != 0 {
		s.lines[tooLong].add(number)
		return
	}
	if s.read == maxStray {
		s.lines[plainText].add(number)
		return
	}
	s.read++
	e, ok := f.entry(row, maxJoined)
	switch {
	case ok && f.waiting.seen && e.EOL == framing.NoEOL: // its bytes are told of
	case ok && s.join.add(number, e.Payload):
	default:
		problem := problemOf(e)
		if problem == multiline {
			s.join.begin(number, e.Payload)
		}
		s.lines[problem].add(number)
		if e.EOL == framing.NoEOL {
			s.cut, s.counted = number+1, problem
		}
	}
}

// gap forgets the line that lost output has cut: nothing is known of its end. Nor
// is the beginning known of the line that follows.
func (s *strays) gap() {
	if t := &s.lines[s.counted]; s.cut > 0 && t.last == s.cut-1 {
		*t = tally{n: t.n - 1, row: t.row}
	}
	s.afterGap, s.cut, s.join.open = true, 0, false
}

// interrupted takes note of a message: what was open before it ended there.
func (s *strays) interrupted() { s.join.open, s.cut = false, 0 }

// problemOf says what is wrong with a line. What it is was found when it came
// in, and stands in the entry; a log of another program may not say it.
func problemOf(e session.Entry) lineProblem {
	why := e.Why
	if why == "" && !e.Cut {
		why = framing.Scan(e.Payload).Problems.String()
	}
	why = "," + why + ","
	for _, p := range problemOrder {
		if strings.Contains(why, ","+p.bit.String()+",") {
			return p.problem
		}
	}
	return plainText
}

// A join puts the lines of one message together that was printed over several.
type join struct {
	open  bool
	text  []byte
	lines int // behind the first one, of all such messages
	first int // of the first message, when that is whole
}

func (j *join) begin(number int, line []byte) {
	j.open, j.text = true, append(j.text[:0], line...)
}

// add takes a line that may belong to the open message.
func (j *join) add(number int, line []byte) bool {
	if !j.open {
		return false
	}
	j.lines++
	if len(j.text)+len(line) > maxJoined {
		j.open, j.text = false, nil
		return true
	}
	j.text = append(append(j.text, '\n'), line...)
	if json.Valid(j.text) {
		j.open = false
		if j.first == 0 {
			j.first = j.lines + 1
		}
	}
	return true
}
