package compare

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"mcpdbg/internal/wording"
	diff "mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
)

// A rowMark is how the two sides of a row differ.
type rowMark uint8

// The marks, in ascending order of severity.
const (
	markEqual     rowMark = iota
	markLoose             // in an insignificant way
	markDifferent         // in a significant way
)

// A rowSide is the side that a row is on.
type rowSide uint8

// The sides of a row.
const (
	bothSides rowSide = iota
	onlyLeft
	onlyRight
)

// A valueRow is one line of both documents. Its texts are untrusted.
type valueRow struct {
	Pointer     match.Pointer
	Depth       int
	Name        string // of the member, "" for an element
	Left, Right string // JSON text, or one line of a string; "" for an empty side
	Mark        rowMark
	Only        rowSide // OnlyLeft or OnlyRight if the other side has no such line
	Type        string  // that both sides match if the mark is Loose
	Text        bool    // Left and Right are lines of a string
}

// A judgeFunc reports how the unequal values at a path differ. typ is their type if they only
// have to share it.
type judgeFunc func(path []string) (mark rowMark, typ string)

// maxRows is the maximum number of rows; a last row reports more.
const maxRows = 20_000

// maxValue is the maximum size in bytes of a value or line.
const maxValue = 16 << 10

// valueRows lays out two canonical documents, one of which may be nil. Equal parts are folded
// into one row unless all is set.
func valueRows(a, b []byte, judge judgeFunc, all bool) []valueRow {
	r := valueRower{judge: judge, all: all}
	r.value(nil, "", a, b, 0)
	return r.limited()
}

func (r *valueRower) limited() []valueRow {
	if r.full() {
		r.rows = append(r.rows[:maxRows], valueRow{Left: "and more", Right: "and more"})
	}
	return r.rows
}

type valueRower struct {
	judge judgeFunc
	all   bool
	rows  []valueRow
}

func (r *valueRower) add(row valueRow) { r.rows = append(r.rows, row) }

func (r *valueRower) full() bool { return len(r.rows) > maxRows }

// value lays out two values, one of which may be nil.
func (r *valueRower) value(path []string, name string, a, b []byte, depth int) {
	switch {
	case r.full():
	case bytes.Equal(a, b):
		r.equal(path, name, a, depth)
	case container(a) && container(b) && a[0] == b[0]:
		r.inside(path, name, a, b, depth)
	default:
		if innerA, innerB := match.Embedded(a), match.Embedded(b); container(innerA) && container(innerB) && innerA[0] == innerB[0] {
			r.inside(path, name, innerA, innerB, depth)
			return
		}
		r.other(path, name, a, b, depth)
	}
}

func (r *valueRower) equal(path []string, name string, value []byte, depth int) {
	if !r.all && container(value) && len(value) > 2 {
		text := folded(value)
		r.add(valueRow{Pointer: match.PointerTo(path...), Depth: depth, Name: name, Left: text, Right: text})
		return
	}
	r.lines(path, name, value, depth, func(row valueRow) {
		row.Left = short(row.Left)
		row.Right = row.Left
		r.add(row)
	})
}

func folded(value []byte) string {
	n := 0
	for range match.Each(value) {
		n++
	}
	if value[0] == '[' {
		return fmt.Sprintf("[ %d ]", n)
	}
	return fmt.Sprintf("{ %d }", n)
}

func (r *valueRower) inside(path []string, name string, a, b []byte, depth int) {
	head := valueRow{Pointer: match.PointerTo(path...), Depth: depth, Name: name, Left: string(a[0]), Right: string(b[0])}
	r.add(head)
	if a[0] == '[' {
		pairs, _ := match.Align(a, b)
		r.elements(path, elements(a), elements(b), head, pairs)
	} else {
		r.members(path, members(a), members(b), head)
	}
	end := string(a[0] + 2) // } follows {, and ] follows [, two code points later
	r.add(valueRow{Pointer: head.Pointer, Depth: depth, Left: end, Right: end})
}

const foldFrom = 4

func (r *valueRower) members(path []string, left, right memberList, head valueRow) {
	in := func(m jsonMember) []string { return append(path[:len(path):len(path)], m.token) }
	for i := 0; i < len(left.list); {
		if n := r.fold(len(left.list)-i, head, func(n int) bool { return bytes.Equal(left.list[i+n].value, right.values[left.list[i+n].token]) }); n > 0 {
			i += n
			continue
		}
		m := left.list[i]
		r.value(in(m), m.token, m.value, right.values[m.token], head.Depth+1)
		i++
	}
	for _, m := range right.list {
		if _, both := left.values[m.token]; !both {
			r.value(in(m), m.token, nil, m.value, head.Depth+1)
		}
	}
}

// elements lays out two arrays by the pairs of their elements, with the pointers of reports.
func (r *valueRower) elements(path []string, left, right [][]byte, head valueRow, pairs []match.Pair) {
	for i := 0; i < len(pairs) && !r.full(); {
		equal := func(n int) bool {
			p := pairs[i+n]
			return p.A >= 0 && p.B >= 0 && bytes.Equal(left[p.A], right[p.B])
		}
		if n := r.fold(len(pairs)-i, head, equal); n > 0 {
			i += n
			continue
		}
		p := pairs[i]
		var a, b []byte
		at := p.B
		if p.A >= 0 {
			a = left[p.A]
		}
		if p.B >= 0 {
			b = right[p.B]
		} else {
			at = p.A
		}
		r.value(append(path[:len(path):len(path)], strconv.Itoa(at)), "", a, b, head.Depth+1)
		i++
	}
}

