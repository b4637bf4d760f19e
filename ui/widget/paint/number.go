package paint

import "strconv"

// Thousands writes 12402 as 12,402.
func Thousands(n int) string {
	var digits [20]byte
	var text [len(digits) + len(digits)/3]byte
	d := strconv.AppendInt(digits[:0], int64(n), 10)
	b := text[:0]
	for i, c := range d {
		if left := len(d) - i; i > 0 && left%3 == 0 && d[i-1] != '-' {
			b = append(b, ',')
		}
		b = append(b, c)
	}
	return string(b)
}
