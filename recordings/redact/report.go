package redact

import (
	"cmp"
	"slices"
	"strings"
)

// maxItems is how many rules and places a Report tells apart.
const maxItems = 1000

// A Report says what was removed, and never what it was.
type Report struct {
	Entries int `json:"entries"` // read
	Changed int `json:"changed"` // entries that are other than they were
	Removed int `json:"removed"` // places in them, and in the header
	// Items are the places, the most frequent first, at most 1,000; what has no
	// item of its own is counted in More.
	Items []Item `json:"items,omitempty"`
	More  int    `json:"more,omitempty"`

	// What could not be copied as it was.
	LeftOut int  `json:"left_out,omitempty"` // lines that are no entries, or too long to be read
	Torn    bool `json:"torn,omitempty"`     // the last line has no end, and was left out
	Heads   int  `json:"heads,omitempty"`    // beginnings of lines that never came: emptied
	// Pieces counts lines over so many parts that they were searched in pieces
	// of 64 MiB: what stands over the end of one is not found.
	Pieces int `json:"pieces,omitempty"`

	finder *finder
}

// Text removes from a text what was removed from the recording, with the same
// letters for the same secrets: for what belongs to it. It is to be called by
// one goroutine.
func (r *Report) Text(text string) string {
	return string(apply(nil, []byte(text), r.finder.inText([]byte(text), "", 0)))
}

// An Item counts what one rule removed in one place.
type Item struct {
	Rule  string `json:"rule"`  // a key, a pointer, or the name of a pattern or value
	Place string `json:"place"` // method:/pointer, or a stream, or kind of entry /pointer
	Count int    `json:"count"`
}

// A tally counts for a report.
type tally struct {
	report *Report
	counts map[Item]int
	rules  map[string]uint64
}

func (t *tally) add(edits []edit) {
	for _, e := range edits {
		if e.rule == "" {
			continue // the rest of what is counted elsewhere
		}
		t.report.Removed++
		t.rules[group(e.rule)]++
		item := Item{Rule: e.rule, Place: e.place}
		if _, ok := t.counts[item]; !ok && len(t.counts) == maxItems {
			t.report.More++
			continue
		}
		t.counts[item]++
	}
}

// group is the name by which a header counts a rule: keys and pointers are too
// many to have names there.
func group(rule string) string {
	switch word, _, _ := strings.Cut(rule, " "); word {
	case "key", "pointer":
		return word + "s"
	}
	return rule
}

// finish makes the list of the report.
func (t *tally) finish() {
	for item, n := range t.counts {
		item.Count = n
		t.report.Items = append(t.report.Items, item)
	}
	slices.SortFunc(t.report.Items, func(a, b Item) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Place, b.Place))
	})
}
