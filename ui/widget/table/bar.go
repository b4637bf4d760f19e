package table

import (
	"iter"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/paint"
)

// A BarKind is what happened in a part of a bar.
type BarKind uint8

// The kinds.
const (
	Working BarKind = iota // the server
	Waiting                // for a person
	Lagging                // our reading of the server's output was late
	barKinds
)

// MaxBarParts is how many parts of a bar are shown besides the server's work.
const MaxBarParts = 16

// A Bar is how long something took.
type Bar struct {
	Span
	Open   bool // it goes on
	Failed bool

	parts [MaxBarParts]barPart
	n     int
}

type barPart struct {
	Span
	kind BarKind
}

// Add marks a part in which the server did not work. Parts beyond MaxBarParts are dropped.
func (b *Bar) Add(kind BarKind, s Span) {
	if s.From, s.To = max(s.From, b.From), min(s.To, b.To); s.From > s.To || b.n == MaxBarParts {
		return
	}
	b.parts[b.n] = barPart{s, kind}
	b.n++
}

// Server returns how long the server worked, in microseconds: parts of other kinds may
// overlap.
func (b *Bar) Server() int64 {
	rest, until := b.To-b.From, b.From
	for range b.n { // at most MaxBarParts, and seldom more than one
		next := barPart{Span: Span{From: b.To, To: b.To}}
		for _, p := range b.parts[:b.n] {
			if p.To > until && p.From < next.From {
				next = p
			}
		}
		from := max(next.From, until)
		rest -= max(next.To-from, 0)
		until = max(next.To, until)
	}
	return max(rest, 0)
}

// Kinds iterates over the kinds of the parts of a bar.
func (b *Bar) Kinds() iter.Seq[BarKind] {
	return func(yield func(BarKind) bool) {
		if b.Server() > 0 && !yield(Working) {
			return
		}
		for _, p := range b.parts[:b.n] {
			if !yield(p.kind) {
				return
			}
		}
	}
}

func (b *Bar) at(t int64) (kind BarKind) {
	for _, p := range b.parts[:b.n] {
		if p.From <= t && t <= p.To {
			kind = max(kind, p.kind)
		}
	}
	return kind
}

// A BarLook is how bars are painted.
type BarLook struct {
	Theme *paint.Theme
	ASCII bool
	Cuts  bool // show in each row where a pause was shortened
}

// Cut is the sign of a shortened pause.
const Cut = "//"

// longestRun is the length of the runs of glyphs; longer ones are painted in pieces.
const longestRun = 64

// A long run of the glyph of each kind: a run of any length is a part of it.
var (
	barGlyphs      = [barKinds]string{strings.Repeat("█", longestRun), strings.Repeat("▒", longestRun), strings.Repeat("░", longestRun)}
	asciiBarGlyphs = [barKinds]string{strings.Repeat("=", longestRun), strings.Repeat(":", longestRun), strings.Repeat(".", longestRun)}
)

// eighths are bars of one to seven eighths of a cell.
const eighths = "▏▎▍▌▋▊▉"

// Paint paints a bar into the next cells of a line, as many as the axis has; none for a
// bar outside of the axis.
func (a *Axis) Paint(l *paint.Line, b *Bar, look BarLook) {
	start := l.Cells()
	defer func() { a.padTo(l, start, a.Cells, look) }()
	if len(a.segments) == 0 || b.To < a.From() || b.From > a.To() {
		return
	}
	from, to := a.CellOf(b.From), a.CellOf(b.To)
	first := min(int(from), a.Cells-1)
	cells := max(min(int(to+0.999), a.Cells)-first, 1)
	a.padTo(l, start, first, look)
	if b.Open && b.To <= a.To() {
		a.paintParts(l, b, look, first, cells-1)
		l.Text(look.style(b, Working), look.end())
		return
	}
	if cells == 1 || to-from < 1 {
		l.Text(look.style(b, b.at((b.From+b.To)/2)), look.short(b, to-from))
		return
	}
	a.paintParts(l, b, look, first, cells)
}

