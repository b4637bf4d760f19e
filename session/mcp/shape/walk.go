package shape

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session/mcp"
)

const (
	// maxDepth is how deep the tables are nested. A test checks it.
	maxDepth = 24
	// maxProblems limits the problems of one value; maxAlike limits those of one kind
	// at one place, such as in each of many elements.
	maxProblems = 64
	maxAlike    = 8
	// maxGot is how many bytes of a value a problem quotes.
	maxGot = 40
)

// A Walker compares values with shapes. It keeps its memory between calls, so it must
// not be used by several goroutines at once. The zero value is ready to use.
type Walker struct {
	in       framing.Cursor
	revision uint8
	path     [maxDepth]string
	items    [maxDepth]place // where the path has *
	depth    int
	item     int // where the element of the outermost array begins, 0 for none
	found    []Problem
	more     bool
}

// A place is an element of an array, or the value of a key of a dictionary.
type place struct {
	key   []byte // nil for an element
	index int
}

// Walk compares a value with its shape in a revision. The value must be valid JSON,
// as for framing.Scan. It returns the problems, at most a few dozen, and whether
// there were more; they are valid until the next call. It does nothing if the
// shape is nil or the revision is not known.
func (w *Walker) Walk(s *Shape, value []byte, revision string) (problems []Problem, more bool) {
	w.in, w.revision, w.depth, w.item = framing.Cursor{Data: value}, order(revision), 0, 0
	w.found, w.more = w.found[:0], false
	if s == nil || w.revision == 0 || uint64(len(value)) > math.MaxUint32 {
		return nil, false
	}
	w.value(s)
	w.in = framing.Cursor{}
	return w.found, w.more
}

// value compares the next value.
func (w *Walker) value(s *Shape) {
	c := w.in.Peek()
	from := w.in.At
	switch k := s.kind; {
	case from == len(w.in.Data):
	case k == object && c == '{':
		w.object(s)
	case k == selected && c == '{':
		w.selected(s)
	case k == shown && c == '{':
		w.shown(s)
	case k == array && c == '[', k == oneOrMore && c == '[' && s.since <= w.revision:
		w.elements(s.elem)
	case k == dictionary && c == '{':
		w.entries(s.elem)
	case k == oneOrMore:
		w.value(s.elem)
	case k == text && c == '"':
		w.text(s)
	default:
		if !k.allows(w.in.Value()) {
			w.report(Problem{Kind: WrongType, Want: kindNames[k]}, from)
		}
	}
}

// allows reports whether a value is of the kind, for the kinds without a structure; no
// value is for the others.
func (k kind) allows(token []byte) bool {
	c := byte(0)
	if len(token) > 0 {
		c = token[0]
	}
	isNumber := c == '-' || c-'0' <= 9
	switch k {
	case object, selected, shown, array, dictionary, text:
		return false
	case number:
		return isNumber
	case fraction:
		return isNumber && !negative(token) && atMostOne(token)
	case integer:
		return isNumber && isWhole(token)
	case natural:
		return isNumber && isWhole(token) && !negative(token)
	case nullable:
		return c == 'n' || isNumber && isWhole(token)
	case boolean:
		return c == 't' || c == 'f'
	case identifier:
		return c == '"' || isNumber && isWhole(token)
	case primitive:
		return c == '"' || c == 't' || c == 'f' || isNumber || c == '[' && holdsStrings(token)
	}
	return true
}

// isWhole reports whether a number has no fraction.
func isWhole(number []byte) bool {
	if !bytes.ContainsAny(number, ".eE") {
		return true
	}
	f, err := strconv.ParseFloat(string(number), 64)
	return err != nil || f == math.Trunc(f)
}

func negative(number []byte) bool {
	return number[0] == '-' && bytes.ContainsAny(number, "123456789")
}

func atMostOne(number []byte) bool {
	f, err := strconv.ParseFloat(string(number), 64)
	return err != nil || f <= 1
}

// holdsStrings reports whether all elements of an array are strings.
func holdsStrings(b []byte) bool {
	c := framing.Cursor{Data: b, At: 1}
	for c.Item() {
		if c.Text() == nil {
			return false
		}
	}
	return true
}

