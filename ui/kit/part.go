package kit

import (
	"cmp"
	"slices"
	"strings"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// A Part is one piece of the header line. On a narrow screen parts are shortened, then
// omitted, lowest priority first.
type Part struct {
	Text     string
	Short    string // empty if there is no shorter form
	Style    paint.Style
	Right    bool // at the right end of the line, after all others
	Priority int
	// A click carries out the action, or shows the rows that the filter keeps.
	Action, Filter string

	column int // as placed
}

const gap = 2

// FitParts shortens, then omits parts, lowest priority first, until the rest fit in width
// cells or only mandatory ones are left. It reuses the slice.
func FitParts(parts []Part, width int) []Part {
	kept := parts[:0]
	for _, p := range parts {
		if strings.TrimSpace(p.Text) != "" {
			kept = append(kept, p)
		}
	}
	for _, most := range []int{little, matters, Must} {
		for PartsWidth(kept) > width {
			if i := lowest(kept, func(p Part) bool { return p.Short != "" && p.Priority <= most }); i >= 0 {
				kept[i].Text, kept[i].Short = kept[i].Short, ""
				continue
			}
			i := lowest(kept, func(p Part) bool { return p.Priority < most })
			if i < 0 {
				break
			}
			kept = slices.Delete(kept, i, i+1)
		}
	}
	return kept
}

// lowest returns the part of the lowest priority that may be changed, or -1.
func lowest(parts []Part, may func(Part) bool) int {
	found := -1
	for i, p := range parts {
		if may(p) && (found < 0 || cmp.Less(p.Priority, parts[found].Priority)) {
			found = i
		}
	}
	return found
}

// PartsWidth returns the width of parts and their gaps, in cells.
func PartsWidth(parts []Part) int {
	width := gap * max(len(parts)-1, 0)
	for _, p := range parts {
		width += termsafe.Width(p.Text)
	}
	return width
}

// Priorities: parts below little are shortened or omitted first, then those below
// matters. Must is never omitted.
const (
	little  = 25
	matters = 60
	Must    = 100
)

// PaintParts paints the parts that fit into a line.
func PaintParts(l *paint.Line, parts []Part) {
	for _, p := range placeParts(parts, l.Room()) {
		l.PadTo(p.column)
		l.Text(p.Style, p.Text)
	}
}

// PartAt returns the part at a column of a line that PaintParts painted, or an empty one.
func PartAt(parts []Part, width, x int) Part {
	for _, p := range placeParts(parts, width) {
		if x >= p.column && x < p.column+termsafe.Width(p.Text) {
			return p
		}
	}
	return Part{}
}

// placeParts returns the parts that fit, with their columns.
func placeParts(parts []Part, width int) []Part {
	const margin = 1
	parts = FitParts(parts, width-2*margin)
	next := margin
	for i := range parts {
		if parts[i].Right && (i == 0 || !parts[i-1].Right) {
			next = max(next, width-margin-PartsWidth(parts[i:]))
		}
		parts[i].column = next
		next += termsafe.Width(parts[i].Text) + gap
	}
	return parts
}