// padTo appends spaces up to a cell of the axis, with the signs of shortened pauses.
func (a *Axis) padTo(l *paint.Line, start, cell int, look BarLook) {
	for i := range a.segments {
		s := &a.segments[i]
		if at := start + int(s.cell); look.Cuts && s.gap && at >= l.Cells() && int(s.cell)+gapCells <= cell {
			l.PadTo(at)
			l.Text(look.Theme.Dim, Cut)
		}
	}
	l.PadTo(start + cell)
}

// PaintPoint paints a glyph at a time.
func (a *Axis) PaintPoint(l *paint.Line, t int64, style paint.Style, glyph string, look BarLook) {
	start := l.Cells()
	if t >= a.From() && t <= a.To() {
		a.padTo(l, start, min(int(a.CellOf(t)), a.Cells-1), look)
		l.Text(style, glyph)
	}
	a.padTo(l, start, a.Cells, look)
}

func (a *Axis) paintParts(l *paint.Line, b *Bar, look BarLook, first, cells int) {
	for i := 0; i < cells; {
		kind, n := a.kindIn(b, first+i), 1
		for i+n < cells && n < longestRun && a.kindIn(b, first+i+n) == kind {
			n++
		}
		l.Text(look.style(b, kind), look.run(kind, n))
		i += n
	}
}

func (a *Axis) kindIn(b *Bar, cell int) BarKind {
	if b.n == 0 {
		return Working
	}
	return b.at(min(max(a.TimeAt(float64(cell)+0.5), b.From), b.To))
}

func (k BarLook) style(b *Bar, kind BarKind) paint.Style {
	switch {
	case kind == Waiting:
		return k.Theme.You
	case kind == Lagging:
		return k.Theme.Dim
	case b.Failed:
		return k.Theme.Failed
	case b.Open:
		return k.Theme.Accent
	}
	return k.Theme.Text
}

// Sign returns the style and the glyph of a kind.
func (k BarLook) Sign(kind BarKind) (paint.Style, string) {
	return k.style(&Bar{}, kind), k.run(kind, 1)
}

func (k BarLook) run(kind BarKind, n int) string {
	all := barGlyphs[kind]
	if k.ASCII {
		all = asciiBarGlyphs[kind]
	}
	return all[:n*len(all)/longestRun]
}

func (k BarLook) short(b *Bar, cells float64) string {
	if k.ASCII {
		return "|"
	}
	if kind := b.at((b.From + b.To) / 2); kind != Working {
		return k.run(kind, 1)
	}
	return k.partial(cells)
}

func (k BarLook) end() string {
	if k.ASCII {
		return ">"
	}
	return "▶"
}

// scales are the lengths of time, in microseconds, that a scaled bar can have room for.
var scales = []struct {
	length int64
	label  string
}{{100_000, "100 ms"}, {1_000_000, "1 s"}, {10_000_000, "10 s"}, {60_000_000, "1 min"}, {600_000_000, "10 min"}}

// Scale returns the smallest scale that a time in microseconds fits, and its label.
func Scale(longest int64) (scale int64, label string) {
	for _, s := range scales {
		if scale, label = s.length, s.label; longest <= scale {
			break
		}
	}
	return scale, label
}

// PaintScaled paints a bar from its beginning on, on a scale of so many cells: at least a
// sliver, and if it is longer, with a sign at its end.
func PaintScaled(l *paint.Line, b *Bar, scale int64, cells int, look BarLook) {
	length := max(b.To-b.From, 0)
	sliver := eighths[:len("▏")]
	over := "›"
	if look.ASCII {
		sliver, over = "|", ">"
	}
	at := func(cell float64) int64 { return b.From + int64(cell*float64(scale)/float64(cells)) }
	last := float64(length) * float64(cells) / float64(scale) // in cells
	full := int(last)
	if full >= cells && length > scale {
		full = cells - 1
	}
	for i := 0; i < full; {
		kind, n := b.at(at(float64(i)+0.5)), 1
		if i == 0 && kind != Working && b.at(b.From) == Working {
			l.Text(look.style(b, Working), sliver)
			i++
			continue
		}
		for i+n < full && n < longestRun && b.at(at(float64(i+n)+0.5)) == kind {
			n++
		}
		l.Text(look.style(b, kind), look.run(kind, n))
		i += n
	}
	end := b.at((at(float64(full)) + b.To) / 2)
	switch rest := last - float64(full); {
	case length > scale:
		l.Text(look.style(b, b.at(at(float64(cells)-0.5))), over)
	case full == 0 && b.at(b.From) == Working, full < cells && end == Working && rest*8 >= 1:
		l.Text(look.style(b, Working), look.partial(rest))
	case full < cells && rest*8 >= 1 || full == 0:
		l.Text(look.style(b, end), look.run(end, 1))
	}
}

