package compare

import (
	"strconv"

	"mcpdbg/recordings/match"
)

// A progress is what was told of one request before its answer.
type progress struct {
	count int
	falls bool // it went back, or was no number
	last  float64
}

func (p *progress) add(value []byte) {
	v, err := strconv.ParseFloat(string(value), 64)
	if err != nil || p.count > 0 && v < p.last {
		p.falls = true
	}
	p.last = v
	p.count++
}

// progress compares what was told of progress: whether there was any, whether
// it ever fell, and where it ended. How often it was told does not matter.
func (c *comparer) progress(a, b *progress) {
	says := func(p *progress) string {
		switch {
		case p == nil:
			return "none"
		case p.falls:
			return "not rising"
		}
		return "up to " + strconv.FormatFloat(p.last, 'g', -1, 64)
	}
	if x, y := says(a), says(b); x != y {
		c.report(Difference{Class: ClassProgress, Change: Changed, Pointer: "/progress"}, []byte(x), []byte(y))
	}
}

// A noteKind is what notifications of the server are counted by.
type noteKind struct{ method, level, logger string }

// maxNoteKinds is how many kinds of notification are counted apart.
const maxNoteKinds = 1 << 12

func (s *scanner) note(it *match.Item) {
	kind := noteKind{method: it.Method}
	if it.Method == methodLog {
		params := it.Msg.RawParams()
		kind.level, _ = match.Text(match.Member(params, "level"))
		kind.logger, _ = match.Text(match.Member(params, "logger"))
	}
	if _, ok := s.notes[kind]; !ok && len(s.notes) == maxNoteKinds {
		kind = noteKind{method: "(others)"}
	}
	s.notes[kind]++
}

const methodLog = "notifications/message"
