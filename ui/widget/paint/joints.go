package paint

import (
	"unicode/utf8"
)

type ruled struct {
	rect   Rect
	border Border
	style  Style
	// The title ends and the right text begins at these columns of the rule.
	from, to int
}

const (
	noArm = iota
	lightArm
	heavyArm
)

// The arms of a glyph, in the order in which lineGlyphs counts.
const (
	armUp = iota
	armRight
	armDown
	armLeft
	armCount
)

// lineGlyphs holds the box-drawing characters (Unicode block 2500) by the weights of
// their arms: up, right, down and left are the digits of a number to base 3.
var lineGlyphs = []rune(" ╴╸╷┐┑╻┒┓╶─╾┌┬┭┎┰┱╺╼━┍┮┯┏┲┳" +
	"╵┘┙│┤┥╽┧┪└┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈" +
	"╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋")

// Join connects the rules and dividers of the panes drawn so far. Titles stay as they
// are.
func (c *Canvas) Join() {
	for _, p := range c.panes {
		c.joinAt(p.rect.X, p.rect.Y)
		c.joinAt(p.rect.X+p.rect.W, p.rect.Y)
		if p.rect.X > 0 {
			c.joinAt(p.rect.X, p.rect.Y+p.rect.H)
		}
	}
	c.panes = c.panes[:0]
}

// joinAt draws the glyph whose arms reach all lines next to a cell.
func (c *Canvas) joinAt(x, y int) {
	at, ok := c.lineAt(x, y)
	if !ok || x == 0 {
		return
	}
	var arms [armCount]int
	for i, next := range [armCount]Rect{{X: x, Y: y - 1}, {X: x + 1, Y: y}, {X: x, Y: y + 1}, {X: x - 1, Y: y}} {
		p, ok := c.lineAt(next.X, next.Y)
		meets := p.onRule(next.Y)
		switch i {
		case armUp:
			meets = !meets || x == p.rect.X
		case armDown:
			meets = !meets
		}
		if !ok || !meets {
			continue
		}
		arms[i] = p.weight()
		if arms[i] == heavyArm {
			at.style, at.border = p.style, p.border
		}
	}
	c.seg = append(c.seg[:0], at.style.On...)
	c.seg = appendJoint(c.seg, arms, at.border)
	c.seg = append(c.seg, at.style.Off...)
	c.put(x, y, 1)
}

func (c *Canvas) lineAt(x, y int) (ruled, bool) {
	for _, p := range c.panes {
		if !p.rect.Contains(x, y) {
			continue
		}
		at := x - p.rect.X
		free := at < 2 || at >= p.from && at < p.to || at >= p.rect.W-2
		return p, p.onRule(y) && free || !p.onRule(y) && at == 0 && p.rect.X > 0
	}
	return ruled{}, false
}

func (p ruled) onRule(y int) bool { return y == p.rect.Y }

func (p ruled) weight() int {
	if p.border == Heavy || p.border == HeavyASCII {
		return heavyArm
	}
	return lightArm
}

// Arms returns the weights of the lines that leave the middle of a box-drawing character:
// up, right, down and left, 0 for none, 1 for light and 2 for heavy. ok is false for
// other text.
func Arms(glyph string) (arms [armCount]int, ok bool) {
	for n, r := range lineGlyphs {
		if n > 0 && string(r) == glyph {
			return [armCount]int{n / 27, n / 9 % 3, n / 3 % 3, n % 3}, true
		}
	}
	return arms, false
}

func appendJoint(dst []byte, arms [armCount]int, b Border) []byte {
	if b.ascii() {
		return append(dst, map[Border]byte{ASCII: '+', HeavyASCII: '#'}[b])
	}
	n := 0
	for _, weight := range arms {
		n = 3*n + weight
	}
	return utf8.AppendRune(dst, lineGlyphs[n])
}
