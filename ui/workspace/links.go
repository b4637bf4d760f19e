package workspace

import "sort"

// linksRead is how many links are read to find the first to an exchange.
const linksRead = 4096

// A link is a row that belongs to the exchange of another row.
type link struct{ row, of uint32 }

// loose is the exchange of progress that belongs to none.
const loose = 1<<32 - 1

type links []link

func (l links) from(row int) int {
	return sort.Search(len(l), func(i int) bool { return int(l[i].row) >= row })
}

func (l links) of(row int) (exchange int, ok bool) {
	i := l.from(row)
	if i == len(l) || int(l[i].row) != row {
		return 0, false
	}
	return int(l[i].of), true
}

// to returns the first row of an exchange among a limited number.
func (l links) to(exchange int) (row int, ok bool) {
	from := l.from(exchange)
	for _, link := range l[from:min(from+linksRead, len(l))] {
		if int(link.of) == exchange {
			return int(link.row), true
		}
	}
	return 0, false
}

func (l links) upTo(rows int) links {
	n := l.from(rows)
	return l[:n:n]
}