func elements(array []byte) (all [][]byte) {
	for _, value := range match.Each(array) {
		all = append(all, value)
	}
	return all
}

// fold lays out a number of equal members or elements in one row, if they are enough, and
// returns how many.
func (r *valueRower) fold(most int, head valueRow, equal func(n int) bool) (n int) {
	for !r.all && n < most && equal(n) {
		n++
	}
	if n < foldFrom {
		return 0
	}
	text := fmt.Sprintf("(%d equal)", n)
	r.add(valueRow{Pointer: head.Pointer, Depth: head.Depth + 1, Left: text, Right: text})
	return n
}

func (r *valueRower) other(path []string, name string, a, b []byte, depth int) {
	mark, typ := r.judge(path)
	if left, right, ok := textLines(a, b); ok {
		head := valueRow{Pointer: match.PointerTo(path...), Depth: depth, Name: name, Left: "text:", Right: "text:"}
		switch {
		case left == nil:
			head.Left, head.Only, head.Mark, head.Type = "", onlyRight, mark, typ
		case right == nil:
			head.Right, head.Only, head.Mark, head.Type = "", onlyLeft, mark, typ
		}
		r.add(head)
		t := textRows{valueRower: r, left: left, right: right, changed: valueRow{Pointer: head.Pointer, Depth: depth + 1, Text: true, Mark: mark, Type: typ}}
		t.lines()
		return
	}
	var left, right []valueRow
	r.lines(path, name, a, depth, func(row valueRow) { left = append(left, row) })
	r.lines(path, name, b, depth, func(row valueRow) { right = append(right, row) })
	for i := range max(len(left), len(right)) {
		row := valueRow{Mark: mark, Type: typ, Only: onlyOn(i < len(left), i < len(right))}
		if i < len(right) {
			row.Pointer, row.Depth, row.Name, row.Right = right[i].Pointer, right[i].Depth, right[i].Name, right[i].Left
		}
		if i < len(left) {
			row.Pointer, row.Depth, row.Name, row.Left = left[i].Pointer, left[i].Depth, left[i].Name, left[i].Left
		}
		r.add(r.withoutEqual(row))
	}
}

// The equal parts of long values that differ are folded but for foldedBefore and foldedAfter
// bytes next to the difference.
const (
	foldedBefore = 20
	foldedAfter  = 200
)

func (r *valueRower) withoutEqual(row valueRow) valueRow {
	if r.all || row.Mark == markEqual || row.Only != bothSides || max(len(row.Left), len(row.Right)) <= foldedAfter {
		row.Left, row.Right = short(row.Left), short(row.Right)
		return row
	}
	i, j, end := diff.DifferingPart(row.Left, row.Right, row.Mark == markLoose)
	if i == len(row.Left) && j == len(row.Right) {
		i, j, end = diff.DifferingPart(row.Left, row.Right, true)
	}
	cut := func(text string, from int) string {
		before, after := "", ""
		if from > 2*foldedBefore {
			before, text = wording.Dots, text[from-foldedBefore:]
		}
		if end > foldedAfter {
			after, text = wording.Dots, text[:len(text)-end+foldedAfter]
		}
		return before + short(strings.ToValidUTF8(text, "")) + after
	}
	row.Left, row.Right = cut(row.Left, i), cut(row.Right, j)
	return row
}

// lines makes the rows of one value, on the left side.
func (r *valueRower) lines(path []string, name string, value []byte, depth int, add func(valueRow)) {
	row := valueRow{Pointer: match.PointerTo(path...), Depth: depth, Name: name}
	switch {
	case value == nil || r.full():
		return
	case !container(value) || len(value) == 2:
		row.Left = string(value)
		add(row)
		return
	}
	row.Left = string(value[0])
	add(row)
	for _, m := range members(value).list {
		r.lines(append(path[:len(path):len(path)], m.token), m.name(value), m.value, depth+1, add)
	}
	row.Name, row.Left = "", string(value[0]+2)
	add(row)
}

func onlyOn(left, right bool) rowSide {
	switch {
	case !right:
		return onlyLeft
	case !left:
		return onlyRight
	}
	return bothSides
}

func container(value []byte) bool { return len(value) > 1 && (value[0] == '{' || value[0] == '[') }

func short(text string) string { return text[:min(len(text), maxValue)] }

type jsonMember struct {
	token string
	value []byte
}

func (m jsonMember) name(in []byte) string {
	if in[0] == '[' {
		return ""
	}
	return m.token
}

type memberList struct {
	list   []jsonMember
	values map[string][]byte
}

func members(value []byte) memberList {
	out := memberList{values: map[string][]byte{}}
	for name, element := range match.Each(value) {
		out.list = append(out.list, jsonMember{name, element})
		out.values[name] = element
		if len(out.list) > maxRows {
			break
		}
	}
	return out
}