func (w *Walker) text(s *Shape) {
	from := w.in.At
	raw := w.in.Text()
	if len(s.values) == 0 {
		return
	}
	var buf [maxName]byte
	got := plain(raw, &buf)
	for _, v := range s.values {
		if string(got) == v {
			if w.revision >= order(mcp.Latest) && contains(s.deprecated, got) {
				w.report(Problem{Kind: Deprecated, Want: v}, from)
			}
			return
		}
	}
	w.report(Problem{Kind: NotAllowed, Want: "one of " + strings.Join(s.values, ", ")}, from)
}

func contains(names []string, name []byte) bool {
	for _, n := range names {
		if n == string(name) {
			return true
		}
	}
	return false
}

// elements compares the elements of the next array.
func (w *Walker) elements(elem *Shape) {
	if !w.push("*") {
		w.in.Value()
		return
	}
	outer := w.item == 0 && w.depth == 2
	at := &w.items[w.depth-1]
	*at = place{}
	for w.in.Token(); w.in.Item(); at.index++ {
		if outer {
			w.item = w.in.At
		}
		w.value(elem)
	}
	if outer {
		w.item = 0
	}
	w.depth--
}

// entries compares the values of the next dictionary.
func (w *Walker) entries(elem *Shape) {
	if elem.kind == anything || !w.push("*") {
		w.in.Value()
		return
	}
	for w.in.Token(); w.in.Item(); w.value(elem) {
		w.items[w.depth-1] = place{key: w.in.Name()}
	}
	w.depth--
}

// selected compares the next object with the shape that it names.
func (w *Walker) selected(s *Shape) {
	if shape := w.shapeOf(s); shape != nil {
		w.value(shape)
	} else {
		w.in.Value()
	}
}

// shapeOf returns the shape that the next object names, nil after it reported that there
// is none.
func (w *Walker) shapeOf(s *Shape) *Shape {
	if w.revision < s.since {
		return s.otherwise
	}
	named := framing.Cursor{Data: w.in.Data, At: find(w.in, s.by)}
	if named.At == 0 || named.At == len(named.Data) {
		if s.otherwise == nil {
			w.reportMember(Problem{Kind: Missing}, s.by, w.in.At)
		}
		return s.otherwise
	}
	at := named.At
	raw := named.Text()
	if raw == nil {
		w.reportMember(Problem{Kind: WrongType, Want: kindNames[text]}, s.by, at)
		return nil
	}
	var buf [maxName]byte
	got := plain(raw, &buf)
	var since uint8
	for k := range s.cases {
		c := &s.cases[k]
		if c.name != string(got) {
			continue
		}
		if c.have(w.revision) {
			if c.deprecated > 0 && c.deprecated <= w.revision {
				w.reportMember(Problem{Kind: Deprecated, Want: c.name}, s.by, at)
			}
			return c.shape
		}
		since = c.since
	}
	if since > w.revision {
		w.reportMember(Problem{Kind: NewerType, Since: revisionNames[since]}, s.by, at)
	} else {
		w.reportMember(Problem{Kind: UnknownType}, s.by, at)
	}
	return nil
}

// shown compares the next object with the shape that its members show.
func (w *Walker) shown(s *Shape) {
	for k := range s.cases {
		if c := &s.cases[k]; find(w.in, c.name) > 0 {
			w.value(c.shape)
			return
		}
	}
	var names []string
	for k := range s.cases {
		names = append(names, s.cases[k].name)
	}
	w.report(Problem{Kind: Missing, Want: strings.Join(names, " or ")}, w.in.At)
	w.in.Value()
}

func (w *Walker) object(s *Shape) {
	if len(s.members) == 0 {
		w.in.Value()
		return
	}
	begin := w.in.At
	var seen uint64
	var near nearNames
	for w.in.Token(); w.in.Item(); {
		n := w.in.Name()
		j := w.lookUp(s, n)
		if j < 0 {
			near.note(s, w.revision, n, w.in.At)
			w.in.Value()
			continue
		}
		seen |= 1 << j
		w.member(&s.members[j])
	}
	w.absent(s, seen, begin)
	if near.n > 0 {
		w.misspelled(s, seen, &near)
	}
}

// lookUp returns the index of the named member, that of this revision if it has
// one; -1 if no revision has it.
func (w *Walker) lookUp(s *Shape, name []byte) int {
	j := w.index(s, name)
	if j < 0 && bytes.IndexByte(name, '\\') >= 0 {
		var buf [maxName]byte
		return w.index(s, plain(name, &buf))
	}
	return j
}

