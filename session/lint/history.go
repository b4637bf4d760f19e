package lint

import "sort"

const (
	// maxChanges is how many findings it is remembered of when exactly they were
	// found. Behind those it is remembered to blockRows rows.
	maxChanges = 1 << 18
	blockRows  = 1 << 12
)

// A history knows what was found when. It takes 12 bytes a finding, at most 3 MiB
// and then some 12 bytes for each rule that a block of rows breaks.
type history []change

// A change is that one of the findings was found, or found again.
type change struct {
	at      uint32 // row that was looked at
	finding uint32 // index
	count   uint32
}

// add notes that one of the findings was found while a row was looked at.
func (h *history) add(at, finding int) {
	if len(*h) >= maxChanges {
		at = (at/blockRows+1)*blockRows - 1 // never before it was found
	}
	c := change{uint32(at), uint32(finding), 1}
	for i := len(*h) - 1; i >= 0 && (*h)[i].at == c.at; i-- {
		if (*h)[i].finding == c.finding {
			(*h)[i].count++
			return
		}
	}
	*h = append(*h, c)
}

// before is the part of the history before a row was looked at.
func (h history) before(row int) history {
	return h[:sort.Search(len(h), func(i int) bool { return int(h[i].at) >= row })]
}

// AsOf returns what was found in the first rows alone, as Findings would of a
// log that has no others yet, but may get them. It is not ok if so many were not
// looked at yet: then it returns what was found in those that were. What Tick
// finds counts as found in the row that followed.
//
// Behind the first 262,144 findings it is known to 4,096 rows: what is found in
// such a block of rows is there from its last row on.
func (l *Linter) AsOf(rows int) (found []Finding, ok bool) {
	f := &l.found
	f.mu.Lock()
	defer f.mu.Unlock()
	part := f.history
	if !f.ended || rows < f.rows {
		part = part.before(rows)
	}
	for _, c := range part {
		if int(c.finding) == len(found) {
			found = append(found, f.all[c.finding])
			found[c.finding].Count = 0
		}
		found[c.finding].Count += int(c.count)
	}
	return found, rows <= f.rows
}
