package rule

import (
	"sort"

	"mcpdbg/session/diagnosis"
)

const (
	// maxChanges is how many changes are stored with their exact row. Later ones are
	// rounded up to a multiple of blockRows.
	maxChanges = 1 << 18
	blockRows  = 1 << 12
)

// A history records when each problem was made. It takes 16 bytes per problem, at
// most 4 MiB, and after that 16 bytes per rule and block of rows.
type history []change

// A change is a new problem, or another occurrence of one.
type change struct {
	at      uint32 // row that was being checked
	problem uint32 // index
	count   uint32
	various bool // as Problem.Various
}

// add records an occurrence of a problem while row at was being checked.
func (h *history) add(at, problem int, various bool) {
	if len(*h) >= maxChanges {
		at = (at/blockRows+1)*blockRows - 1 // never before it was found
	}
	c := change{uint32(at), uint32(problem), 1, various}
	for i := len(*h) - 1; i >= 0 && (*h)[i].at == c.at; i-- {
		if (*h)[i].problem == c.problem {
			(*h)[i].count++
			(*h)[i].various = (*h)[i].various || various
			return
		}
	}
	*h = append(*h, c)
}

func (h history) before(row int) history {
	return h[:sort.Search(len(h), func(i int) bool { return int(h[i].at) >= row })]
}

// AsOf returns the problems of the first rows, as Problems would for a log that so
// far has only these. It is not ok if fewer rows were checked; then it returns the
// problems of those. Problems of Tick count as found in the row that followed.
//
// After the first 262,144 problems the resolution is 4,096 rows: a problem within
// such a block appears at its last row.
func (l *Checker) AsOf(rows int) (found []diagnosis.Problem, ok bool) {
	f := &l.found
	f.mu.Lock()
	defer f.mu.Unlock()
	part := f.history
	if !f.ended || rows < f.rows {
		part = part.before(rows)
	}
	for _, c := range part {
		if int(c.problem) == len(found) {
			found = append(found, f.all[c.problem])
			found[c.problem].Count, found[c.problem].Various = 0, false
		}
		found[c.problem].Various = found[c.problem].Various || c.various
		found[c.problem].Count += int(c.count)
	}
	return found, rows <= f.rows
}
