package paint

import (
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/widget/theme"
)

// Canvas composes a frame. Draw panes from left to right: each is then appended
// to its rows. Drawing over something else, such as a dialog over panes, costs
// more, because the rows below it must be cut.
type Canvas struct {
	width int
	rows  []row
	panes []ruled // drawn so far, for Join
	seg   []byte  // one row of the current block
	cut   []byte  // a row that is being recomposed
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

// Draw draws block into r. A smaller block is padded with blanks; a larger one
// is cut, and so is everything outside the canvas.
func (c *Canvas) Draw(r Rect, block *Lines) {
	block.place = r
	for y := range max(r.H, 0) {
		c.seg = appendRow(c.seg[:0], block, y, r.W)
		c.put(r.X, r.Y+y, r.W)
	}
}

// Box draws a frame on the edge of r and block inside of it.
func (c *Canvas) Box(r Rect, f Frame, block *Lines) {
	if r.W < 2 || r.H < 2 {
		c.Draw(r, &Lines{})
		return
	}
	block.place = r.Inner()
	g := f.Border.glyphs()
	c.seg, _, _ = f.appendTop(c.seg[:0], g, r.W)
	c.put(r.X, r.Y, r.W)
	for y := range r.H - 2 {
		left, right := g.vertical, g.vertical
		if y < len(block.lines) && block.lines[y].rule {
			left, right = g.ruleLeft, g.ruleRight
		}
		c.seg = f.Style.Append(c.seg[:0], left)
		c.seg = appendRow(c.seg, block, y, r.W-2)
		c.seg = f.Style.Append(c.seg, right)
		c.put(r.X, r.Y+1+y, r.W)
	}
	c.seg = f.appendBottom(c.seg[:0], g, r.W)
	c.put(r.X, r.Y+r.H-1, r.W)
}

// Pane draws a rule with the titles of f on the first row of r, and block below
// it. A pane that is not at the left edge of the screen has a divider at its
// left. Join connects the lines of all panes.
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

// Dim replaces the styles of everything drawn so far by a single one, so that
// whatever is drawn next stands out.
func (c *Canvas) Dim(s theme.Style) {
	for i := range c.rows {
		r := &c.rows[i]
		c.cut = append(c.cut[:0], s.On...)
		for rest := r.buf; len(rest) > 0; {
			if n := sgrLen(rest); n > 0 {
				rest = rest[n:]
				continue
			}
			c.cut = append(c.cut, rest[0])
			rest = rest[1:]
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

// put writes seg, which is w cells wide, at x, y.
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

// appendRow appends row y of block in exactly width cells, padded with blanks.
func appendRow(dst []byte, block *Lines, y, width int) []byte {
	if y >= len(block.lines) {
		return termsafe.Pad(dst, width)
	}
	return block.lines[y].appendTo(dst, width)
}
