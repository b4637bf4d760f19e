package diagnosis

import "slices"

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
