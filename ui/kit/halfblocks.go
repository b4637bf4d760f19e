package kit

import (
	"fmt"
	"image/color"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/theme"
)

// PictureCells are a picture at one size, in cells.
type PictureCells struct {
	Width int
	rows  [][]halfBlock
}

// ShowsPictures reports whether pictures can be shown at all, with 256 colours and more than
// ASCII.
func ShowsPictures(th *theme.Theme, ascii bool) bool { return th.Profile == theme.TrueColor && !ascii }

// Fit returns the picture in at most width by height cells, not enlarged.
func (p *Picture) Fit(width, height int) PictureCells {
	w, h := fitWithin(p.w, p.h, max(width, 1), 2*max(height, 1))
	cells := PictureCells{Width: w}
	at := func(x, y int) color.RGBA { return p.pixels[y*p.w+x] }
	for y := 0; y < h; y += 2 {
		row := make([]halfBlock, w)
		for x := range row {
			upper := averageColor(p.w, p.h, w, h, x, y, at)
			var lower color.RGBA // below an odd number of pixels there is nothing
			if y+1 < h {
				lower = averageColor(p.w, p.h, w, h, x, y+1, at)
			}
			row[x] = halfBlockOf(upper, lower)
		}
		cells.rows = append(cells.rows, row)
	}
	return cells
}

// A halfBlock is a half block, or blank where transparent.
type halfBlock struct {
	style theme.Style
	glyph string
}

// halfSeen is the opacity from which a pixel is shown.
const halfSeen = 128

func halfBlockOf(upper, lower color.RGBA) halfBlock {
	switch over, under := upper.A >= halfSeen, lower.A >= halfSeen; {
	case over && under:
		return halfBlock{theme.Style{On: "\x1b[38;2;" + rgb(upper) + ";48;2;" + rgb(lower) + "m", Off: "\x1b[39;49m"}, "▀"}
	case over:
		return halfBlock{theme.Style{On: "\x1b[38;2;" + rgb(upper) + "m", Off: "\x1b[39m"}, "▀"}
	case under:
		return halfBlock{theme.Style{On: "\x1b[38;2;" + rgb(lower) + "m", Off: "\x1b[39m"}, "▄"}
	}
	return halfBlock{glyph: " "}
}

// rgb returns the parameters of a colour, multiplied with its opacity.
func rgb(c color.RGBA) string {
	full := func(v uint8) int { return min(int(v)*255/max(int(c.A), 1), 255) }
	return fmt.Sprintf("%d;%d;%d", full(c.R), full(c.G), full(c.B))
}

// Rows returns the number of rows.
func (c PictureCells) Rows() int { return len(c.rows) }

// Paint paints a row.
func (c PictureCells) Paint(l *paint.Line, row int) {
	for _, c := range c.rows[row] {
		l.Text(c.style, c.glyph)
	}
}
