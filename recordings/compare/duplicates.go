package compare

import (
	"cmp"
	"math"
	"slices"
)

// again counts a further answer to a request that has one.
func (s *scanner) again(at place) {
	number, found := slices.BinarySearchFunc(s.records, at, func(r record, at place) int {
		return cmp.Or(cmp.Compare(int(r.row), at.row), cmp.Compare(int(r.member), at.member))
	})
	if found && s.records[number].again < math.MaxUint8 {
		s.records[number].again++
	}
}

// duplicates compares how many answers came to a request: a client takes the
// first one, so a second one does not show in the values.
func (c *comparer) duplicates(a, b *record) {
	if a.again == b.again || (a.flags&b.flags)&answered == 0 {
		return
	}
	says := func(r *record) []byte { return []byte(plural(int(r.again)+1, "response")) }
	c.report(Difference{Class: ClassDuplicate, Change: Changed, Pointer: "/duplicate"}, says(a), says(b))
}
