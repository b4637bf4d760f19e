package termsafe

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
	"unsafe"
)

// Ellipsis is the one-cell replacement for text that did not fit.
const Ellipsis = "…"

// Unlimited as maxCells means that text is never cut.
const Unlimited = math.MaxInt

// maxMarks is the maximum number of combining marks on one character. Vietnamese, Hebrew
// and Arabic need up to three; more than four is not writing, and overprints the
// neighbouring lines.
const maxMarks = 4

// Options control how text becomes one line. The zero value shows a tab as `\t`, cuts
// without an ellipsis and does not style escapes. The strings are written as they are, so
// they must never come from outside the program.
type Options struct {
	// Ellipsis replaces the end of text that does not fit, if there is room. It must be
	// printable.
	Ellipsis string
	// TabStop, if positive, shows a tab as spaces up to the next multiple of TabStop
	// cells.
	TabStop int
	// EscapeStart and EscapeEnd surround every visible escape, to distinguish the byte
	// 0x1b from the six characters `\u001b`. They must take no cells, such as SGR
	// sequences.
	EscapeStart, EscapeEnd string
}

// Append appends text to dst as one line of at most maxCells cells. It returns the
// extended slice, the cells used and whether text was cut, never within an escape or a
// character. It reads only as much of text as fits and allocates only if dst has no room.
func Append(dst, text []byte, maxCells int, o Options) (out []byte, cells int, truncated bool) {
	line := painter{opts: o, out: dst, paint: true}
	used := line.fill(text, maxCells)
	if used == len(text) {
		return line.out, line.cells, false
	}
	tail := Width(o.Ellipsis)
	if tail == 0 || tail > maxCells {
		return line.out, line.cells, true
	}
	line = painter{opts: o, out: line.out[:len(dst)], paint: true}
	line.fill(text, maxCells-tail)
	return append(line.out, o.Ellipsis...), line.cells + tail, true
}

// AppendString is like Append, for a string.
func AppendString(dst []byte, text string, maxCells int, o Options) (out []byte, cells int, truncated bool) {
	return Append(dst, view(text), maxCells, o)
}

// AppendAll appends text as one line of any length.
func AppendAll(dst []byte, text string) []byte {
	dst, _, _ = Append(dst, view(text), Unlimited, Options{})
	return dst
}

// String returns text as one line, for plain output. Safe text is not copied.
func String(text string) string {
	if ASCII(view(text)) == len(text) {
		return text
	}
	line := painter{out: make([]byte, 0, len(text)+16), paint: true}
	line.fill(view(text), Unlimited)
	return string(line.out)
}

// Width returns the cells that Append uses for all of text with zero Options.
func Width(text string) int {
	var line painter
	line.fill(view(text), Unlimited)
	return line.cells
}

// Truncate returns text as a line of at most maxCells cells, ending in the
// ellipsis if it was cut.
func Truncate(text string, maxCells int, ellipsis string) string {
	out, _, _ := AppendString(nil, text, maxCells, Options{Ellipsis: ellipsis})
	return string(out)
}

// Fit returns how many bytes at the beginning of text fit in maxCells cells, and their
// width. For wrapping, maxCells of at least LongestEscape makes progress on any text.
func Fit(text []byte, maxCells int, o Options) (used, cells int) {
	line := painter{opts: o}
	used = line.fill(text, maxCells)
	return used, line.cells
}

// LongestEscape is the width in cells of the longest visible escape,
// `\u{10ffff}`.
const LongestEscape = 10

// Align is the side on which AppendAligned places the text.
type Align uint8

// The alignments.
const (
	Left Align = iota
	Right
)

// AppendAligned appends text in exactly width cells, cut or padded with spaces.
func AppendAligned(dst, text []byte, width int, align Align, o Options) []byte {
	start := len(dst)
	dst, cells, _ := Append(dst, text, width, o)
	if align == Left {
		return Pad(dst, width-cells)
	}
	end := len(dst)
	dst = Pad(dst, width-cells)
	pad := len(dst) - end
	copy(dst[start+pad:], dst[start:end])
	Pad(dst[:start], pad)
	return dst
}

// Pad appends n spaces; n below one appends nothing.
func Pad(dst []byte, n int) []byte {
	const spaces = "                                                                "
	for n > len(spaces) {
		dst = append(dst, spaces...)
		n -= len(spaces)
	}
	if n > 0 {
		dst = append(dst, spaces[:n]...)
	}
	return dst
}

