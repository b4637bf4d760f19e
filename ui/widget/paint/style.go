package paint

import (
	"image/color"
	"math"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Style is a look, as the SGR sequences (ECMA-48, 8.3.117) that switch it on and off. Off
// ends only what On began, so styles of different kinds can be nested, such as a colour
// inside reverse. The zero value changes nothing.
type Style struct {
	On, Off string
}

// Append appends text in the style. Text must be safe for the terminal.
func (s Style) Append(dst []byte, text string) []byte {
	dst = append(dst, s.On...)
	dst = append(dst, text...)
	return append(dst, s.Off...)
}

// If returns the style if it applies, or else the zero Style.
func (s Style) If(applies bool) Style {
	if applies {
		return s
	}
	return Style{}
}

// With returns the style with another one inside.
func (s Style) With(other Style) Style {
	return Style{On: s.On + other.On, Off: other.Off + s.Off}
}

// Reversed returns a style that exchanges foreground and background.
func Reversed() Style { return Style{On: "\x1b[7m", Off: "\x1b[27m"} }

// compile returns the sequences of a style of Lip Gloss. Widths, margins and borders have
// no meaning for a text in a line.
func compile(look lipgloss.Style) Style {
	var on, off ansi.Style
	for _, a := range []struct {
		is      bool
		on, off string
	}{{look.GetBold(), "1", "22"}, {look.GetFaint(), "2", "22"}, {look.GetItalic(), "3", "23"}, {look.GetUnderline(), "4", "24"}, {look.GetReverse(), "7", "27"}} {
		if a.is {
			on, off = append(on, a.on), append(off, a.off)
		}
	}
	if c := look.GetForeground(); hasColor(c) {
		on, off = on.ForegroundColor(c), off.ForegroundColor(nil)
	}
	if c := look.GetBackground(); hasColor(c) {
		on, off = on.BackgroundColor(c), off.BackgroundColor(nil)
	}
	if on == nil {
		return Style{}
	}
	return Style{On: on.String(), Off: off.String()}
}

func hasColor(c color.Color) bool {
	_, none := c.(lipgloss.NoColor)
	return !none
}

// contrast is the ratio of the relative luminance of two colours, as WCAG 2 defines it.
func contrast(a, b color.Color) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(c color.Color) float64 {
	channel := func(c uint32) float64 {
		v := float64(c) / 0xffff
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	r, g, b, _ := c.RGBA()
	return 0.2126*channel(r) + 0.7152*channel(g) + 0.0722*channel(b)
}
