package compare

import (
	"cmp"
	"slices"
)

const alone = -1

// align finds the partner in b of each record of a, or alone: the k-th request with a key
// in a matches the k-th one with that key in b. Further pages of lists have no partners:
// they belong to their first page.
func align(a, b []record) (partners []int32) {
	partners = make([]int32, len(a))
	for i := range partners {
		partners[i] = alone
	}
	sortedA, sortedB := byKey(a), byKey(b)
	for i, j := 0, 0; i < len(sortedA) && j < len(sortedB); {
		switch keyA, keyB := a[sortedA[i]].key, b[sortedB[j]].key; {
		case keyA < keyB:
			i++
		case keyA > keyB:
			j++
		default:
			partners[sortedA[i]] = sortedB[j]
			i++
			j++
		}
	}
	return partners
}

// byKey keeps equal keys in order.
func byKey(records []record) []int32 {
	numbers := make([]int32, 0, len(records))
	for i := range records {
		if records[i].flags&page == 0 {
			numbers = append(numbers, int32(i))
		}
	}
	slices.SortFunc(numbers, func(i, j int32) int {
		return cmp.Or(cmp.Compare(records[i].key, records[j].key), cmp.Compare(i, j))
	})
	return numbers
}

// single returns the records of b without a partner.
func single(partners []int32, b []record) []int32 {
	has := make([]bool, len(b))
	for _, j := range partners {
		if j != alone {
			has[j] = true
		}
	}
	var out []int32
	for j := range b {
		if !has[j] && b[j].flags&page == 0 {
			out = append(out, int32(j))
		}
	}
	return out
}
