package paint

import (
	"strings"
	"unicode/utf8"

	"mcpdbg/ui/widget/termsafe"
)

// cutColumns appends the cells [from, from+width) of a painted row, padded with spaces.
// It keeps all SGR sequences, also of cut cells, so the remaining cells keep their look,
// and a row that resets its styles still does. Half a wide character becomes a space.
func cutColumns(dst, row []byte, from, width int) []byte {
	end := from + max(width, 0)
	x, painted := 0, false
	last, cells, printable := utf8.RuneError, 0, false
	for len(row) > 0 {
		if n := termsafe.ASCII(row); n > 0 {
			a, b := min(max(from-x, 0), n), min(max(end-x, 0), n)
			dst, row, x = append(dst, row[a:b]...), row[n:], x+n
			painted = a < n && b == n
			continue
		}
		if n := sgrLen(row); n > 0 {
			dst = append(dst, row[:n]...)
			row = row[n:]
			continue
		}
		r, size := utf8.DecodeRune(row)
		if r != last { // rules repeat theirs
			last = r
			if cells, printable = termsafe.RuneWidth(r); r == placeholder {
				cells, printable = 1, true
			}
		}
		next := x + cells
		switch {
		case cells == 0:
			if painted && printable {
				dst = append(dst, row[:size]...)
			}
		case x >= from && next <= end:
			dst = append(dst, row[:size]...)
			painted = true
		default:
			dst = termsafe.Pad(dst, min(next, end)-max(x, from))
			painted = false
		}
		x = next
		row = row[size:]
	}
	return termsafe.Pad(dst, end-max(x, from))
}

// sgrLen returns the length of the SGR sequence at the beginning of row, or zero.
func sgrLen[T string | []byte](row T) int {
	if len(row) < 3 || row[0] != '\x1b' || row[1] != '[' {
		return 0
	}
	for i := 2; i < len(row); i++ {
		switch c := row[i]; {
		case c == 'm':
			return i + 1
		case (c < '0' || c > '9') && c != ';' && c != ':':
			return 0
		}
	}
	return 0
}

// nextSGR returns the lengths of the text before the first SGR sequence, and of that.
func nextSGR(text string) (run, sequence int) {
	for run < len(text) {
		i := strings.IndexByte(text[run:], '\x1b')
		if i < 0 {
			return len(text), 0
		}
		run += i
		if n := sgrLen(text[run:]); n > 0 {
			return run, n
		}
		run++
	}
	return run, 0
}
