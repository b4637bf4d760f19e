package compare

import (
	"cmp"
	"math"
	"slices"
)

// duplicate counts a duplicate response to a request.
func (s *scanner) duplicate(at place) {
	number, found := slices.BinarySearchFunc(s.records, at, func(r record, at place) int {
		return cmp.Or(cmp.Compare(int(r.row), at.row), cmp.Compare(int(r.member), at.member))
	})
	if found && s.records[number].duplicates < math.MaxUint8 {
		s.records[number].duplicates++
	}
}

// duplicates compares the number of responses to a request: a client takes the first
// one, so that duplicates do not show in the values.
func (c *comparer) duplicates(a, b *record) {
	if a.duplicates == b.duplicates || (a.flags&b.flags)&answered == 0 {
		return
	}
	says := func(r *record) []byte { return []byte(plural(int(r.duplicates)+1, "response")) }
	c.report(Difference{Class: ClassDuplicate, Change: changeChanged, Pointer: "/duplicate"}, says(a), says(b))
}
