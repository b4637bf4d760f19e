package redact

import (
	"cmp"
	"sort"
	"strings"
)

const maxItems = 1000

// A Report counts what was removed, without the removed values.
type Report struct {
	Entries int `json:"entries"` // read
	Changed int `json:"changed"` // changed entries
	Removed int `json:"removed"` // places in them, and in the header
	// Items lists the places, the most frequent first, at most 1,000; More counts the
	// rest.
	Items []Item `json:"items,omitempty"`
	More  int    `json:"more,omitempty"`

	// GivenUnknown counts the values given to the session that could not be searched
	// for: the file comes from a machine with another key.
	GivenUnknown int `json:"given_unknown,omitempty"`

	// What could not be copied.
	Skipped int  `json:"left_out,omitempty"` // lines that are not entries, or too long
	Torn    bool `json:"torn,omitempty"`     // the last line is incomplete, and was omitted
	Heads   int  `json:"heads,omitempty"`    // heads of lines that were never completed: emptied
	// Pieces counts lines so long that they were searched in pieces of 64 MiB: a
	// secret across the end of a piece is not found.
	Pieces int `json:"pieces,omitempty"`

	finder *finder
}

// Text redacts a text that belongs to the recording, with the same letters for the
// same secrets. Only one goroutine may call it.
func (r *Report) Text(text string) string {
	return string(apply(nil, []byte(text), r.finder.inText([]byte(text), "", 0)))
}

// An Item counts the removals of one rule in one place.
type Item struct {
	Rule  string `json:"rule"`  // a key, a pointer, or the name of a pattern or value
	Place string `json:"place"` // method:/pointer, or a stream, or kind of entry /pointer
	Count int    `json:"count"`
}

// ByRule returns how many secrets each rule removed, the most frequent first, without
// their places. Those at places that are not listed are missing: see More.
func (r *Report) ByRule() []Item {
	counts := map[string]int{}
	for _, item := range r.Items {
		counts[item.Rule] += item.Count
	}
	var all []Item
	for rule, n := range counts {
		all = append(all, Item{Rule: rule, Count: n})
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Rule, b.Rule)) < 0
	})
	return all
}

type tally struct {
	report *Report
	counts map[Item]int
	rules  map[string]uint64
}

func (t *tally) add(edits []edit) {
	for _, e := range edits {
		if e.rule == "" {
			continue // part of an edit that is already counted
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

// Keys and pointers are counted together, because they may be many.
func group(rule string) string {
	switch word, _, _ := strings.Cut(rule, " "); word {
	case "key", "pointer":
		return word + "s"
	}
	return rule
}

func (t *tally) finish() {
	for item, n := range t.counts {
		item.Count = n
		t.report.Items = append(t.report.Items, item)
	}
	sort.Slice(t.report.Items, func(i, j int) bool {
		a, b := &t.report.Items[i], &t.report.Items[j]
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Place, b.Place)) < 0
	})
}
