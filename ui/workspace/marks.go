package workspace

import "slices"

// Marks are the rows that the user marked, in ascending order.
type Marks []uint32

// Has reports whether a row is marked.
func (m Marks) Has(row int) bool {
	_, ok := slices.BinarySearch(m, uint32(row))
	return ok
}

// Toggle sets or clears the mark of a row, and reports whether it is now set.
func (m *Marks) Toggle(row int) bool {
	i, ok := slices.BinarySearch(*m, uint32(row))
	if ok {
		*m = slices.Delete(*m, i, i+1)
	} else {
		*m = slices.Insert(*m, i, uint32(row))
	}
	return !ok
}

// Next returns the nearest marked row below (1) or above (-1) a row that is
// listed, and how many nearer ones are not listed.
func (m Marks) Next(row, by int, listed func(row int) bool) (found, hidden int, ok bool) {
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

// renumber changes the marks to the new numbers of their rows.
func (m Marks) renumber(moved Renumber) {
	for i, row := range m {
		m[i] = uint32(moved(int(row)))
	}
	slices.Sort(m)
}
