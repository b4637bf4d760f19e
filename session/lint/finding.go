package lint

import (
	"sync"
	"unicode/utf8"
)

const (
	// maxFindings is how many findings there are of one rule and severity; what
	// is found then is counted in the last one.
	maxFindings = 100
	// maxDetail is how many bytes of a server's text a detail quotes.
	maxDetail = 120
)

// A Finding is one thing that is wrong with a session.
type Finding struct {
	Rule     *Rule
	Severity Severity
	Row      int    // of the source
	N        uint64 // number of the row's entry
	Seq      uint64 // sequence number of the entry, 0 if it has none
	T        int64  // time of the entry on the log's clock, in microseconds
	Run      uint16 // as Row.Run
	// Detail says what was found, in one line. It may hold anything that a server
	// wrote: it is to be made safe before a terminal sees it.
	Detail string
	// Count is how often it was found: more than 1 if more findings of the rule
	// were not kept one by one. Row and Detail are those of the first.
	Count int
}

// A place is where something was found.
type place struct {
	row    int
	n, seq uint64
	t      int64
	run    uint16
}

// findings keeps what was found. It may be read from any goroutine.
type findings struct {
	mu     sync.Mutex
	all    []Finding
	slots  map[slot]int // index of the last finding of a kind, and how many there are
	kept   map[slot]int
	counts [Error + 1]int
	unread int
	rows   int

	history history
	looking int  // row that is looked at
	ended   bool // no row follows
}

// A slot is what findings are limited by.
type slot struct {
	rule     *Rule
	severity Severity
	run      int // -1: all of them
}

func (f *findings) add(rule *Rule, severity Severity, at place, detail string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[severity]++
	all := slot{rule, severity, -1}
	mine := all
	if rule.once {
		mine.run = int(at.run)
	}
	last, known := f.slots[mine]
	full := f.kept[all] >= maxFindings
	switch {
	case known && (rule.once || full):
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
	f.history.add(f.looking, len(f.all))
	f.all = append(f.all, Finding{Rule: rule, Severity: severity, Row: at.row, N: at.n, Seq: at.seq, T: at.t,
		Run: at.run, Detail: detail, Count: 1})
}

// again counts one of the findings once more.
func (f *findings) again(finding int) {
	f.all[finding].Count++
	f.history.add(f.looking, finding)
}

// looksAt says which row is looked at.
func (f *findings) looksAt(row int) {
	f.mu.Lock()
	f.looking = row
	f.mu.Unlock()
}

// end says that no row follows.
func (f *findings) end() {
	f.mu.Lock()
	f.ended = true
	f.mu.Unlock()
}

// excerpt is the beginning of text, whole runes of it.
func excerpt(text []byte) string {
	if len(text) <= maxDetail {
		return string(text)
	}
	end := maxDetail
	for end > maxDetail-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return string(text[:end]) + "…"
}

// looked notes how many rows were looked at.
func (f *findings) looked(rows int) {
	f.mu.Lock()
	f.rows = rows
	f.mu.Unlock()
}

func (f *findings) countUnread() {
	f.mu.Lock()
	f.unread++
	f.mu.Unlock()
}
