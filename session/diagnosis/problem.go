package diagnosis

import "strings"

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
	// violates the rule again, or if further problems of the rule were not kept. Row and
	// Detail are those of the first.
	Count int
}

// Fingerprint identifies the problem across sessions with the same server: the rule
// and where it is violated, without the times, ids and texts of one session.
func (p *Problem) Fingerprint() string {
	return strings.TrimRight(strings.Join([]string{p.Rule.ID, p.Where.Method, p.Where.Name, p.Where.Pointer}, " "), " ")
}
