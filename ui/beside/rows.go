// Package beside lays two JSON documents out next to each other, line by line,
// so that what belongs together stands in one row. What is equal is folded.
package beside

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"mcpdbg/recordings/match"
)

// A Mark says how the two sides of a row differ.
type Mark uint8

// The marks, the worst last.
const (
	Equal     Mark = iota
	Loose          // in a way that does not count
	Different      // in a way that counts
)

// A Row is one line of both documents. Its texts come from a server.
type Row struct {
	Pointer     match.Pointer
	Depth       int
	Name        string // of the member, "" of an element
	Left, Right string // JSON text, or one line of a string; "" where a side has nothing
	Mark        Mark
	Type        string // of what is loose because both sides are of it
	Text        bool   // Left and Right are lines of a string
}

// A Judge says how the values at a path differ, which are not equal, and of which
// type they are if that is why it does not count.
type Judge func(path []string) (mark Mark, typ string)

// maxRows is how many rows there are at most; the last one says so.
const maxRows = 20_000

// maxValue is how many bytes of one value or line are kept.
const maxValue = 16 << 10

// Rows lays out two canonical documents, of which one may be nil. What is equal
// is folded into one row, unless all is set.
func Rows(a, b []byte, judge Judge, all bool) []Row {
	r := rower{judge: judge, all: all}
	r.value(nil, "", a, b, 0)
	if len(r.rows) > maxRows {
		r.rows = append(r.rows[:maxRows], Row{Left: "and more", Right: "and more"})
	}
	return r.rows
}

// A rower makes rows.
type rower struct {
	judge Judge
	all   bool
	rows  []Row
}

func (r *rower) add(row Row) { r.rows = append(r.rows, row) }

func (r *rower) full() bool { return len(r.rows) > maxRows }