// RuneWidth returns the width in cells of a rune that is printed as it is, zero for
// combining marks. It returns false for a rune that Append escapes.
func RuneWidth(r rune) (cells int, printable bool) {
	switch classOf(r) {
	case narrow:
		return 1, true
	case wide:
		return 2, true
	case mark:
		return 0, true
	}
	return 0, false
}

// painter fills one line, or only measures without paint.
type painter struct {
	opts  Options
	out   []byte
	cells int
	paint bool
	// combining marks that may still follow: zero at the beginning and after an escape,
	// where there is no base character
	marks int
}

// fill adds text that fits in maxCells, and returns the bytes used.
func (p *painter) fill(text []byte, maxCells int) int {
	used := 0
	for used < len(text) {
		c := text[used]
		if c >= ' ' && c < 0x7f {
			rest := text[used:]
			if room := maxCells - p.cells; len(rest) > room {
				rest = rest[:max(room, 0)]
			}
			n := ASCII(rest)
			if n == 0 {
				return used
			}
			p.print(rest[:n], n)
			p.marks = maxMarks
			used += n
			continue
		}
		n := p.fillOne(text[used:], maxCells-p.cells)
		if n == 0 {
			return used
		}
		used += n
	}
	return used
}

// fillOne adds the first rune of text, which is not printable ASCII, and returns its
// length in bytes, or zero if it does not fit in room.
func (p *painter) fillOne(text []byte, room int) int {
	if text[0] == '\t' && p.opts.TabStop > 0 {
		n := p.opts.TabStop - p.cells%p.opts.TabStop
		if n > room {
			return 0
		}
		if p.paint {
			p.out = Pad(p.out, n)
		}
		p.cells += n
		p.marks = 0
		return 1
	}

	r, size := utf8.DecodeRune(text)
	class := escaped
	if r != utf8.RuneError || size > 1 {
		class = classOf(r)
	}
	switch {
	case class == narrow && room >= 1:
		p.print(text[:size], 1)
		p.marks = maxMarks
		return size
	case class == wide && room >= 2:
		p.print(text[:size], 2)
		p.marks = maxMarks
		return size
	case class == mark && p.marks > 0:
		p.print(text[:size], 0)
		p.marks--
		return size
	case class == narrow || class == wide:
		return 0
	}

	var buf [LongestEscape]byte
	esc := appendEscape(buf[:0], r, size, text[0])
	if len(esc) > room {
		return 0
	}
	if p.paint {
		p.out = append(p.out, p.opts.EscapeStart...)
		p.out = append(p.out, esc...)
		p.out = append(p.out, p.opts.EscapeEnd...)
	}
	p.cells += len(esc)
	p.marks = 0
	return size
}

func (p *painter) print(text []byte, cells int) {
	if p.paint {
		p.out = append(p.out, text...)
	}
	p.cells += cells
}

// appendEscape appends the visible form of r, or of the byte b if r is the replacement
// for an invalid byte of UTF-8.
func appendEscape(dst []byte, r rune, size int, b byte) []byte {
	const hex = "0123456789abcdef"
	switch {
	case r == utf8.RuneError && size == 1:
		return append(dst, '\\', 'x', hex[b>>4], hex[b&15])
	case r == '\t':
		return append(dst, `\t`...)
	case r == '\n':
		return append(dst, `\n`...)
	case r == '\r':
		return append(dst, `\r`...)
	case r <= 0xffff:
		return append(dst, '\\', 'u', hex[r>>12], hex[r>>8&15], hex[r>>4&15], hex[r&15])
	}
	dst = append(dst, `\u{`...)
	if r > 0xfffff {
		dst = append(dst, hex[r>>20])
	}
	return append(dst, hex[r>>16&15], hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15], '}')
}

// ASCII returns how many bytes at the beginning of text are printable ASCII. It reads eight
// at a time.
func ASCII(text []byte) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	n := 0
	for ; len(text)-n >= 8; n += 8 {
		v := binary.LittleEndian.Uint64(text[n:])
		del := v ^ 0x7f*ones
		// A high bit is set where a byte is >= 0x80, < 0x20 or 0x7f.
		if (v|(v-0x20*ones)|(del-ones))&highs != 0 {
			break
		}
	}
	for ; n < len(text); n++ {
		if c := text[n]; c < ' ' || c >= 0x7f {
			break
		}
	}
	return n
}

// view returns the bytes of s without a copy. They must not be modified.
func view(s string) []byte {
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// class is how a rune is shown. Runes outside the table are escaped.
type class uint8

const (
	escaped class = iota
	narrow
	wide
	mark
)

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
