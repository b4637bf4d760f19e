package traffic

import (
	"strings"

	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
)

// Signs returns the signs in the visible rows.
func (t *Pane) Signs() []kit.Sign {
	screen, th := t.rows.screen, t.rows.theme
	marks, flags, arrows := map[kit.Mark]bool{}, map[string]bool{}, map[string]bool{}
	t.table().Visible(func(_ int, mark, flag string, line *paint.Line) {
		for _, glyph := range []string{mark, flag} {
			if m := screen.MarkOf(glyph); m != kit.NoMark {
				marks[m] = true
			} else {
				flags[glyph] = true
			}
		}
		text := line.String()
		for _, arrow := range []string{t.rows.glyph("←", "<"), t.rows.glyph("→", ">")} {
			arrows[arrow] = arrows[arrow] || strings.Contains(text, arrow+" ")
		}
	})
	for _, number := range t.running.rows {
		if t.summed.waits(number) {
			marks[kit.Waits] = true
		} else {
			marks[kit.Running] = true
		}
	}
	var signs []kit.Sign
	for _, m := range kit.AllMarks() {
		if marks[m] {
			signs = append(signs, screen.Sign(m))
		}
	}
	for _, s := range []kit.Sign{{Style: th.Dim, Glyph: "+", Words: "folded"}, {Style: th.Dim, Glyph: "-", Words: "unfolded"}} {
		if flags[s.Glyph] {
			signs = append(signs, s)
		}
	}
	if arrow := t.rows.glyph("←", "<"); arrows[arrow] {
		signs = append(signs, kit.Sign{Style: th.Dim, Glyph: arrow, Words: "from the server"})
	}
	if arrow := t.rows.glyph("→", ">"); arrows[arrow] && t.view != Exchanges {
		signs = append(signs, kit.Sign{Style: th.Dim, Glyph: arrow, Words: "to the server"})
	}
	if t.view == Exchanges && t.width >= wideExchanges {
		signs = append(signs, t.bars.signs(table.BarLook{Theme: th, ASCII: screen.ASCII})...)
	}
	return append(signs, kit.Sign{Style: th.Accent, Glyph: ">", Words: "selected"})
}

// signs returns the signs of the bars that are shown.
func (b *bars) signs(look table.BarLook) (signs []kit.Sign) {
	seen, cut := map[table.BarKind]bool{}, false
	for i := range b.shown {
		if s := &b.shown[i]; s.exchange {
			for kind := range s.Kinds() {
				seen[kind] = true
			}
			cut = cut || b.scale > 0 && s.To-s.From > b.scale
		}
	}
	for kind, words := range []string{table.Working: "server", table.Waiting: "you", table.Lagging: "mcpdbg late"} {
		if k := table.BarKind(kind); seen[k] {
			style, glyph := look.Sign(k)
			signs = append(signs, kit.Sign{Style: style, Glyph: glyph, Words: words})
		}
	}
	if cut {
		glyph := "›"
		if look.ASCII {
			glyph = ">"
		}
		signs = append(signs, kit.Sign{Glyph: glyph, Words: "longer than the scale"})
	}
	return signs
}
