package paint

import (
	"strings"
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

	cursor *Cursor // nil in any other row
	base   string  // begins the styles around the next text
}

// Reset empties the line and sets its width in cells. opts control long and unprintable
// text.
func (l *Line) Reset(width int, opts termsafe.Options) {
	*l = Line{buf: l.buf[:0], width: max(width, 0), styled: opts.EscapeStart != "", opts: opts}
}

// A Cursor is the look of a row under the cursor. Texts in it keep their styles, unless
// the whole row is reversed.
type Cursor struct {
	style, mark Style
	match, hit  Style // a style and the one that replaces it in the row
	flat        bool
}

// Cursor returns the look of the row under the cursor of a pane.
func (th *Theme) Cursor(focused bool) *Cursor {
	if focused {
		return &th.focused
	}
	return &th.blurred
}

// If returns the cursor if it is in a row, or else nil.
func (c *Cursor) If(here bool) *Cursor {
	if here {
		return c
	}
	return nil
}

// Soft returns the cursor, or nil if it reverses the row: a bar is never reversed.
func (c *Cursor) Soft() *Cursor {
	if c == nil || c.flat {
		return nil
	}
	return c
}

// BeginRow paints the first cell of a row, and the rest up to EndRow with the look of a
// cursor; nil is for other rows.
func (l *Line) BeginRow(c *Cursor) {
	l.Enter(c)
	if c != nil && l.Room() > 0 {
		l.buf = append(append(append(l.buf, c.mark.On...), '>'), c.mark.Off...)
		l.buf = append(l.buf, l.base...)
		l.cells++
		return
	}
	l.PadTo(l.cells + 1)
}

// EndRow fills a row that has the look of a cursor, and ends that.
func (l *Line) EndRow() {
	if l.cursor != nil {
		l.Fill()
		l.Leave()
	}
}

// Enter paints what follows with the look of a cursor, or nil, until Leave.
func (l *Line) Enter(c *Cursor) {
	if c != nil {
		l.Begin(c.style)
		l.cursor = c
	}
}

// Leave ends the look of a cursor.
func (l *Line) Leave() {
	if c := l.cursor; c != nil {
		l.cursor = nil
		l.End(c.style)
	}
}

// PartOf gives the line the look of another, to which it will be appended.
func (l *Line) PartOf(other *Line) { l.cursor, l.base = other.cursor, other.base }

// Cells returns the number of painted cells.
func (l *Line) Cells() int { return l.cells }

// Room returns the number of cells left.
func (l *Line) Room() int { return l.width - l.cells }

// Text appends text in a style. If it does not fit, the line ends in the ellipsis of the
// options.
func (l *Line) Text(s Style, text string) {
	s = l.open(s)
	buf, cells, _ := termsafe.AppendString(l.buf, text, l.Room(), l.opts)
	l.buf = buf
	l.cells += cells
	l.close(s)
}

// Bytes is like Text, for bytes.
func (l *Line) Bytes(s Style, text []byte) {
	s = l.open(s)
	buf, cells, _ := termsafe.Append(l.buf, text, l.Room(), l.opts)
	l.buf = buf
	l.cells += cells
	l.close(s)
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
	s = l.open(s)
	l.buf = append(utf8.AppendRune(l.buf, placeholder), marks...)
	l.cells++
	l.close(s)
}

// Field appends text in exactly width cells, cut or padded with spaces.
func (l *Line) Field(s Style, text []byte, width int, align termsafe.Align) {
	width = min(width, l.Room())
	s = l.open(s)
	l.buf = termsafe.AppendAligned(l.buf, text, width, align, l.opts)
	l.cells += max(width, 0)
	l.close(s)
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

// AppendCut is like Append, into at most width cells; if the rest does not fit, they end
// in the ellipsis of the options.
func (l *Line) AppendCut(other *Line, from, width int) {
	width = min(width, l.Room())
	switch {
	case other.cells-from <= width:
		l.Append(other, from)
		return
	case width <= 0:
		return
	}
	l.appendCells(other, from, width-termsafe.Width(l.opts.Ellipsis))
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

// Rule fills the line with a glyph. The sides of a dialog connect to it.
func (l *Line) Rule(s Style, glyph string) {
	l.rule = l.cells == 0
	s = l.open(s)
	l.buf = repeat(l.buf, glyph, l.Room())
	l.cells = l.width
	l.close(s)
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

// Begin switches a style on until End, also after texts that end a part of it.
func (l *Line) Begin(s Style) { l.base += l.open(s).On }

// End switches the style of the last Begin off.
func (l *Line) End(s Style) {
	s = l.styleOf(s)
	l.base = strings.TrimSuffix(l.base, s.On)
	l.close(s)
}

// String returns the painted text, for tests and printing.
func (l *Line) String() string { return string(l.buf) }

// open begins a style, or the one that replaces it in the row under the cursor, which it
// returns.
func (l *Line) open(s Style) Style {
	s = l.styleOf(s)
	l.buf = append(l.buf, s.On...)
	l.styled = l.styled || s.On != ""
	return s
}

func (l *Line) styleOf(s Style) Style {
	switch c := l.cursor; {
	case c == nil:
		return s
	case s == c.match:
		return c.hit
	case c.flat:
		return Style{}
	}
	return s
}

func (l *Line) close(s Style) {
	if s.Off != "" {
		l.buf = append(append(l.buf, s.Off...), l.base...)
	}
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

// Place returns where a Canvas last drew the block, without the border of a dialog.
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

// Add adds empty rows at the end.
func (b *Lines) Add(rows int) {
	for range max(rows, 0) {
		b.lines = append(b.lines, Line{})
		b.lines[len(b.lines)-1].Reset(b.width, b.Options)
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
