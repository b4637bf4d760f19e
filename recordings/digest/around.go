package digest

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
)

const (
	// longerTimes and longerMicros are by how much the median of another tool must grow to
	// count as clearly slower.
	longerTimes, longerMicros = 2, 1000
	// comparedOthers is how many other tools are compared, and namedOthers how many of them
	// have their times in the evidence.
	comparedOthers, namedOthers = 10, 3
	// maxSizes is how many responses before and after a slowing are read for their sizes.
	maxSizes = 500
)

// around describes what else changed, and what did not, when the calls of a line from one up
// to another one were slower than those before: their responses, and other tools. All
// lines must be sorted.
func (d *reader) around(l *Line, from, to int, tools []*Line) []string {
	calls := fmt.Sprintf("%s before it, %d from it on", wording.Plural(uint64(from), "call"), to-from)
	if after := len(l.rows) - to; after > 0 {
		calls = fmt.Sprintf("%s before it, %d while slow, %d after that", wording.Plural(uint64(from), "call"), to-from, after)
	}
	all := []string{calls}
	if before, slow := d.sizes(l.rows[:from]), d.sizes(l.rows[from:to]); before != nil && slow != nil {
		text := describeSizes(median(before), median(slow))
		if d.src.Header().Redacted != nil {
			text += ", as redacted"
		}
		if to-from > len(slow) || from > len(before) {
			text += fmt.Sprintf(" (of %d and %d responses)", len(before), len(slow))
		}
		all = append(all, text)
	}
	same, slower := others(l, tools, l.rows[from], l.rows[to-1])
	if len(slower) > 0 {
		all = append(all, "clearly slower then, too: "+someOf(slower))
	}
	if len(same) > 0 {
		all = append(all, "not clearly slower then: "+someOf(same))
	}
	return all
}

func describeSizes(before, slow int64) string {
	const what = "the median size of the responses"
	a, b := wording.Bytes(before), wording.Bytes(slow)
	switch {
	case before == slow:
		return fmt.Sprintf("%s did not change: %s", what, a)
	case 10*max(before, slow) <= 11*min(before, slow):
		return fmt.Sprintf("%s hardly changed: %s → %s", what, a, b)
	default:
		return fmt.Sprintf("%s changed: %s → %s", what, a, b)
	}
}

// sizes returns the sizes of the responses to requests, evenly spread ones if they are many.
// It returns nil if the size of one of them is not known.
func (d *reader) sizes(requests []int32) (sizes []int64) {
	if d.src.Header().Imported.LacksResults() {
		return nil
	}
	step := (len(requests) + maxSizes - 1) / maxSizes
	for i := 0; i < len(requests); i += step {
		request, _ := session.RowAt(d.src, int(requests[i]))
		response, ok := session.PartnerOf(d.src, request)
		if !ok || request.Msg != framing.Request || response.Msg != framing.Response && response.Msg != framing.ErrorResponse {
			return nil
		}
		e, err := session.EntryInto(d.src, response, 1, d.buf[:0])
		if err != nil || e.Encoded {
			return nil
		}
		sizes = append(sizes, e.FullSize)
	}
	return sizes
}

// tools returns the lines of tools that the client called, those with the most calls first.
func (d *reader) tools() (lines []*Line) {
	for _, l := range d.lines {
		if l.From == "client" && l.Tool != "" {
			lines = append(lines, l)
		}
	}
	sort.Slice(lines, func(i, j int) bool {
		a, b := lines[i], lines[j]
		return cmp.Or(-cmp.Compare(len(a.took), len(b.took)), cmp.Compare(a.Tool, b.Tool)) < 0
	})
	return lines
}

// others compares the times of other tools before a row with those up to another one, except
// for tools with few calls.
func others(of *Line, tools []*Line, from, to int32) (same, slower []string) {
	for _, l := range tools {
		if len(same)+len(slower) == comparedOthers {
			break
		}
		if l == of {
			continue
		}
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
