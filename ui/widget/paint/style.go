package paint

import (
	"fmt"
	"strings"
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

type attrSet uint8

const (
	bold attrSet = 1 << iota
	underline
	reverse
	faint
	italic
)

// hue is a named colour; see shades.
type hue uint8

const (
	none hue = iota
	grey
	blue // the accent
	green
	vermilion
	orange
	yellow
	purple
	// Quiet hues, for the families of methods.
	teal
	olive
	mauve
)

// shade is a hue on one kind of background: the SGR foreground code of the sixteen
// colours, and 24 bits of red, green and blue.
type shade struct {
	code int
	rgb  uint32
}

// shades returns 24-bit values with a contrast of at least 4.5 to 1 with common
// backgrounds (WCAG 2, criterion 1.4.3).
func (h hue) shades() (dark, light shade) {
	switch h {
	case grey:
		return shade{37, 0x9a9a9a}, shade{90, 0x666666}
	case blue:
		return shade{96, 0x56b4e9}, shade{34, 0x0072b2}
	case green:
		return shade{32, 0x22b28a}, shade{32, 0x00785a}
	case vermilion:
		return shade{91, 0xf07a35}, shade{31, 0xb04a00}
	case orange:
		return shade{33, 0xe69f00}, shade{33, 0x8f6200}
	case yellow:
		return shade{93, 0xf0e442}, shade{33, 0x746b00}
	case purple:
		return shade{95, 0xcc79a7}, shade{35, 0xa0427a}
	case teal:
		return shade{36, 0x7fb5bf}, shade{36, 0x33697a}
	case olive:
		return shade{33, 0xb5b07d}, shade{33, 0x66632e}
	case mauve:
		return shade{35, 0xb7a0cc}, shade{35, 0x74548c}
	}
	return shade{}, shade{}
}

// strongShades is like shades, with a contrast of at least 7 to 1 (WCAG 2,
// criterion 1.4.6).
func (h hue) strongShades() (dark, light shade) {
	switch h {
	case grey:
		return shade{97, 0xd0d0d0}, shade{30, 0x3a3a3a}
	case blue:
		return shade{96, 0x8fd3ff}, shade{34, 0x003f73}
	case green:
		return shade{92, 0x5fe3b8}, shade{32, 0x004a36}
	case vermilion:
		return shade{91, 0xffb38a}, shade{31, 0x7a2b00}
	case orange:
		return shade{93, 0xffc861}, shade{31, 0x5a3a00}
	case yellow:
		return shade{93, 0xfff176}, shade{31, 0x463f00}
	case purple:
		return shade{95, 0xffb3da}, shade{35, 0x6b1450}
	case teal:
		return shade{96, 0xa6e3ec}, shade{34, 0x0b4552}
	case olive:
		return shade{93, 0xe0dba0}, shade{30, 0x43410f}
	case mauve:
		return shade{95, 0xdcc8f0}, shade{35, 0x4c2a66}
	}
	return shade{}, shade{}
}

type cellLook struct {
	hue   hue
	attrs attrSet
	// replaces attrs without colour, unless zero
	plain attrSet
}

type palette struct {
	dark, strong bool
	profile      Profile
}

func (p palette) style(l cellLook) Style {
	attrs := l.attrs
	if p.profile == NoColor && l.plain != 0 {
		attrs = l.plain
	}
	var on, off []string
	for _, a := range []struct {
		attr    attrSet
		on, off string
	}{{bold, "1", "22"}, {underline, "4", "24"}, {reverse, "7", "27"}, {faint, "2", "22"}, {italic, "3", "23"}} {
		if attrs&a.attr != 0 {
			on = append(on, a.on)
			off = append(off, a.off)
		}
	}
	if l.hue != none && p.profile != NoColor {
		on = append(on, p.foreground(l.hue))
		off = append(off, "39")
	}
	if on == nil {
		return Style{}
	}
	return Style{On: sgr(on), Off: sgr(off)}
}

func (p palette) foreground(h hue) string {
	s, light := h.shades()
	if p.strong {
		s, light = h.strongShades()
	}
	if !p.dark {
		s = light
	}
	if p.profile == ANSI {
		return fmt.Sprint(s.code)
	}
	return fmt.Sprintf("38;2;%d;%d;%d", s.rgb>>16, s.rgb>>8&0xff, s.rgb&0xff)
}

func sgr(params []string) string {
	return "\x1b[" + strings.Join(params, ";") + "m"
}
