package paint

import (
	"mcpdbg/ui/widget/termsafe"
)

// Border is the kind of lines around a pane.
type Border uint8

const (
	// Light is for panes without the focus.
	Light Border = iota
	// Heavy is for the focused pane.
	Heavy
	// ASCII is Light for terminals without line glyphs.
	ASCII
	// HeavyASCII is Heavy for terminals without line glyphs.
	HeavyASCII
)

type glyphs struct{ horizontal, vertical string }

func (b Border) glyphs() glyphs {
	switch b {
	case Heavy:
		return glyphs{"━", "┃"}
	case ASCII:
		return glyphs{"-", "|"}
	case HeavyASCII:
		return glyphs{"=", "#"}
	}
	return glyphs{"─", "│"}
}

// Frame is the border of a pane. Title and Right may be untrusted, and are cut to fit,
// Right before Title.
type Frame struct {
	Border Border
	Style  Style

	Title      string
	TitleStyle Style
	// at the right end of the top line
	Right      string
	RightStyle Style
}

// appendRule appends the rule above a pane. Between the columns from and to, the end of
// the title and the start of the right text, it has no text.
func (f Frame) appendRule(dst []byte, g glyphs, w int) (rule []byte, from, to int) {
	room := w - 2
	dst = f.Style.Append(dst, g.horizontal)
	right := 0
	if f.Right != "" {
		right = termsafe.Width(f.Right) + 3
	}
	kept := 0 // cells reserved for Right
	if room-right >= leastTitle {
		kept = right
	}
	dst, room = f.appendLabel(dst, g, f.Title, f.TitleStyle, room-kept)
	if room += kept; right > room {
		right = 0
	}
	from, to = w-1-room, w-1-right
	dst = append(dst, f.Style.On...)
	dst = repeat(dst, g.horizontal, room-right)
	dst = append(dst, f.Style.Off...)
	if right > 0 {
		dst = termsafe.AppendAll(append(append(dst, ' '), f.RightStyle.On...), f.Right)
		dst = append(append(dst, f.RightStyle.Off...), ' ')
		dst = f.Style.Append(dst, g.horizontal)
	}
	return f.Style.Append(dst, g.horizontal), from, to
}

// leastTitle is the cells that the title gets before Right gets any; a shorter one would
// not be readable.
const leastTitle = 20

// appendLabel appends the title between two spaces, if there is room for any of it, and
// returns the remaining room.
func (f Frame) appendLabel(dst []byte, g glyphs, title string, style Style, room int) ([]byte, int) {
	const around = 3 // one horizontal and two spaces
	if title == "" || room <= around {
		return dst, room
	}
	dst = f.Style.Append(dst, g.horizontal)
	dst = append(dst, ' ')
	dst = append(dst, style.On...)
	dst, cells, _ := termsafe.AppendString(dst, title, room-around, termsafe.Options{Ellipsis: f.Border.ellipsis()})
	dst = append(dst, style.Off...)
	return append(dst, ' '), room - around - cells
}

func (b Border) ellipsis() string {
	if b.ascii() {
		return "~"
	}
	return termsafe.Ellipsis
}

func (b Border) ascii() bool { return b == ASCII || b == HeavyASCII }

// Glyph returns a line glyph, or its replacement where texts end in an ASCII ellipsis.
func Glyph(o termsafe.Options, glyph, ascii string) string {
	if o.Ellipsis == termsafe.Ellipsis {
		return glyph
	}
	return ascii
}

func repeat(dst []byte, glyph string, n int) []byte {
	for range n {
		dst = append(dst, glyph...)
	}
	return dst
}
