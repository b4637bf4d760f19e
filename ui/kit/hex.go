package kit

import (
	"mcpdbg/ui/widget/paint"
)

// A HexView shows bytes in hexadecimal and ASCII, as many per line as fit.
type HexView struct {
	Data []byte
	w, h int
	top  int
}

const hexOffset = 9

// perLine returns the bytes per line: 32, 16, 8 or 4, in four cells each.
func (v *HexView) perLine() int {
	for n := 32; n > 4; n /= 2 {
		if hexOffset+4*n+2 <= v.w {
			return n
		}
	}
	return 4
}

// SetSize sets the size in cells.
func (v *HexView) SetSize(w, h int) {
	at := v.top * v.perLine()
	v.w, v.h = w, h
	v.top = at / v.perLine()
	v.scroll(0)
}

func (v *HexView) scroll(n int) {
	n, lines := v.top+n, (len(v.Data)+v.perLine()-1)/v.perLine()
	v.top = Between(0, n, max(lines-v.h, 0))
}

// Move scrolls, and reports whether action is a movement action.
func (v *HexView) Move(action string) bool {
	n, ok := LinesOf(action, v.h)
	v.scroll(n)
	return ok
}

// Paint paints the visible lines.
func (v *HexView) Paint(out *paint.Lines, th *paint.Theme) {
	out.Resize(v.w, v.h)
	n := v.perLine()
	var text []byte
	for y := range v.h {
		from := (v.top + y) * n
		if from >= len(v.Data) {
			return
		}
		chunk := v.Data[from:min(from+n, len(v.Data))]
		l := out.Line(y)
		l.Bytes(th.Dim, appendHex(text[:0], uint64(from), hexOffset-1))
		l.PadTo(hexOffset)
		text = text[:0]
		for i, b := range chunk {
			if i == n/2 {
				text = append(text, ' ')
			}
			text = append(appendHex(text, uint64(b), 2), ' ')
		}
		l.Bytes(th.Text, text)
		l.PadTo(hexOffset + 3*n + 1)
		text = text[:0]
		for _, b := range chunk {
			if b < ' ' || b >= 0x7f {
				b = '.'
			}
			text = append(text, b)
		}
		l.Bytes(th.String, text)
	}
}

func appendHex(dst []byte, n uint64, digits int) []byte {
	const hex = "0123456789abcdef"
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, hex[n>>shift&15])
	}
	return dst
}
