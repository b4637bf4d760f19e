package paint

import (
	"bytes"
	"strings"

	"mcpdbg/ui/widget/termsafe"
)

// Canvas composes a frame. Draw panes from left to right: each is then appended to its
// rows. Drawing over something else, such as a dialog over panes, costs more: the rows
// below it must be cut.
type Canvas struct {
	width int
	rows  []row
	panes []ruled // drawn so far, for Join
	seg   []byte  // a row of the current block
	cut   []byte  // a row being recomposed
	out   []byte
}

// row is painted up to column cells; the rest is blank.
type row struct {
	buf   []byte
	cells int
}

// Reset makes the canvas w cells wide and h rows high, all blank.
func (c *Canvas) Reset(w, h int) {
	c.width, c.panes = max(w, 0), c.panes[:0]
	h = max(h, 0)
	for len(c.rows) < h {
		c.rows = append(c.rows, row{})
	}
	c.rows = c.rows[:h]
	for i := range c.rows {
		c.rows[i] = row{buf: c.rows[i].buf[:0]}
	}
}

// Draw draws block into r, padded with blanks or cut, also at the edge of the canvas.
func (c *Canvas) Draw(r Rect, block *Lines) {
	block.place = r
	for y := range max(r.H, 0) {
		c.seg = appendRow(c.seg[:0], block, y, r.W)
		c.put(r.X, r.Y+y, r.W)
	}
}

// Surround draws a rendered border on the edge of r, and block inside. The rows of the
// border are the first, one with room for a text, one with a rule across, and the last.
func (c *Canvas) Surround(r Rect, border []string, block *Lines) {
	block.place = r.Inner()
	left, rest, _ := strings.Cut(border[1], " ")
	right := rest[strings.LastIndexByte(rest, ' ')+1:]
	for y := range r.H {
		c.seg = c.seg[:0]
		switch {
		case y == 0:
			c.seg = append(c.seg, border[0]...)
		case y == r.H-1:
			c.seg = append(c.seg, border[3]...)
		case y <= len(block.lines) && block.lines[y-1].rule:
			c.seg = append(c.seg, border[2]...)
		default:
			c.seg = append(appendRow(append(c.seg, left...), block, y-1, r.W-2), right...)
		}
		c.put(r.X, r.Y+y, r.W)
	}
}

// Pane draws a rule with the titles of f on the first row of r, and block below it, with
// a divider at its left unless that is the edge of the screen. Join connects the lines of
// all panes.
func (c *Canvas) Pane(r Rect, f Frame, block *Lines) {
	if r.W < 2 || r.H < 1 {
		c.Draw(r, &Lines{})
		return
	}
	body := r.Body()
	block.place = body
	g := f.Border.glyphs()
	p := ruled{rect: r, border: f.Border, style: f.Style}
	c.seg, p.from, p.to = f.appendRule(c.seg[:0], g, r.W)
	c.panes = append(c.panes, p)
	c.put(r.X, r.Y, r.W)
	for y := range body.H {
		c.seg = c.seg[:0]
		if body.X > r.X {
			c.seg = f.Style.Append(c.seg, g.vertical)
		}
		c.seg = appendRow(c.seg, block, y, body.W)
		c.put(r.X, body.Y+y, r.W)
	}
}

// Dim replaces all styles drawn so far by one, so that later drawings stand out.
func (c *Canvas) Dim(s Style) {
	for i := range c.rows {
		r := &c.rows[i]
		c.cut = append(c.cut[:0], s.On...)
		for rest := r.buf; len(rest) > 0; {
			text, _, styled := bytes.Cut(rest, []byte{'\x1b'})
			c.cut, rest = append(c.cut, text...), rest[len(text):]
			if styled { // nothing else begins with an escape character
				rest = rest[max(sgrLen(rest), 1):]
			}
		}
		c.cut = append(c.cut, reset...)
		r.buf, c.cut = c.cut, r.buf
	}
}

