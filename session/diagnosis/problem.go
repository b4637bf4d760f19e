package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
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

// A Location is where in the contents of a message a problem is. The zero value is
// the whole line. Its texts may come from the server.
type Location struct {
	Method string // of the message, or of the request that it answers
	Name   string // of the tool, prompt or resource that the problem is about
	// Pointer is a JSON Pointer (RFC 6901) into the result or params, or, if Name is
	// set, into the named item, such as /inputSchema/type. An index of an array is *,
	// so that the same problem of many elements is one problem with a count.
	Pointer string
	// At is Pointer with the indexes of arrays and the keys of dictionaries, of the first
	// such problem: /content/0/text. It is "" if Pointer has no *.
	At string
}

// Place returns the location without At: that of all problems at the same place.
func (l Location) Place() Location {
	l.At = ""
	return l
}

// String formats the location, such as "tools/list: echo /inputSchema/type".
func (l Location) String() string {
	about := strings.TrimSpace(l.Name + " " + cmp.Or(l.At, l.Pointer))
	switch {
	case l.Method == "":
		return about
	case about == "":
		return l.Method
	}
	return l.Method + ": " + about
}

// Severity is the severity of a problem or a cause. The zero value is Info.
type Severity uint8

// The severities.
const (
	Info    Severity = iota // worth knowing for compatibility
	Warning                 // violates a SHOULD, or is risky
	Error                   // violates a MUST, or breaks known clients or servers
)

var severityNames = [...]string{"info", "warning", "error"}

// String returns "info", "warning" or "error".
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return "unknown"
}

// Letter returns I, W or E, where space is short.
func (s Severity) Letter() string {
	return string("IWE?"[min(int(s), 3)])
}

// Side is the side whose behavior a rule checks.
type Side uint8

// The sides.
const (
	Server  Side = iota // what the server writes
	Client              // what the client writes: this program, or the client it records
	Both                // either side
	Process             // the lifecycle of the process
)

var sideNames = [...]string{"server", "client", "both", "process"}

// String returns "server", "client", "both" or "process".
func (s Side) String() string {
	if int(s) < len(sideNames) {
		return sideNames[s]
	}
	return "unknown"
}

// A Rule describes one kind of problem. Its texts are one line each.
type Rule struct {
	ID       string
	Severity Severity // the default; a problem may have another one, as Explanation describes
	Side     Side
	// Revisions lists the protocol revisions in which the rule applies; empty
	// means all. The rule also applies while the revision in use is not known.
	Revisions   []string
	Title       string // a few words
	Explanation string // what is wrong and what to do about it
	Reference   string // the section of the specification
	Impact      string // which clients or servers fail on it, and how
	Once        bool   // at most one problem per process, with a count
}

// Applies reports whether the rule applies in a revision; "" means unknown.
func (r *Rule) Applies(revision string) bool {
	return len(r.Revisions) == 0 || revision == "" || slices.Contains(r.Revisions, revision)
}

// A Cause is one likely cause of the problems of a session. Its texts
// may quote the server: they are untrusted, have one line and at most a few
// hundred bytes.
type Cause struct {
	ID       string // stable id, such as lsp-headers
	Severity Severity
	Text     string // what happened, with the line that shows it
	Brief    string // Text without that line; if Probable, only the inference
	Probable bool   // an inference: something else may explain the evidence as well
	Advice   string // what to do about it; may be empty
	Row      int    // of the log: the evidence; -1 if there is none
	Clock    bool   // Text contains a running time, so it changes: ask for the causes again
	Part     Part
}

// A Part is the part of a session that a cause is about: the later it is, the less can the
// cause explain calls that failed.
type Part uint8

// The parts.
const (
	PartProcess  Part = iota // it did not start, or ended, or the handshake failed
	PartResponse             // calls have no response
	PartRest                 // the session continued
)
