package markdown

import (
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/termsafe"
)

// A line is part of the text of a block, or a line of a table.
type line struct {
	block    int32 // -1 for a blank line
	row      int32 // of a table
	from, to int
	first    bool // of the block
}

const blank = -1

// maxBytesPerCell is how many bytes one cell can hold: a character with its marks.
const maxBytesPerCell = 20

// Layout cuts the document into lines of a width, unless it has it already.
func (d *Document) Layout(width int) {
	if width = max(width, termsafe.LongestEscape); width == d.width {
		return
	}
	d.width, d.lines = width, d.lines[:0]
	for i := range d.blocks {
		b := &d.blocks[i]
		if !b.tight && i > 0 {
			d.lines = append(d.lines, line{block: blank})
		}
		from := len(d.lines)
		d.layBlock(int32(i))
		if len(d.lines) > from {
			d.lines[from].first = true
		}
	}
}

// Lines returns the number of lines.
func (d *Document) Lines() int { return len(d.lines) }

func (d *Document) layBlock(i int32) {
	b := &d.blocks[i]
	width := d.room(b)
	switch b.kind {
	case rule:
		d.lines = append(d.lines, line{block: i})
	case grid:
		for row := range b.table.layout(width) {
			d.lines = append(d.lines, line{block: i, row: int32(row)})
		}
	case program:
		width -= codeIndent
		fallthrough
	default:
		for _, p := range wrap(b.text, width) {
			d.lines = append(d.lines, line{block: i, from: p.from, to: p.to})
		}
	}
}

func (d *Document) room(b *block) int {
	width := d.width
	for _, l := range b.levels {
		width -= l.width
	}
	return max(width, termsafe.LongestEscape)
}

type part struct{ from, to int }

// wrap cuts a text into lines of at most width cells, at least one.
func wrap(text string, width int) (parts []part) {
	width = max(width, termsafe.LongestEscape)
	for from := 0; ; {
		rest := text[from:]
		end := strings.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		paragraph := []byte(wording.Cut(rest[:end], width*maxBytesPerCell))
		fits, _ := termsafe.Fit(paragraph, width, termsafe.Options{})
		if len(paragraph) == end && fits == end {
			parts = append(parts, part{from, from + end})
			if from += end + 1; from > len(text) {
				return parts
			}
			continue
		}
		at := termsafe.Break(paragraph, max(fits, 1))
		parts = append(parts, part{from, from + len(strings.TrimRight(text[from:from+at], " "))})
		if from += at; from == len(text) {
			return parts
		}
	}
}
