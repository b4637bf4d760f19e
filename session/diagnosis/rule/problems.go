package rule

import (
	"regexp"
	"strings"
	"sync"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
)

const (
	// maxProblems limits the problems of one rule and severity; the last one counts
	// the rest.
	maxProblems = 100
	// maxDetail is how many bytes of a server's text a detail quotes.
	maxDetail = message.MaxExcerpt
)

// revisionName matches names like those of revisions, such as 2026-07-28 or DRAFT-2026-v1.
var revisionName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^revision [0-9A-Za-z][0-9A-Za-z.-]{0,31}$`)
})

// problems stores what was found. It may be read from any goroutine.
type problems struct {
	mu     sync.Mutex
	all    []diagnosis.Problem
	slots  map[slot]int // index of the last problem
	kept   map[slot]int // number of problems
	counts [diagnosis.Error + 1]int
	unread int
	rows   int

	revision string // unknown, "" if all are known
	limited  bool   // a limit on the state was reached
	skipped  int    // schemas and values that were not checked

	history history
	current int  // row that is being checked
	ended   bool // no more rows follow
}

// A slot groups the problems that share a limit, or that are one problem.
type slot struct {
	rule     *diagnosis.Rule
	severity diagnosis.Severity
	run      int                // -1 for all
	where    diagnosis.Location // in the contents, if that makes them one problem
}

func (f *problems) add(rule *diagnosis.Rule, severity diagnosis.Severity, at message.Place, where diagnosis.Location, detail string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[severity]++
	all := slot{rule: rule, severity: severity, run: -1}
	mine := all
	mine.where = where
	if rule.Once {
		mine.run = int(at.Run)
	}
	last, known := f.slots[mine]
	full := f.kept[all] >= maxProblems
	switch {
	case known && (rule.Once || full || where != (diagnosis.Location{})):
		f.again(last)
		return
	case full:
		f.again(f.slots[all])
		return
	}
	if f.slots == nil {
		f.slots, f.kept = make(map[slot]int), make(map[slot]int)
	}
	f.slots[mine], f.slots[all] = len(f.all), len(f.all)
	f.kept[all]++
	f.history.add(f.current, len(f.all))
	f.all = append(f.all, diagnosis.Problem{Rule: rule, Severity: severity, Row: at.Row, N: at.N, Seq: at.Seq, T: at.T,
		Run: at.Run, Where: where, Detail: detail, Count: 1})
}

// again increments the count of a problem.
func (f *problems) again(problem int) {
	f.all[problem].Count++
	f.history.add(f.current, problem)
}

// setCurrent sets the row that is being checked.
func (f *problems) setCurrent(row int) {
	f.mu.Lock()
	f.current = row
	f.mu.Unlock()
}

// end notes that no more rows follow.
func (f *problems) end() {
	f.mu.Lock()
	f.ended = true
	f.mu.Unlock()
}

// excerpt returns the beginning of text, cut between runes.
func excerpt(text []byte) string { return message.Excerpt(text) }

// unknownRevision notes a revision whose contents are not checked. Its name is shown
// if it looks like one.
func (f *problems) unknownRevision(name string) {
	if name = "revision " + name; !revisionName().MatchString(name) {
		name = "a revision of another form"
	}
	f.mu.Lock()
	f.revision = name
	f.mu.Unlock()
}

// noteGaps notes whether not all state could be kept, and how many schemas and
// values were not checked so far.
func (f *problems) noteGaps(limited bool, skipped int) {
	f.mu.Lock()
	f.limited = f.limited || limited
	f.skipped = skipped
	f.mu.Unlock()
}

// Checked describes the checks so far, and the parts of the log without them.
func (l *Checker) Checked() string {
	gaps := l.Gaps()
	if gaps == nil {
		return Checked
	}
	return Checked + "; " + strings.Join(gaps, "; ")
}

// Gaps describes the parts of the log that were not checked, a few words each.
func (l *Checker) Gaps() []string {
	f := &l.found
	f.mu.Lock()
	defer f.mu.Unlock()
	var gaps []string
	if f.revision != "" {
		gaps = append(gaps, "contents not checked for "+f.revision)
	}
	if f.limited {
		gaps = append(gaps, "not all messages compared with earlier ones")
	}
	if f.skipped > 0 {
		gaps = append(gaps, diagnosis.Plural(f.skipped, "schema or value", "schemas and values")+" not checked")
	}
	if f.unread > 0 {
		gaps = append(gaps, diagnosis.Plural(f.unread, "entry", "entries")+" not read")
	}
	return gaps
}

// looked sets how many rows were checked.
func (f *problems) looked(rows int) {
	f.mu.Lock()
	f.rows = rows
	f.mu.Unlock()
}

func (f *problems) countUnread() {
	f.mu.Lock()
	f.unread++
	f.mu.Unlock()
}