// partial returns the glyph of the server's work in less than a cell.
func (k BarLook) partial(cells float64) string {
	if k.ASCII {
		if cells >= 0.5 {
			return "="
		}
		return "|"
	}
	const glyph = len(eighths) / 7
	eighth := min(max(int(cells*8)-1, 0), 6)
	return eighths[eighth*glyph : (eighth+1)*glyph]
}

// PaintHead paints the first and the last time of the axis with a line between them that
// marks shortened pauses.
func (a *Axis) PaintHead(l *paint.Line, look BarLook) {
	start, style, dash := l.Cells(), look.Theme.Dim, "─"
	if look.ASCII {
		dash = "-"
	}
	from, to := a.label(a.From(), false)+" ", " "+a.label(a.To(), true)
	if len(from)+len(to) < a.Cells {
		l.Text(style, from)
		for cell := len(from); cell < a.Cells-len(to); cell++ {
			if a.Shortened(cell) {
				l.Text(style, "/")
			} else {
				l.Text(style, dash)
			}
		}
		l.Text(style, to)
	}
	l.PadTo(start + a.Cells)
}

// PaintTicks paints times along the axis, and the marks of shortened pauses.
func (a *Axis) PaintTicks(l *paint.Line, look BarLook) {
	start, next := l.Cells(), 0
	for i := range a.segments {
		s := &a.segments[i]
		if s.gap {
			l.PadTo(start + int(s.cell))
			if l.Cells() == start+int(s.cell) {
				l.Text(look.Theme.Dim, Cut)
				next = l.Cells() - start
			}
			continue
		}
		next = a.paintTicksOf(l, look, s, start, next)
	}
	l.PadTo(start + a.Cells)
}

// paintTicksOf paints the times along a segment, from a cell on, and returns the next
// free cell.
func (a *Axis) paintTicksOf(l *paint.Line, look BarLook, s *axisSegment, start, next int) int {
	step := niceStep(float64(s.To-s.From) / max(s.cells, 1) * tickCells)
	end := int(s.cell + s.cells)
	for t := (s.From + step - 1) / step * step; t <= s.To; t += step {
		cell := int(a.CellOf(t))
		text := tick(t, step)
		if cell < next {
			continue
		}
		if cell+len(text) > end {
			break
		}
		l.PadTo(start + cell)
		l.Text(look.Theme.Dim, text)
		next = cell + len(text) + 1
	}
	return next
}

const tickCells = 8

// niceStep returns the least of 1, 2 and 5 times a power of ten that is at least a time.
func niceStep(least float64) int64 {
	step := int64(1)
	for float64(step) < least && step < maxTime/10 {
		switch {
		case float64(2*step) >= least:
			return 2 * step
		case float64(5*step) >= least:
			return 5 * step
		}
		step *= 10
	}
	return step
}

// tick returns a time as rows show it, to the accuracy that a step needs.
func tick(t, step int64) string {
	var buf [32]byte
	clock := wording.AppendClock(buf[:0], t)
	clock = clock[:len(clock)-len(".00")]
	if step > 0 && step < 1_000_000 {
		clock = append(clock, '.')
	}
	for unit := int64(100_000); step > 0 && step < 1_000_000 && unit > 0; step, unit = step*10, unit/10 {
		clock = append(clock, byte('0'+t/unit%10))
	}
	return string(clock)
}

// label returns a time at an end of the axis, to the accuracy that its length needs.
func (a *Axis) label(t int64, up bool) string {
	step := min(niceStep(float64(a.To()-a.From())/100), 1_000_000)
	if up {
		t += step - 1
	}
	return tick(t/step*step, step)
}