// value lays out two values, of which one may be nil.
func (r *rower) value(path []string, name string, a, b []byte, depth int) {
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

// equal lays out a value that both sides have.
func (r *rower) equal(path []string, name string, value []byte, depth int) {
	if !r.all && container(value) && len(value) > 2 {
		text := folded(value)
		r.add(Row{Pointer: match.PointerTo(path...), Depth: depth, Name: name, Left: text, Right: text})
		return
	}
	r.lines(path, name, value, depth, func(row Row) {
		row.Right = row.Left
		r.add(row)
	})
}

// folded is a container in one line.
func folded(value []byte) string {
	n := 0
	match.Each(value, func(string, []byte) bool { n++; return true })
	if value[0] == '[' {
		return fmt.Sprintf("[ %d ]", n)
	}
	return fmt.Sprintf("{ %d }", n)
}

// inside lays out two objects or two arrays that differ.
func (r *rower) inside(path []string, name string, a, b []byte, depth int) {
	left, right := members(a), members(b)
	head := Row{Pointer: match.PointerTo(path...), Depth: depth, Name: name, Left: string(a[0]), Right: string(b[0])}
	r.add(head)
	for i := 0; i < len(left.list); {
		if n := r.equalFrom(left.list[i:], right.values); n >= foldFrom {
			text := fmt.Sprintf("(%d equal)", n)
			r.add(Row{Pointer: head.Pointer, Depth: depth + 1, Left: text, Right: text})
			i += n
			continue
		}
		m := left.list[i]
		r.value(append(path[:len(path):len(path)], m.token), m.name(a), m.value, right.values[m.token], depth+1)
		i++
	}
	for _, m := range right.list {
		if _, both := left.values[m.token]; !both {
			r.value(append(path[:len(path):len(path)], m.token), m.name(b), nil, m.value, depth+1)
		}
	}
	end := string(a[0] + 2) // } is behind {, and ] behind [
	r.add(Row{Pointer: head.Pointer, Depth: depth, Left: end, Right: end})
}

// foldFrom is how many equal members in a row are folded into one line.
const foldFrom = 4

// equalFrom is how many members from the first on are equal on both sides, 0 if
// they are not to be folded.
func (r *rower) equalFrom(list []member, others map[string][]byte) int {
	n := 0
	for !r.all && n < len(list) && bytes.Equal(list[n].value, others[list[n].token]) {
		n++
	}
	return n
}

// other lays out two values that have nothing in common, beside each other.
func (r *rower) other(path []string, name string, a, b []byte, depth int) {
	mark, typ := r.judge(path)
	textA, okA := match.Text(a)
	textB, okB := match.Text(b)
	if okA && okB && (strings.Contains(textA, "\n") || strings.Contains(textB, "\n")) {
		r.texts(path, name, textA, textB, depth, mark, typ)
		return
	}
	var left, right []Row
	r.lines(path, name, a, depth, func(row Row) { left = append(left, row) })
	r.lines(path, name, b, depth, func(row Row) { right = append(right, row) })
	for i := range max(len(left), len(right)) {
		row := Row{Mark: mark, Type: typ}
		if i < len(right) {
			row.Pointer, row.Depth, row.Name, row.Right = right[i].Pointer, right[i].Depth, right[i].Name, right[i].Left
		}
		if i < len(left) {
			row.Pointer, row.Depth, row.Name, row.Left = left[i].Pointer, left[i].Depth, left[i].Name, left[i].Left
		}
		r.add(row)
	}
}

// lines makes the rows of one value, with the text at the left.
func (r *rower) lines(path []string, name string, value []byte, depth int, add func(Row)) {
	row := Row{Pointer: match.PointerTo(path...), Depth: depth, Name: name}
	switch {
	case value == nil || r.full():
		return
	case !container(value) || len(value) == 2:
		row.Left = short(string(value))
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

// texts lays out two texts of several lines: those at the beginning and the end
// that are equal stand beside each other.
func (r *rower) texts(path []string, name, a, b string, depth int, mark Mark, typ string) {
	left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
	start, end := 0, 0
	for start < min(len(left), len(right)) && left[start] == right[start] {
		start++
	}
	for end < min(len(left), len(right))-start && left[len(left)-1-end] == right[len(right)-1-end] {
		end++
	}
	row := Row{Pointer: match.PointerTo(path...), Depth: depth, Name: name, Left: "text:", Right: "text:"}
	r.add(row)
	row.Depth, row.Name, row.Text = depth+1, "", true
	same := func(from, to int) {
		for i := from; i < to; i++ {
			row.Left, row.Right, row.Mark, row.Type = short(left[i]), short(left[i]), Equal, ""
			r.add(row)
		}
	}
	if !r.all && start > 3 {
		row.Left = fmt.Sprintf("(%d lines)", start-2)
		row.Right, row.Text = row.Left, false
		r.add(row)
		row.Text = true
		same(start-2, start)
	} else {
		same(0, start)
	}
	middleA, middleB := left[start:len(left)-end], right[start:len(right)-end]
	for i := range max(len(middleA), len(middleB)) {
		row.Left, row.Right, row.Mark, row.Type = "", "", mark, typ
		if i < len(middleA) {
			row.Left = short(middleA[i])
		}
		if i < len(middleB) {
			row.Right = short(middleB[i])
		}
		r.add(row)
		if r.full() {
			return
		}
	}
	if !r.all && end > 3 {
		same(len(left)-end, len(left)-end+2)
		row.Left = fmt.Sprintf("(%d lines)", end-2)
		row.Right, row.Text = row.Left, false
		r.add(row)
		return
	}
	same(len(left)-end, len(left))
}

func container(value []byte) bool { return len(value) > 1 && (value[0] == '{' || value[0] == '[') }

func short(text string) string { return text[:min(len(text), maxValue)] }

// A member is one of an object, or an element of an array.
type member struct {
	token string
	value []byte
}

// name is what stands before the value.
func (m member) name(in []byte) string {
	if in[0] == '[' {
		return ""
	}
	return m.token
}

type memberList struct {
	list   []member
	values map[string][]byte
}

func members(value []byte) memberList {
	out := memberList{values: map[string][]byte{}}
	match.Each(value, func(name string, element []byte) bool {
		if value[0] == '[' {
			name = strconv.Itoa(len(out.list))
		}
		out.list = append(out.list, member{name, element})
		out.values[name] = element
		return len(out.list) <= maxRows
	})
	return out
}
