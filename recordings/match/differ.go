package match

import (
	"bytes"
	"iter"
	"strconv"

	"mcpdbg/framing"
)

const maxDiffer = 32

// Differences lists where two params differ, as pointers into them: at most 32, in the
// order of the names. _meta is ignored. Params that can't be read differ as a whole,
// which is the pointer "".
func Differences(a, b []byte) []string {
	keyA, errA := AppendKey(nil, "", a, nil)
	keyB, errB := AppendKey(nil, "", b, nil)
	if Equal(keyA, keyB) {
		return nil
	}
	if errA != nil || errB != nil {
		return []string{""}
	}
	var pointers []string
	Diff(keyA[1:], keyB[1:], func(path []string, a, b []byte) bool {
		if len(pointers) == maxDiffer || EqualRedacted(a, b) {
			return false
		}
		if descends(a, b) {
			return true
		}
		pointers = append(pointers, string(PointerTo(path...)))
		return false
	})
	return pointers
}

func descends(a, b []byte) bool { return isContainer(a) && isContainer(b) && a[0] == b[0] }

// Diff compares two canonical values and calls visit for each place where they
// differ, from the outside in: a value that only one side has is nil on the other.
// Elements of arrays are paired by Align; the path has the index in b, or that in a if b lacks
// the element. If visit returns true for two objects or
// two arrays, their members follow. path is valid until visit returns. For values
// that are not canonical the differences are unreliable, but Diff does not panic.
func Diff(a, b []byte, visit func(path []string, a, b []byte) bool) {
	diff(nil, a, b, true, visit)
}

// diff is Diff. Without align, it compares elements by index only.
func diff(path []string, a, b []byte, align bool, visit func([]string, []byte, []byte) bool) {
	if bytes.Equal(a, b) || !visit(path, a, b) || !descends(a, b) {
		return
	}
	itA, itB := iterate(a), iterate(b)
	nameA, valueA := itA.next()
	nameB, valueB := itB.next()
	compared := a[0] != '[' || !align
	for valueA != nil || valueB != nil {
		if !compared && valueA != nil && valueB != nil && !sameElement(valueA, valueB) {
			compared = true
			if aligned(path, itA, itB, valueA, valueB, visit) {
				return
			}
		}
		order := bytes.Compare(nameA, nameB)
		switch {
		case valueA == nil:
			order = 1
		case valueB == nil:
			order = -1
		case a[0] == '[':
			order = 0
		}
		name, left, right := nameA, valueA, valueB
		switch {
		case order < 0:
			right = nil
		case order > 0:
			name, left = nameB, nil
		}
		diff(append(path, token(name, max(itA.n, itB.n)-1)), left, right, align, visit)
		if order <= 0 {
			nameA, valueA = itA.next()
		}
		if order >= 0 {
			nameB, valueB = itB.next()
		}
	}
}

// aligned compares the rests of two arrays, if other pairs than those with the same index
// have more in common, and reports whether it does.
func aligned(path []string, itA, itB iterator, valueA, valueB []byte, visit func([]string, []byte, []byte) bool) bool {
	restA, restB := itA.rest(valueA), itB.rest(valueB)
	if len(restA) == 1 && len(restB) == 1 {
		return false
	}
	pairs, _ := align(restA, restB)
	shifted := false
	for i, p := range pairs {
		shifted = shifted || p != Pair{within(i, len(restA)), within(i, len(restB))}
	}
	if !shifted {
		return false
	}
	for _, p := range pairs {
		var left, right []byte
		at := p.B // of an element that both have
		if p.A >= 0 {
			left = restA[p.A]
		}
		if p.B >= 0 {
			right = restB[p.B]
		} else {
			at = p.A
		}
		diff(append(path, strconv.Itoa(itA.n-1+at)), left, right, true, visit)
	}
	return true
}

// sameElement reports whether two values are equal but for redacted text and values of the
// same Type.
func sameElement(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	same := true
	diff(nil, a, b, false, func(path []string, a, b []byte) bool {
		if !same || EqualRedacted(a, b) || sameType(path, a, b) {
			return false
		}
		same = descends(a, b)
		return same
	})
	return same
}

func sameType(path []string, a, b []byte) bool {
	name := ""
	if len(path) > 0 {
		name = path[len(path)-1]
	}
	t := TypeOf(name, a)
	return t != TypeNone && t == TypeOf(name, b)
}

// rest returns the values from first on, which next returned last.
func (t iterator) rest(first []byte) (values [][]byte) {
	for value := first; value != nil; _, value = t.next() {
		values = append(values, value)
	}
	return values
}

func token(name []byte, n int) string {
	if name == nil {
		return strconv.Itoa(n)
	}
	return unquote(name)
}

// An iterator iterates over a canonical object or array.
type iterator struct {
	framing.Cursor
	n int
}

func iterate(container []byte) iterator {
	return iterator{Cursor: framing.Cursor{Data: container, At: 1}}
}

// next returns nil at the end. The name keeps its quotes; elements have no name.
func (t *iterator) next() (name, value []byte) {
	if !t.Item() {
		return nil, nil
	}
	if t.Data[0] == '{' {
		name = t.Token()
		t.Accept(':')
	}
	if value = t.Value(); len(value) == 0 {
		return nil, nil
	}
	t.n++
	return name, value
}

// Each iterates over the members of a canonical object with their names, or over the
// elements of a canonical array with their indexes: the tokens of pointers into it.
func Each(container []byte) iter.Seq2[string, []byte] {
	return func(yield func(token string, value []byte) bool) {
		if !isContainer(container) {
			return
		}
		it := iterate(container)
		for name, value := it.next(); value != nil; name, value = it.next() {
			if !yield(token(name, it.n-1), value) {
				return
			}
		}
	}
}

// Member returns the raw value of the first member with the given name of a JSON
// object; nil if there is none or if object is not an object.
func Member(object []byte, name string) []byte {
	if len(object) == 0 || object[0] == '[' {
		return nil
	}
	return child(object, name)
}
