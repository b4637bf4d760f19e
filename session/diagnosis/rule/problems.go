package rule

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
)

const (
	// maxProblems limits the problems of one rule and severity; the last one counts
	// the rest.
	maxProblems = 100
	// MaxDetails is how many problems of one rule and severity are kept of one place in the
	// contents, each with another detail; the last one counts the rest.
	MaxDetails = 5
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
	slots  map[slot]slotted
	counts [diagnosis.Error + 1]int
	unread int
	rows   int

	revision string // unknown, "" if all are known
	limited  bool   // a limit on the state was reached
	unended  string // why it is unknown how a process ended, or ""
	// resultless is set for an import whose results are placeholders.
	resultless bool
	unchecked

	history history
	current int  // row that is being checked
	ended   bool // no more rows follow
}

// A slot groups the problems that share a limit, or that are one problem.
type slot struct {
	rule     *diagnosis.Rule
	severity diagnosis.Severity
	run      int                // -1 for all
	where    diagnosis.Location // the place in the contents, if that makes them one problem
	detail   string             // likewise
}

type slotted struct{ last, count int } // index of the last problem, number of problems

func (f *problems) add(rule *diagnosis.Rule, severity diagnosis.Severity, at message.Place, where diagnosis.Location, detail string, atEnd bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[severity]++
	all := slot{rule: rule, severity: severity, run: -1}
	place := all
	place.where = where.Place()
	if rule.Once {
		place.run = int(at.Run)
	}
	one := place
	located := place.where != (diagnosis.Location{})
	if located && !rule.Once {
		one.detail = detail
	}
	same, known := f.slots[one]
	full := f.slots[all].count >= maxProblems
	switch {
	case known && (located || rule.Once):
		f.again(same.last, where, detail)
		return
	case located && f.slots[place].count > 0 && (full || f.slots[place].count >= MaxDetails):
		f.again(f.slots[place].last, where, detail)
		return
	case full:
		f.again(f.slots[all].last, where, detail)
		return
	}
	f.note(one, place, all)
	f.history.add(f.current, len(f.all), false)
	f.all = append(f.all, diagnosis.Problem{Rule: rule, Severity: severity, Row: at.Row, N: at.N, Seq: at.Seq, T: at.T,
		Run: at.Run, Where: where, Detail: detail, Count: 1, AtEnd: atEnd})
}

// note counts the next problem in its slots, some of which may be the same.
func (f *problems) note(slots ...slot) {
	if f.slots == nil {
		f.slots = make(map[slot]slotted)
	}
	for i, s := range slots {
		if !slices.Contains(slots[:i], s) {
			f.slots[s] = slotted{len(f.all), f.slots[s].count + 1}
		}
	}
}

func (f *problems) again(problem int, where diagnosis.Location, detail string) {
	p := &f.all[problem]
	p.Count++
	various := p.Where != where || p.Detail != detail
	p.Various = p.Various || various
	f.history.add(f.current, problem, various)
}

func (f *problems) setCurrent(row int) {
	f.mu.Lock()
	f.current = row
	f.mu.Unlock()
}

func (f *problems) end() {
	f.mu.Lock()
	f.ended = true
	f.mu.Unlock()
}

func excerpt(text []byte) string { return message.Excerpt(text) }

// unknownRevision notes a revision whose contents are not checked. Its name is shown if
// it looks like one.
func (f *problems) unknownRevision(name string) {
	if name = "revision " + name; !revisionName().MatchString(name) {
		name = "a revision of another form"
	}
	f.mu.Lock()
	f.revision = name
	f.mu.Unlock()
}

// noteGaps notes whether all state could be kept, and the results that were skipped so
// far.
func (f *problems) noteGaps(limited bool, so unchecked) {
	f.mu.Lock()
	f.limited = f.limited || limited
	f.unchecked = so
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
		gaps = append(gaps, wording.PluralOf(f.skipped, "schema or value", "schemas and values")+" not checked")
	}
	if f.unlisted > 0 {
		gaps = append(gaps, wording.Plural(f.unlisted, "result")+" not checked, as the list of tools is out of date")
	}
	if f.resultless {
		gaps = append(gaps, "no results checked, as the source has none")
	}
	if f.unended != "" {
		gaps = append(gaps, unknownEnds+": "+f.unended)
	}
	if f.unread > 0 {
		gaps = append(gaps, wording.Plural(f.unread, "entry")+" not read")
	}
	return gaps
}

// unknownEnd notes that it is unknown how a process ended.
func (f *problems) unknownEnd(why string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unended = cmp.Or(f.unended, why)
}

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