// String returns the frame: all rows at full width, joined by newlines.
func (c *Canvas) String() string {
	c.out = c.out[:0]
	for i := range c.rows {
		if i > 0 {
			c.out = append(c.out, '\n')
		}
		c.out = append(c.out, c.rows[i].buf...)
		c.out = termsafe.Pad(c.out, c.width-c.rows[i].cells)
	}
	return string(c.out)
}

func (c *Canvas) put(x, y, w int) {
	if y < 0 || y >= len(c.rows) || w <= 0 {
		return
	}
	if from, to := max(x, 0), min(x+w, c.width); from != x || to != x+w {
		if from >= to {
			return
		}
		c.cut = append(cutColumns(c.cut[:0], c.seg, from-x, to-from), reset...)
		c.seg, c.cut = c.cut, c.seg
		x, w = from, to-from
	}

	r := &c.rows[y]
	if x >= r.cells {
		r.buf = termsafe.Pad(r.buf, x-r.cells)
		r.buf = append(r.buf, c.seg...)
		r.cells = x + w
		return
	}
	c.cut = c.cut[:0]
	if x > 0 {
		c.cut = append(cutColumns(c.cut, r.buf, 0, x), reset...)
	}
	c.cut = append(c.cut, c.seg...)
	if right := r.cells - (x + w); right > 0 {
		c.cut = append(cutColumns(c.cut, r.buf, x+w, right), reset...)
	}
	r.buf, c.cut = c.cut, r.buf
	r.cells = max(r.cells, x+w)
}

func appendRow(dst []byte, block *Lines, y, width int) []byte {
	if y >= len(block.lines) {
		return termsafe.Pad(dst, width)
	}
	return block.lines[y].appendTo(dst, width)
}

// Rect is a rectangle of cells. X grows to the right and Y downwards.
type Rect struct {
	X, Y, W, H int
}

// Empty reports whether the rectangle contains no cells.
func (r Rect) Empty() bool {
	return r.W <= 0 || r.H <= 0
}

// Contains reports whether the cell at x, y is in the rectangle.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Inner returns the rectangle inside a border of one cell.
func (r Rect) Inner() Rect {
	return Rect{r.X + 1, r.Y + 1, max(r.W-2, 0), max(r.H-2, 0)}
}

// Body returns a pane without the rule on its first row and, unless it is at the left
// edge of the screen, the divider at its left.
func (r Rect) Body() Rect {
	divider := min(r.X, 1)
	return Rect{r.X + divider, r.Y + 1, max(r.W-divider, 0), max(r.H-1, 0)}
}

// Center returns a rectangle of at most w by h cells in the middle of r.
func (r Rect) Center(w, h int) Rect {
	w, h = min(w, r.W), min(h, r.H)
	return Rect{r.X + (r.W-w)/2, r.Y + (r.H-h)/2, w, h}
}

// CutTop divides r below its first n rows, or after the last one.
func (r Rect) CutTop(n int) (top, rest Rect) {
	n = min(max(n, 0), r.H)
	return Rect{r.X, r.Y, r.W, n}, Rect{r.X, r.Y + n, r.W, r.H - n}
}

// CutBottom divides r above its last n rows.
func (r Rect) CutBottom(n int) (bottom, rest Rect) {
	rest, bottom = r.CutTop(r.H - min(max(n, 0), r.H))
	return bottom, rest
}

// CutLeft divides r after its first n columns.
func (r Rect) CutLeft(n int) (left, rest Rect) {
	n = min(max(n, 0), r.W)
	return Rect{r.X, r.Y, n, r.H}, Rect{r.X + n, r.Y, r.W - n, r.H}
}

// CutRight divides r before its last n columns.
func (r Rect) CutRight(n int) (right, rest Rect) {
	rest, right = r.CutLeft(r.W - min(max(n, 0), r.W))
	return right, rest
}
