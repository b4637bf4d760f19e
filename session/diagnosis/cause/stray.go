package cause

import (
	"encoding/json"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session"
)

const (
	// maxStray is the number of stray lines that are read for each process; further
	// ones are only counted.
	maxStray = 256
	// maxJoined is how many bytes of a multi-line message are joined.
	maxJoined = 64 << 10
)

// A lineProblem is the reason why a stdout line is not a message.
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

type strays struct {
	read  int
	lines [problemCount]tally
	join  join

	inParts  bool        // the next line may be another part of one that was counted
	afterGap bool        // the next line may lack its beginning
	cut      int         // row of the last line plus 1 if it has no line end; else 0
	counted  lineProblem // the problem that line was counted as
}

func (s *strays) add(f *facts, number int, row session.Row) {
	s.cut = 0
	if row.Flags&session.FlagPart != 0 {
		if !s.inParts {
			s.lines[tooLong].add(number)
		}
		e, ok := f.entry(row, 1)
		s.inParts = ok && e.More
		return
	}
	if s.read == maxStray {
		s.lines[plainText].add(number)
		return
	}
	s.read++
	e, ok := f.entry(row, maxJoined)
	switch {
	case ok && f.Waiting.Seen && e.EOL == framing.NoEOL: // noNewline reports it
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

// gap drops the line that lost output has truncated; the next line may lack its
// beginning.
func (s *strays) gap() {
	if t := &s.lines[s.counted]; s.cut > 0 && t.last == s.cut-1 {
		*t = tally{n: t.n - 1, row: t.row}
	}
	s.afterGap, s.cut, s.join.open = true, 0, false
}

func (s *strays) interrupted() { s.join.open, s.cut = false, 0 }

// problemOf returns the problem of a line. The entry has it from when the line
// came in, unless another program wrote the log.
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

type join struct {
	open  bool
	text  []byte
	lines int // after the first line, of all such messages
	first int // number of lines of the first message, once complete
}

func (j *join) begin(number int, line []byte) {
	j.open, j.text = true, append(j.text[:0], line...)
}

// add adds a line if a message is open, and reports whether it did.
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
