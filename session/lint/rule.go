package lint

import "slices"

// Severity says how bad a finding is. The zero value is Info.
type Severity uint8

// The severities.
const (
	Info    Severity = iota // worth knowing about compatibility
	Warning                 // a SHOULD is broken, or it is risky
	Error                   // a MUST is broken, or known clients or servers break
)

var severityNames = [...]string{"info", "warning", "error"}

// String returns "info", "warning" or "error".
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return "unknown"
}

// Letter returns I, W or E, for narrow places.
func (s Severity) Letter() string {
	return string("IWE?"[min(int(s), 3)])
}

// Dir says whose fault a rule is about.
type Dir uint8

// The directions.
const (
	Server  Dir = iota // what the server writes
	Client             // what the client writes: this program, or who it listens to
	Both               // either side
	Process            // how the process lives and ends
)

var dirNames = [...]string{"server", "client", "both", "process"}

// String returns "server", "client", "both" or "process".
func (d Dir) String() string {
	if int(d) < len(dirNames) {
		return dirNames[d]
	}
	return "unknown"
}

// A Rule is one thing that can be wrong. Its texts are one line each.
type Rule struct {
	ID       string
	Severity Severity // the usual one; a finding may have another, as the explanation says
	Dir      Dir
	// Revisions of the protocol in which it holds; none: in all. Where the
	// revision in use is not known, the rule is taken to hold.
	Revisions   []string
	Title       string // a few words
	Explanation string // what is wrong and what to do about it
	Reference   string // where the protocol says so
	Breaks      string // which clients or servers choke on it, and how
	once        bool   // one finding a process: the others are counted in it
}

// holds tells whether the rule holds in a revision; "" is one that is not known.
func (r *Rule) holds(revision string) bool {
	return len(r.Revisions) == 0 || revision == "" || slices.Contains(r.Revisions, revision)
}

// Rules returns all rules, in the order of their ids.
func Rules() []Rule {
	var all []Rule
	for _, family := range [][]*Rule{framingRules, rpcRules, processRules} {
		for _, r := range family {
			all = append(all, *r)
		}
	}
	return all
}
