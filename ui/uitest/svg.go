package uitest

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcpdbg/ui/widget/paint"
)

// An SVGPalette holds the colours that a frame leaves to the terminal, as #rrggbb.
type SVGPalette struct{ Foreground, Background string }

// The palettes of the two pictures in the documents.
var (
	DarkSVG  = SVGPalette{Foreground: "#d4d4d4", Background: "#16181d"}
	LightSVG = SVGPalette{Foreground: "#24292f", Background: "#ffffff"}
)

// Measures of a picture, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18
	baseline   = 13.5 // of text below the top of its cell
	fontSize   = 14
	margin     = 12
)

// A Scene is a frame of a moving picture.
type Scene struct {
	Frame   string // text with SGR sequences in true colour
	Caption string // below the frame, if any
	Seconds int    // how long it is shown
}

// DrawSVG returns a picture of frames of one size: of several, one after the other, over and
// over. Every cell has a fixed place in any font: each run of text is stretched to its
// width, and lines of boxes are drawn as lines.
func DrawSVG(p SVGPalette, scenes ...Scene) []byte {
	lines, columns, all := 0, 0, 0
	for _, s := range scenes {
		rows := strings.Split(s.Frame, "\n")
		for _, row := range rows {
			columns = max(columns, ansi.StringWidth(row))
		}
		if s.Caption != "" {
			rows = append(rows, "", "")
		}
		lines = max(lines, len(rows))
		all += s.Seconds
	}
	width, height := float64(columns)*cellWidth+2*margin, lines*cellHeight+2*margin
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.1f" height="%d" viewBox="0 0 %.1f %d">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", p.Background)
	if len(scenes) > 1 {
		writeMotion(&b, scenes, all)
	}
	fmt.Fprintf(&b, `<g transform="translate(%d,%d)" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="%d" xml:space="preserve">`+"\n", margin, margin, fontSize)
	for i, s := range scenes {
		c := svgCanvas{palette: p}
		for y, line := range strings.Split(s.Frame, "\n") {
			c.line(y, line)
		}
		if s.Caption != "" {
			c.words(0, lines-1, s.Caption, p.Foreground, svgStyle{bold: true})
		}
		fmt.Fprintf(&b, `<g class="s s%d">`+"\n", i)
		b.Write(c.back.Bytes())
		b.Write(c.front.Bytes())
		b.WriteString("</g>\n")
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// writeMotion shows each scene in its time, and with reduced motion only the last one.
func writeMotion(b *bytes.Buffer, scenes []Scene, all int) {
	b.WriteString("<style>.s{visibility:hidden}\n")
	from := 0
	for i, s := range scenes {
		to := from + s.Seconds
		fmt.Fprintf(b, "@keyframes k%d{0%%{visibility:hidden}%.2f%%{visibility:visible}%.2f%%{visibility:hidden}}\n", i, 100*float64(from)/float64(all), 100*float64(to)/float64(all))
		fmt.Fprintf(b, ".s%d{animation:k%d %ds step-end infinite}\n", i, i, all)
		from = to
	}
	fmt.Fprintf(b, "@media (prefers-reduced-motion:reduce){.s{animation:none}.s%d{visibility:visible}}</style>\n", len(scenes)-1)
}

// An svgStyle is how a cell is drawn; empty colours are the palette's.
type svgStyle struct {
	fg, bg                   string
	bold, underline, reverse bool
}

type svgCanvas struct {
	palette     SVGPalette
	back, front bytes.Buffer
}

func (c *svgCanvas) line(y int, text string) {
	var s svgStyle
	var run strings.Builder
	x, from := 0, 0
	flush := func() {
		c.run(from, y, run.String(), s)
		run.Reset()
		from = x
	}
	for len(text) > 0 {
		seq, width, n, _ := ansi.DecodeSequence(text, ansi.NormalState, nil)
		text = text[n:]
		switch {
		case strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m"):
			flush()
			s.apply(strings.TrimSuffix(seq[2:], "m"))
		case width == 0: // no other sequences are in a frame
		case isBox(seq):
			flush()
			cells := 1
			for ; strings.HasPrefix(text, seq); cells++ {
				text = text[len(seq):]
			}
			c.boxes(x, y, cells, seq, s)
			x += cells
			from = x
		default:
			run.WriteString(seq)
			x += width
		}
	}
	flush()
}

func (s *svgStyle) apply(params string) {
	codes := strings.Split(params, ";")
	for i := 0; i < len(codes); i++ {
		switch codes[i] {
		case "", "0":
			*s = svgStyle{}
		case "1":
			s.bold = true
		case "22":
			s.bold = false
		case "4":
			s.underline = true
		case "24":
			s.underline = false
		case "7":
			s.reverse = true
		case "27":
			s.reverse = false
		case "39":
			s.fg = ""
		case "49":
			s.bg = ""
		case "38", "48":
			colour := ""
			if i+4 < len(codes) && codes[i+1] == "2" {
				var r, g, b int
				_, _ = fmt.Sscanf(strings.Join(codes[i+2:i+5], " "), "%d %d %d", &r, &g, &b)
				colour = fmt.Sprintf("#%02x%02x%02x", r, g, b)
			}
			if codes[i] == "38" {
				s.fg = colour
			} else {
				s.bg = colour
			}
			i += 4
		}
	}
}

// colours returns an empty background for that of the picture.
func (c *svgCanvas) colours(s svgStyle) (fg, bg string) {
	fg, bg = s.fg, s.bg
	if fg == "" {
		fg = c.palette.Foreground
	}
	if s.reverse {
		if bg == "" {
			bg = c.palette.Background
		}
		fg, bg = bg, fg
	}
	return fg, bg
}

func (c *svgCanvas) fill(x, y, cells int, bg string) {
	if bg != "" && cells > 0 {
		fmt.Fprintf(&c.back, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", float64(x)*cellWidth, y*cellHeight, float64(cells)*cellWidth, cellHeight, bg)
	}
}

// run draws text with one style. Columns within it, two and more spaces apart, are placed
// one by one.
func (c *svgCanvas) run(x, y int, text string, s svgStyle) {
	fg, bg := c.colours(s)
	c.fill(x, y, ansi.StringWidth(text), bg)
	for text != "" {
		short := strings.TrimLeft(text, " ")
		x += len(text) - len(short)
		word, _, _ := strings.Cut(short, "  ")
		c.words(x, y, strings.TrimRight(word, " "), fg, s)
		x += ansi.StringWidth(word)
		text = short[len(word):]
	}
}

func (c *svgCanvas) words(x, y int, short, fg string, s svgStyle) {
	if short == "" {
		return
	}
	width := float64(ansi.StringWidth(short)) * cellWidth
	fmt.Fprintf(&c.front, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"`, float64(x)*cellWidth, float64(y*cellHeight)+baseline, width, fg)
	if s.bold {
		c.front.WriteString(` font-weight="700"`)
	}
	if s.underline {
		c.front.WriteString(` text-decoration="underline"`)
	}
	fmt.Fprintf(&c.front, ">%s</text>\n", html.EscapeString(short))
}

// armsOf returns the widths of the lines that leave the middle of a box character: up,
// right, down, left. Round corners are drawn as corners.
func armsOf(char string) ([4]int, bool) {
	if at := strings.Index("╭╮╯╰", char); at >= 0 {
		char = "┌┐┘└"[at : at+len(char)]
	}
	return paint.Arms(char)
}

func isBox(char string) bool {
	_, ok := armsOf(char)
	return ok
}

// boxes draws a box character in some cells. A line through all of them is one.
func (c *svgCanvas) boxes(x, y, cells int, char string, s svgStyle) {
	fg, bg := c.colours(s)
	c.fill(x, y, cells, bg)
	path := func(x1, y1, x2, y2, weight float64) {
		fmt.Fprintf(&c.front, `<path d="M%.1f %.1fL%.1f %.1f" stroke="%s" stroke-width="%g" stroke-linecap="square"/>`+"\n", x1, y1, x2, y2, fg, weight)
	}
	left, top := float64(x)*cellWidth, float64(y*cellHeight)
	arms, _ := armsOf(char)
	if arms[0] == 0 && arms[2] == 0 && arms[1] == arms[3] {
		path(left, top+cellHeight/2, left+float64(cells)*cellWidth, top+cellHeight/2, float64(arms[1]))
		return
	}
	for range cells {
		midX, midY := left+cellWidth/2, top+cellHeight/2
		ends := [4][2]float64{{midX, top}, {left + cellWidth, midY}, {midX, top + cellHeight}, {left, midY}}
		for i, weight := range arms {
			if weight > 0 {
				path(midX, midY, ends[i][0], ends[i][1], float64(weight))
			}
		}
		left += cellWidth
	}
}
