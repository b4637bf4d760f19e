package table

import (
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// Cells takes what a Source has to say about one row. Text need not be safe;
// the table cuts, aligns and escapes it.
type Cells struct {
	widths    []int // by column; zero for one that is not shown
	pieces    []piece
	arena     []byte
	mark      string
	markStyle theme.Style
}

// piece is text in one style; those of a column stand in the order of the
// calls.
type piece struct {
	column, start, end int
	style              theme.Style
}

// maxBytesPerCell bounds what can be seen of a text: a character of four
// bytes with four combining marks of at most four bytes each.
const maxBytesPerCell = 20

// Width returns how many cells of a column can be seen, zero if it is not
// shown, so that a source can save itself the work.
func (c *Cells) Width(column int) int { return c.widths[column] }

// Text adds text to a column.
func (c *Cells) Text(column int, s theme.Style, text string) {
	start := len(c.arena)
	c.arena = append(c.arena, text[:min(len(text), c.limit(column))]...)
	c.pieces = append(c.pieces, piece{column, start, len(c.arena), s})
}

// Bytes is Text for bytes, which are copied.
func (c *Cells) Bytes(column int, s theme.Style, text []byte) {
	start := len(c.arena)
	c.arena = append(c.arena, text[:min(len(text), c.limit(column))]...)
	c.pieces = append(c.pieces, piece{column, start, len(c.arena), s})
}

// Mark sets the glyph in the second cell of the row; it must be one cell wide.
func (c *Cells) Mark(s theme.Style, glyph string) {
	c.mark, c.markStyle = glyph, s
}

// limit is how many bytes of a text can possibly be seen in a column. One
// cell more is kept so that the cut is noticed.
func (c *Cells) limit(column int) int {
	if c.widths[column] == 0 {
		return 0
	}
	return (c.widths[column] + termsafe.LongestEscape) * maxBytesPerCell
}

func (c *Cells) reset() {
	c.pieces = c.pieces[:0]
	c.arena = c.arena[:0]
	c.mark, c.markStyle = "", theme.Style{}
}
