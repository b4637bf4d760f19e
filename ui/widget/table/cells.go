package table

import (
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// Cells collects the text of one row from a Source. Text may be unsafe; the table cuts,
// aligns and escapes it.
type Cells struct {
	widths    []int // by column; zero for a hidden one
	rest      []int // the same, including the rest of the row
	last      int   // the column that takes the rest of the row
	pieces    []piece
	arena     []byte
	mark      string
	markStyle paint.Style
	flag      string
	flagStyle paint.Style
	tail      tail
	wanted    piece // see Need
	rule      string
	ruleStyle paint.Style
}

type piece struct {
	column, start, end int
	style              paint.Style
}

type tail struct {
	column int
	style  paint.Style
	text   string
}

// maxBytesPerCell is the maximum number of visible bytes in a cell: a character with four
// combining marks, of four bytes each.
const maxBytesPerCell = 20

// Width returns the visible width of a column, zero if hidden, so that a source can skip
// its text.
func (c *Cells) Width(column int) int {
	if column == c.last {
		return c.rest[column]
	}
	return c.widths[column]
}

// Rest gives a column the cells of all columns after it, which then stay empty. It must
// be called before the column has text.
func (c *Cells) Rest(column int) { c.last = column }

// Text adds text to a column.
func (c *Cells) Text(column int, s paint.Style, text string) {
	start := len(c.arena)
	c.arena = append(c.arena, text[:min(len(text), c.limit(column))]...)
	c.pieces = append(c.pieces, piece{column, start, len(c.arena), s})
}

// Bytes is Text for bytes, which are copied.
func (c *Cells) Bytes(column int, s paint.Style, text []byte) {
	start := len(c.arena)
	c.arena = append(c.arena, text[:min(len(text), c.limit(column))]...)
	c.pieces = append(c.pieces, piece{column, start, len(c.arena), s})
}

// Mark sets the glyph, of one cell, in the second cell of the row.
func (c *Cells) Mark(s paint.Style, glyph string) {
	c.mark, c.markStyle = glyph, s
}

// Marked reports whether the row has a mark.
func (c *Cells) Marked() bool { return c.mark != "" }

// Flag sets the glyph, of one cell, after the mark, if Table.SetFlags is on.
func (c *Cells) Flag(s paint.Style, glyph string) {
	c.flag, c.flagStyle = glyph, s
}

// Tail sets a short printable text that ends the text of a column and is never cut; what
// does not fit next to it is. A later call replaces it.
func (c *Cells) Tail(column int, s paint.Style, text string) { c.tail = tail{column, s, text} }

// Need reports that a column by need could use a width in cells, for text that its source
// has cut.
func (c *Cells) Need(column, cells int) { c.wanted = piece{column: column, end: cells} }

// Rule makes the row a rule across the table, of a glyph of one cell: its text, of all
// columns, interrupts the line near its beginning.
func (c *Cells) Rule(s paint.Style, glyph string) { c.rule, c.ruleStyle = glyph, s }

// limit returns the maximum number of visible bytes of a column, with one more cell to
// notice a cut.
func (c *Cells) limit(column int) int {
	width := c.Width(column)
	if width == 0 {
		return 0
	}
	return (width + termsafe.LongestEscape) * maxBytesPerCell
}

func (c *Cells) reset() {
	c.pieces = c.pieces[:0]
	c.arena = c.arena[:0]
	c.mark, c.markStyle = "", paint.Style{}
	c.flag, c.flagStyle = "", paint.Style{}
	c.last = -1
	c.tail, c.wanted, c.rule = tail{}, piece{}, ""
}
