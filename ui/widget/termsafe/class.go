package termsafe

// class is how a rune is shown. Runes outside all spans of the table are
// escaped.
type class uint8

const (
	escaped class = iota
	narrow
	wide
	mark
)

// span is an inclusive range of runes of one class.
type span struct {
	lo, hi rune
	class  class
}

func classOf(r rune) class {
	lo, hi := 0, len(table)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		switch s := &table[mid]; {
		case r < s.lo:
			hi = mid
		case r > s.hi:
			lo = mid + 1
		default:
			return s.class
		}
	}
	return escaped
}
