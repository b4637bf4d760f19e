package digest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const (
	// slowerTimes and slowerMicros are by how much the median must grow.
	slowerTimes, slowerMicros = 4, 5000
	// slowerCalls is how many calls must be fast before, and how many slow. These must
	// also be one of slowerPart.
	slowerCalls, slowerPart = 10, 50
	// slowerChance is how much better two speeds must explain the times than one: a
	// logarithm, to which the choices add.
	slowerChance = 10
	// sampled is how many calls are compared to choose where to look.
	sampled = 2000
)

// A Slowing is the moment from which the calls of a tool, or the client's requests of a
// method, took clearly longer.
type Slowing struct {
	Method string `json:"method"`
	Tool   string `json:"tool,omitempty"`
	Row    int    `json:"-"` // the first slow call
	N      uint64 `json:"n"`
	T      int64  `json:"t"`                 // when it was sent
	Before int64  `json:"p50_before_us"`     // of the calls before it
	Slow   int64  `json:"p50_slow_us"`       // of those from it on
	Calls  int    `json:"calls"`             // from it on
	Until  uint64 `json:"until_n,omitempty"` // the last slow call, if later ones were fast again
	// Evidence is statements about what else changed or did not: only the first ones have it.
	Evidence []string `json:"evidence,omitempty"`
}

// Name is the tool, or else the method.
func (s *Slowing) Name() string { return cmp.Or(s.Tool, s.Method) }

// String describes it, as in "report became slower at 70.4 s: p50 2 ms → 49 ms". It does
// not name the first slow call.
func (s *Slowing) String() string {
	text := fmt.Sprintf("%s became slower at %s: p50 %s → %s", s.Name(), wording.Took(s.T), wording.Took(s.Before), wording.Took(s.Slow))
	if s.Until > 0 {
		text += fmt.Sprintf(", until entry %d", s.Until)
	}
	return text
}

// slower finds the moments of slowing, in their order. The first ones have evidence, which
// costs a look at many rows.
func (d *reader) slower() (all []Slowing) {
	for _, l := range d.lines {
		l.sort()
	}
	type slow struct {
		line     *Line
		from, to int
	}
	var found []slow
	for _, l := range d.lines {
		from, to := slowed(l.took)
		if to > 0 && l.From == "client" && l.Method != otherNames && !mcp.WaitsLong(l.Method) {
			found = append(found, slow{l, from, to})
		}
	}
	sort.Slice(found, func(i, j int) bool {
		a, b := &found[i], &found[j]
		return cmp.Or(cmp.Compare(a.line.rows[a.from], b.line.rows[b.from]), cmp.Compare(a.line.Method, b.line.Method), cmp.Compare(a.line.Tool, b.line.Tool)) < 0
	})
	tools := d.tools()
	for i, f := range found {
		s := d.slowing(f.line, f.from, f.to)
		if i < maxCauses {
			s.Evidence = d.around(f.line, f.from, f.to, tools)
		}
		all = append(all, s)
	}
	return all
}

// slowing describes that the calls of a line from one up to another one were slower.
func (d *reader) slowing(l *Line, from, to int) Slowing {
	first := Call{Row: int(l.rows[from])}
	d.describe(&first)
	row, _ := session.RowAt(d.src, first.Row)
	s := Slowing{
		Method: l.Method, Tool: l.Tool, Row: first.Row, N: first.N, T: row.T,
		Before: median(l.took[:from]), Slow: median(l.took[from:to]), Calls: to - from,
	}
	if to < len(l.took) {
		last := Call{Row: int(l.rows[to-1])}
		d.describe(&last)
		s.Until = last.N
	}
	return s
}

// sort puts the times in the order of the requests: those in batches are read last.
func (l *Line) sort() {
	if slices.IsSorted(l.rows) {
		return
	}
	order := make([]int, len(l.rows))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return l.rows[order[i]] < l.rows[order[j]] })
	took, rows := slices.Clone(l.took), slices.Clone(l.rows)
	for i, from := range order {
		l.took[i], l.rows[i] = took[from], rows[from]
	}
}

// slowed returns the part of times, in the order of the calls, from which on they are
// clearly longer than before; 0 and 0 if there is none. It depends only on how many exceed
// a limit: single calls may take any time.
func slowed(times []int64) (from, to int) {
	least := max(slowerCalls, len(times)/slowerPart)
	if len(times) < slowerCalls+least {
		return 0, 0
	}
	some, best := sample(times), slowerChance+2*math.Log(float64(len(times)))
	for _, percent := range []int{50, 10, 90} { // for long and for short parts
		limit := some[len(some)*percent/100]
		at := -1
		for range 4 { // each time with a better limit
			a, b := longest(times, limit)
			if a == 0 || b == a || a == at {
				break
			}
			at = a
			if len(times)-b < slowerCalls {
				b = len(times)
			}
			if a >= slowerCalls && b-a >= least {
				if u := unlikely(times, a, b, limit); u > best && grew(times[:a], times[a:b]) {
					best, from, to = u, a, b
				}
			}
			fast, slow := middle(sample(times[:a])), middle(sample(times[a:b]))
			limit = max(int64(math.Sqrt(float64(fast)*float64(slow))), slow/8)
		}
	}
	return from, to
}

func grew(before, slow []int64) bool {
	a, b := median(before), median(slow)
	return b >= slowerTimes*a && b-a >= slowerMicros
}

// longest returns the part in which the times above a limit outnumber the others most.
func longest(times []int64, limit int64) (from, to int) {
	begin, sum, most := 0, 0, 0
	for i, t := range times {
		if sum == 0 {
			begin = i
		}
		if t > limit {
			sum++
		} else {
			sum = max(0, sum-1)
		}
		if sum > most {
			from, to, most = begin, i+1, sum
		}
	}
	return from, to
}

// unlikely returns by how much the times above a limit are better explained by two shares,
// one in a part and one in the rest, than by one share: the logarithm of the ratio.
func unlikely(times []int64, from, to int, limit int64) float64 {
	var in, out int
	for i, t := range times {
		switch {
		case t <= limit:
		case i < from || i >= to:
			out++
		default:
			in++
		}
	}
	likely := func(above, all int) float64 {
		sum := 0.0
		for _, n := range []int{above, all - above} {
			if n > 0 {
				sum += float64(n) * math.Log(float64(n)/float64(all))
			}
		}
		return sum
	}
	return likely(in, to-from) + likely(out, len(times)-(to-from)) - likely(in+out, len(times))
}

// sample returns some of the times, sorted.
func sample(times []int64) []int64 {
	step := (len(times) + sampled - 1) / sampled
	some := make([]int64, 0, sampled)
	for i := 0; i < len(times); i += step {
		some = append(some, times[i])
	}
	slices.Sort(some)
	return some
}

func middle(sorted []int64) int64 { return sorted[(len(sorted)+1)/2-1] }

func median(times []int64) int64 {
	sorted := slices.Clone(times)
	slices.Sort(sorted)
	return middle(sorted)
}
