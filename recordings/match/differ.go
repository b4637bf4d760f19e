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
// Elements of arrays are compared by index, unless one array only has some more in one
// place: see Inserted. If visit returns true for two objects or
// two arrays, their members follow. path is valid until visit returns. For values
// that are not canonical the differences are unreliable, but Diff does not panic.
func Diff(a, b []byte, visit func(path []string, a, b []byte) bool) {
	diff(nil, a, b, true, visit)
}

// diff is Diff. Without aligned, it compares elements by index only.
func diff(path []string, a, b []byte, aligned bool, visit func([]string, []byte, []byte) bool) {
	if bytes.Equal(a, b) || !visit(path, a, b) || !descends(a, b) {
		return
	}
	itA, itB := iterate(a), iterate(b)
	nameA, valueA := itA.next()
	nameB, valueB := itB.next()
	compared, counted := a[0] != '[' || !aligned, false
	for valueA != nil || valueB != nil {
		if !compared && valueA != nil && valueB != nil && !bytes.Equal(valueA, valueB) {
			if !counted { // both advance together: the difference stays
				counted, compared = true, itA.left() == itB.left()
			}
			if !compared && !sameElement(valueA, valueB) {
				compared = true
				if shifted(path, itA, itB, valueA, valueB, visit) {
					return
				}
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
		diff(append(path, token(name, max(itA.n, itB.n)-1)), left, right, aligned, visit)
		if order <= 0 {
			nameA, valueA = itA.next()
		}
		if order >= 0 {
			nameB, valueB = itB.next()
		}
	}
}

// shifted compares the rests of two arrays if one has only some more elements than the
// other, at the beginning, and reports whether it does.
func shifted(path []string, itA, itB iterator, valueA, valueB []byte, visit func([]string, []byte, []byte) bool) bool {
	restA, restB := itA.rest(valueA), itB.rest(valueB)
	n := shift(restA, restB)
	for k := range max(len(restA), len(restB)) {
		var left, right []byte
		switch {
		case n == 0:
			return false
		case n > 0 && k < n:
			right = restB[k]
		case n > 0:
			left, right = restA[k-n], restB[k]
		case k < -n:
			left = restA[k]
		default:
			left, right = restA[k], restB[k+n]
		}
		diff(append(path, strconv.Itoa(itA.n-1+k)), left, right, true, visit)
	}
	return n != 0
}

// Inserted returns where one of two canonical arrays has elements that the other lacks, if
// they differ in nothing else: n of b from the index at on, or if n is negative, of a. n
// is 0 if they differ otherwise, or if the elements are at the end.
func Inserted(a, b []byte) (at, n int) {
	itA, itB := iterate(a), iterate(b)
	for ; ; at++ {
		_, valueA := itA.next()
		_, valueB := itB.next()
		switch {
		case valueA == nil || valueB == nil:
			return at, 0
		case !sameElement(valueA, valueB):
			return at, shift(itA.rest(valueA), itB.rest(valueB))
		}
	}
}

// shift returns how many elements more b has at its beginning, if all others are those of a;
// negative if they are in a.
func shift(a, b [][]byte) int {
	n := len(b) - len(a)
	switch {
	case n > 0:
		b = b[n:]
	case n < 0:
		a = a[-n:]
	default:
		return 0
	}
	for i := range a {
		if !sameElement(a[i], b[i]) {
			return 0
		}
	}
	return n
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

// left returns the number of values that next has not returned yet.
func (t iterator) left() (n int) {
	for _, value := t.next(); value != nil; _, value = t.next() {
		n++
	}
	return n
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
