package digest

import "math/big"

// A number is one in JSON, as it was sent.
type number struct {
	value float64
	text  string
}

// less reports whether a number is smaller than another one: of integers also beyond the
// precision of their values.
func (a number) less(b number) bool {
	if a.value != b.value || a.text == b.text {
		return a.value < b.value
	}
	x, okX := new(big.Int).SetString(a.text, 10)
	y, okY := new(big.Int).SetString(b.text, 10)
	return okX && okY && x.Cmp(y) < 0
}
