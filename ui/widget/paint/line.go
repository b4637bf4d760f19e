package paint

import (
	"unicode/utf8"

	"mcpdbg/ui/widget/termsafe"
)

// reset ends every attribute (ECMA-48, SGR 0).
const reset = "\x1b[m"

// Line is one row of cells while painted, from left to right. Text that does not fit is
// cut. The zero value has no room; Reset gives it a width.
type Line struct {
	buf    []byte
	width  int
	cells  int
	styled bool
	rule   bool // see Rule
	opts   termsafe.Options
}

// Reset empties the line and sets its width in cells. opts control long and unprintable
// text.
func (l *Line) Reset(width int, opts termsafe.Options) {
	*l = Line{buf: l.buf[:0], width: max(width, 0), styled: opts.EscapeStart != "", opts: opts}
}

// Cells returns the number of painted cells.
func (l *Line) Cells() int { return l.cells }

// Room returns the number of cells left.
func (l *Line) Room() int { return l.width - l.cells }

// Text appends text in a style. If it does not fit, the line ends in the ellipsis of the
// options.
func (l *Line) Text(s Style, text string) {
	l.open(s)
	buf, cells, _ := termsafe.AppendString(l.buf, text, l.Room(), l.opts)
	l.buf = buf
	l.cells += cells
	l.buf = append(l.buf, s.Off...)
}

// Bytes is like Text, for bytes.
func (l *Line) Bytes(s Style, text []byte) {
	l.open(s)
	buf, cells, _ := termsafe.Append(l.buf, text, l.Room(), l.opts)
	l.buf = buf
	l.cells += cells
	l.buf = append(l.buf, s.Off...)
}

// placeholder is the cell of a picture that the terminal holds (kitty graphics protocol,
// "Unicode placeholders"). Text of a server cannot contain it: termsafe escapes it.
const placeholder = '\U0010EEEE'

// Placeholder appends a cell of a picture that the terminal holds, if there is room. The
// colour of the style is the number of the picture; marks are the combining marks for the
// row and the column.
func (l *Line) Placeholder(s Style, marks string) {
	if l.Room() < 1 {
		return
	}
	l.open(s)
	l.buf = append(utf8.AppendRune(l.buf, placeholder), marks...)
	l.cells++
	l.buf = append(l.buf, s.Off...)
}

// Field appends text in exactly width cells, cut or padded with spaces.
func (l *Line) Field(s Style, text []byte, width int, align termsafe.Align) {
	width = min(width, l.Room())
	l.open(s)
	l.buf = termsafe.AppendAligned(l.buf, text, width, align, l.opts)
	l.cells += max(width, 0)
	l.buf = append(l.buf, s.Off...)
}

// Rendered appends the output of a library widget, text with SGR sequences, which are
// kept; other escape sequences are shown as text. It must not be used for untrusted text,
// which could choose its own colours.
func (l *Line) Rendered(text string) {
	for text != "" {
		run, sequence := nextSGR(text)
		l.Text(Style{}, text[:run])
		l.buf = append(l.buf, text[run:run+sequence]...)
		l.styled = l.styled || sequence > 0
		text = text[run+sequence:]
	}
}

// Append appends another painted line from a cell on, cut to the remaining room. Styles
// that it leaves open stay open.
func (l *Line) Append(other *Line, from int) {
	l.appendCells(other, from, min(other.cells-from, l.Room()))
}

// AppendCut is like Append; if the rest does not fit, the line ends in the ellipsis of
// the options.
func (l *Line) AppendCut(other *Line, from int) {
	if other.cells-from <= l.Room() {
		l.Append(other, from)
		return
	}
	l.appendCells(other, from, l.Room()-termsafe.Width(l.opts.Ellipsis))
	l.Text(Style{}, l.opts.Ellipsis)
}

func (l *Line) appendCells(other *Line, from, width int) {
	if width <= 0 {
		return
	}
	if from == 0 && width == other.cells {
		l.buf = append(l.buf, other.buf...)
	} else {
		l.buf = cutColumns(l.buf, other.buf, from, width)
	}
	l.cells += width
	l.styled = l.styled || other.styled
}

// Rule fills the line with a glyph. The sides of a Box connect to it.
func (l *Line) Rule(s Style, glyph string) {
	l.rule = l.cells == 0
	l.open(s)
	l.buf = repeat(l.buf, glyph, l.Room())
	l.cells = l.width
	l.buf = append(l.buf, s.Off...)
}

// PadTo appends spaces up to a number of cells.
func (l *Line) PadTo(cells int) {
	cells = min(cells, l.width)
	if n := cells - l.cells; n > 0 {
		l.buf = termsafe.Pad(l.buf, n)
		l.cells = cells
	}
}

// Fill pads the line to its width.
func (l *Line) Fill() { l.PadTo(l.width) }

// Begin switches a style on until End.
func (l *Line) Begin(s Style) { l.open(s) }

// End switches the style of Begin off.
func (l *Line) End(s Style) { l.buf = append(l.buf, s.Off...) }

// String returns the painted text, for tests and printing.
func (l *Line) String() string { return string(l.buf) }

func (l *Line) open(s Style) {
	l.buf = append(l.buf, s.On...)
	l.styled = l.styled || s.On != ""
}

// appendTo appends exactly width cells and ends all styles.
func (l *Line) appendTo(dst []byte, width int) []byte {
	cells := min(l.cells, width)
	if l.cells > width {
		dst = cutColumns(dst, l.buf, 0, width)
	} else {
		dst = append(dst, l.buf...)
	}
	if l.styled {
		dst = append(dst, reset...)
	}
	return termsafe.Pad(dst, width-cells)
}

// Lines is a block of rows of a pane. The zero value has no rows.
type Lines struct {
	// Options apply to every line; set them before Resize.
	Options termsafe.Options

	width int
	lines []Line
	place Rect
}

// Place returns where a Canvas last drew the block, without the frame of Box.
func (b *Lines) Place() Rect { return b.place }

// Resize makes the block w cells wide and h rows high, all empty.
func (b *Lines) Resize(w, h int) {
	w, h = max(w, 0), max(h, 0)
	b.width = w
	for len(b.lines) < h {
		b.lines = append(b.lines, Line{})
	}
	b.lines = b.lines[:h]
	for i := range b.lines {
		b.lines[i].Reset(w, b.Options)
	}
}

// Size returns the width in cells and the number of rows.
func (b *Lines) Size() (w, h int) { return b.width, len(b.lines) }

// Line empties row y and returns it, to be painted.
func (b *Lines) Line(y int) *Line {
	l := &b.lines[y]
	l.Reset(b.width, b.Options)
	return l
}

// Painted returns row y as it was painted.
func (b *Lines) Painted(y int) *Line { return &b.lines[y] }
