package ui

import "slices"

// marks are the rows that a person marked, in order.
type marks []uint32

func (m marks) has(row int) bool {
	_, ok := slices.BinarySearch(m, uint32(row))
	return ok
}

// toggle sets or clears the mark of a row, and tells whether it is set now.
func (m *marks) toggle(row int) bool {
	i, ok := slices.BinarySearch(*m, uint32(row))
	if ok {
		*m = slices.Delete(*m, i, i+1)
	} else {
		*m = slices.Insert(*m, i, uint32(row))
	}
	return !ok
}

// next returns the nearest marked row below (1) or above (-1) a row among those
// that are listed, and how many nearer ones are not.
func (m marks) next(row, by int, listed func(row int) bool) (found, hidden int, ok bool) {
	i, exact := slices.BinarySearch(m, uint32(row))
	if by < 0 {
		i--
	} else if exact {
		i++
	}
	for ; i >= 0 && i < len(m); i += by {
		if listed(int(m[i])) {
			return int(m[i]), hidden, true
		}
		hidden++
	}
	return 0, hidden, false
}
