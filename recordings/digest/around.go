package digest

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const (
	// longerTimes and longerMicros are by how much the median of another tool must grow to
	// count as clearly slower.
	longerTimes, longerMicros = 2, 1000
	// namedOthers is how many other tools have their times in the evidence.
	namedOthers = 3
)

// around describes what else changed, and what did not, when the calls of a line from one up
// to another one were slower than those before: their responses, and the other tools. All
// lines must be sorted.
func (d *reader) around(l *Line, from, to int) []string {
	all := []string{fmt.Sprintf("%s before it, %d slow from it on", wording.Plural(uint64(from), "call"), to-from)}
	if before, slow := d.sizes(l.rows[:from]), d.sizes(l.rows[from:to]); before != nil && slow != nil {
		a, b := median(before), median(slow)
		said := "the size of the responses did not change"
		if 10*max(a, b) > 11*min(a, b) {
			said = "the size of the responses changed"
		}
		all = append(all, fmt.Sprintf("%s: median %s → %s", said, wording.Bytes(a), wording.Bytes(b)))
	}
	same, slower := d.others(l, l.rows[from], l.rows[to-1])
	if len(slower) > 0 {
		all = append(all, "clearly slower then, too: "+someOf(slower))
	}
	if len(same) > 0 {
		all = append(all, "not clearly slower then: "+someOf(same))
	}
	return all
}

// sizes returns the sizes of the responses to requests, nil if one of those is in a batch.
func (d *reader) sizes(requests []int32) (sizes []int64) {
	for _, number := range requests {
		request, _ := session.RowAt(d.src, int(number))
		response, ok := session.PartnerOf(d.src, request)
		if !ok || request.Msg != framing.Request {
			return nil
		}
		sizes = append(sizes, int64(response.Len))
	}
	return sizes
}

// others compares the times of the other tools before a row with those up to another one. Those
// with the most calls come first, and those with few calls are omitted.
func (d *reader) others(of *Line, from, to int32) (same, slower []string) {
	var lines []*Line
	for _, l := range d.lines {
		if l != of && l.From == "client" && l.Tool != "" && !mcp.WaitsLong(l.Method) {
			lines = append(lines, l)
		}
	}
	sort.Slice(lines, func(i, j int) bool {
		a, b := lines[i], lines[j]
		return cmp.Or(-cmp.Compare(len(a.took), len(b.took)), cmp.Compare(a.Tool, b.Tool)) < 0
	})
	for _, l := range lines {
		begin, _ := slices.BinarySearch(l.rows, from)
		end, _ := slices.BinarySearch(l.rows, to)
		if begin < slowerCalls || end-begin < slowerCalls {
			continue
		}
		a, b := median(l.took[:begin]), median(l.took[begin:end])
		text := fmt.Sprintf("%s p50 %s → %s", wording.Clip(l.Tool, maxValue, wording.Ellipsis), wording.Took(a), wording.Took(b))
		if b >= longerTimes*a && b-a >= longerMicros {
			slower = append(slower, text)
		} else {
			same = append(same, text)
		}
	}
	return same, slower
}

func someOf(all []string) string {
	if n := len(all) - namedOthers; n > 0 {
		all = append(slices.Clone(all[:namedOthers]), fmt.Sprintf("%d more", n))
	}
	return wording.List(all)
}