func (w *Walker) index(s *Shape, name []byte) int {
	other := -1
	for j := range s.members {
		if m := &s.members[j]; m.name == string(name) {
			if m.have(w.revision) {
				return j
			}
			if other < 0 {
				other = j
			}
		}
	}
	return other
}

// member compares the next value, that of a member.
func (w *Walker) member(m *member) {
	if m.have(w.revision) && w.push(m.name) {
		if m.deprecated > 0 && m.deprecated <= w.revision {
			w.report(Problem{Kind: Deprecated}, w.in.At)
		}
		w.value(m.shape)
		w.depth--
		return
	}
	if m.since > w.revision {
		w.reportMember(Problem{Kind: Newer, Since: revisionNames[m.since]}, m.name, w.in.At)
	}
	w.in.Value()
}

// absent reports the required members that the object at i does not have.
func (w *Walker) absent(s *Shape, seen uint64, i int) {
	if s.instead != "" && s.has(s.instead, seen, w.revision) {
		return
	}
	for j := range s.members {
		m := &s.members[j]
		if m.required && seen&(1<<j) == 0 && m.have(w.revision) {
			w.reportMember(Problem{Kind: Missing}, m.name, i)
		}
	}
	if len(s.either) == 0 {
		return
	}
	for _, name := range s.either {
		if s.has(name, seen, w.revision) {
			return
		}
	}
	w.reportMember(Problem{Kind: Missing, Want: strings.Join(s.either, " or ")}, s.either[0], i)
}

// has reports whether a member of a revision is among those seen.
func (s *Shape) has(name string, seen uint64, revision uint8) bool {
	for j := range s.members {
		if m := &s.members[j]; m.name == name && m.have(revision) {
			return seen&(1<<j) != 0
		}
	}
	return false
}

// push enters a member or the elements of an array. It is false at the limit of the
// depth.
func (w *Walker) push(name string) bool {
	if w.depth == maxDepth {
		return false
	}
	w.path[w.depth] = name
	w.depth++
	return true
}

// reportMember reports a problem of a member of the current object.
func (w *Walker) reportMember(p Problem, name string, i int) {
	if w.push(name) {
		w.report(p, i)
		w.depth--
	}
}

// report reports a problem of the current value, which begins at i; for a missing
// member, of the object without it.
func (w *Walker) report(p Problem, i int) {
	p.Pointer, p.At = w.pointer(), w.at()
	alike := 0
	for k := range w.found {
		if f := &w.found[k]; f.Kind == p.Kind && f.Pointer == p.Pointer {
			alike++
		}
	}
	if alike == maxAlike || len(w.found) == maxProblems {
		w.more = true
		return
	}
	if p.Kind != Missing && p.Kind != Misspelled {
		got := w.valueAt(i)
		p.Got, p.Type = string(got[:min(len(got), maxGot)]), typeName(got)
	}
	if w.item > 0 {
		p.Item = framing.Span{Start: uint32(w.item), End: uint32(w.item + len(w.valueAt(w.item)))}
	}
	w.found = append(w.found, p)
}

func (w *Walker) valueAt(i int) []byte {
	c := framing.Cursor{Data: w.in.Data, At: i}
	return c.Value()
}

// pointer returns the JSON Pointer of the current value.
func (w *Walker) pointer() string {
	var b strings.Builder
	for _, name := range w.path[:w.depth] {
		b.WriteByte('/')
		b.WriteString(wording.EscapePointer(name))
	}
	return b.String()
}

// at returns the JSON Pointer of the current value with indexes and keys, "" if it has
// none.
func (w *Walker) at() string {
	var b strings.Builder
	exact := false
	for i, name := range w.path[:w.depth] {
		b.WriteByte('/')
		switch at := &w.items[i]; {
		case name != "*":
			b.WriteString(wording.EscapePointer(name))
			continue
		case at.key != nil:
			var buf [maxName]byte
			key := string(plain(at.key, &buf))
			b.WriteString(wording.EscapePointer(strings.ToValidUTF8(key[:min(len(key), maxGot)], "")))
		default:
			b.WriteString(strconv.Itoa(at.index))
		}
		exact = true
	}
	if !exact {
		return ""
	}
	return b.String()
}
