package server

import (
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// labels is the width of the labels of the facts.
const labels = 11

// A factTarget is what a piece of a fact opens: a list of the catalog, or an action. The zero
// value opens nothing.
type factTarget struct{ List, Action string }

// A piece is a text that is not broken.
type piece struct {
	text  string // may be untrusted
	style paint.Style
	place factTarget
	lead  string // in front of the text, in another style
	leads paint.Style
	tight bool // one blank before it, not three
}

func (p *piece) width() int {
	w := termsafe.Width(p.text)
	if p.lead != "" {
		w += termsafe.Width(p.lead) + 1
	}
	return w
}

// A fact is a label with pieces that flow over as many lines as they need.
type fact struct {
	label  string
	pieces []piece
}

func (f *fact) add(style paint.Style, text string) {
	if text != "" {
		f.pieces = append(f.pieces, piece{text: text, style: style})
	}
}

func (f *fact) more(style paint.Style, text string) {
	if text != "" {
		f.pieces = append(f.pieces, piece{text: text, style: style, tight: true})
	}
}

type placed struct {
	piece
	x, y int
}

func flowFacts(facts []fact, width int, label paint.Style) (all []placed, lines int) {
	const gap = 3
	for i, f := range facts {
		left := labels
		if i == 0 {
			left = 1
		}
		if f.label != "" {
			all = append(all, placed{piece{text: f.label, style: label}, 1, lines})
		}
		x := left
		for i, p := range f.pieces {
			space := gap
			if p.tight {
				space = 1
			}
			switch {
			case i == 0:
			case x+space+p.width() <= width:
				x += space
			default:
				x = left
				lines++
			}
			if room := max(width-left, 1); p.width() > room {
				rows := termsafe.Wrap(p.text, room)
				for _, row := range rows[:len(rows)-1] {
					all = append(all, placed{piece{text: row, style: p.style, lead: p.lead, leads: p.leads, place: p.place}, x, lines})
					p.lead = ""
					lines++
				}
				p.text = rows[len(rows)-1]
			}
			all = append(all, placed{p, x, lines})
			x += p.width()
		}
		lines++
	}
	return all, lines
}

// paintFacts paints arranged facts from line top of them on; selected is the one that
// has the cursor, -1 for none.
func paintFacts(screen *kit.Screen, out *paint.Lines, all []placed, top, selected int) {
	_, h := out.Size()
	for y := range h {
		out.Line(y)
	}
	for i, p := range all {
		if p.y < top || p.y >= top+h {
			continue
		}
		l := out.Painted(p.y - top)
		l.PadTo(p.x)
		if p.lead != "" {
			l.Text(p.leads, p.lead)
			l.Text(paint.Style{}, " ")
		}
		l.Enter(screen.Theme.Cursor(true).If(i == selected))
		l.Text(p.style, p.text)
		l.Leave()
	}
}

func placeAt(all []placed, x, y int) (factTarget, bool) {
	for _, p := range all {
		if p.y == y && x >= p.x && x < p.x+p.width() && p.place != (factTarget{}) {
			return p.place, true
		}
	}
	return factTarget{}, false
}
