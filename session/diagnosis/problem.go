package diagnosis

import (
	"fmt"
	"strings"
)

// A Problem is one problem of a session.
type Problem struct {
	Rule     *Rule
	Severity Severity
	Row      int      // of the source
	N        uint64   // number of the row's entry
	Seq      uint64   // sequence number of the entry, 0 if it has none
	T        int64    // time of the entry on the log's clock, in microseconds
	Run      uint16   // as Row.Run
	Where    Location // in the contents of the message; zero for a whole line
	// Detail describes the problem in one line. It may quote the server: sanitize it
	// before writing it to a terminal.
	Detail string
	// Count is the number of occurrences: more than 1 if the same place in the contents
	// violates the rule again with the same detail, or if further problems of the rule were
	// not kept. Row, Detail and Where.At are those of the first.
	Count int
	// Various is set if not all occurrences have this detail, or the same item of an array
	// or a dictionary: only so many problems of one place, and of one rule, are kept.
	Various bool
	// AtEnd is set if it was found because the process had ended.
	AtEnd bool
}

// Times formats the number of occurrences, such as "3 times"; "" for one.
func (p *Problem) Times() string { return Times(p.Count, p.Various) }

// Times formats the number of occurrences of a problem; "" for one. various is as in
// Problem.
func Times(count int, various bool) string {
	switch {
	case count <= 1:
		return ""
	case various:
		return fmt.Sprintf("%d times, not all alike", count)
	}
	return fmt.Sprintf("%d times", count)
}

// Fingerprint identifies the problem across sessions with the same server: the rule
// and where it is violated, without the times, ids and texts of one session.
func (p *Problem) Fingerprint() string {
	return strings.TrimRight(strings.Join([]string{p.Rule.ID, p.Where.Method, p.Where.Name, p.Where.Pointer}, " "), " ")
}
