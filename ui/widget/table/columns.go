package table

import (
	"slices"

	"mcpdbg/ui/widget/termsafe"
)

// Column describes the layout of a column.
type Column struct {
	Title string
	// Min is the width in cells below which the column is dropped.
	Min int
	// Weight is the column's share of the remaining cells. Without it a column keeps its
	// minimum.
	Weight int
	// ByNeed columns take what their visible text needs before the remaining cells are
	// shared by weight. If there is too little for all of them, those that need least are
	// served first. Without any text they get the width of the title.
	ByNeed bool
	// Optional columns by need are dropped while the visible rows have no text in them.
	Optional bool
	// Gap is how many more cells are left free before the column.
	Gap int
	// Columns of the lowest priority are dropped first.
	Priority int
	// Must columns are never dropped, but narrowed if none other is left.
	Must  bool
	Align termsafe.Align
	// Scroll columns are scrolled by ScrollX.
	Scroll bool
}

type placedColumn struct {
	Column, X, Width int
}

const columnGap = 1

// layOut places columns in a width in cells. It drops columns of the lowest priority, the
// rightmost first, until the rest fit, and then distributes the remaining cells: first by
// needs, the cells that each column could use, and then by weight.
func layOut(columns []Column, needs []int, width int) []placedColumn {
	placed := make([]placedColumn, len(columns))
	used := -columnGap
	for i, c := range columns {
		placed[i] = placedColumn{Column: i, Width: c.least(needs, i)}
		if placed[i].Width > 0 {
			used += columnGap + c.Gap + placed[i].Width
		}
	}
	placed = slices.DeleteFunc(placed, func(p placedColumn) bool { return p.Width == 0 })
	for used > width {
		drop := -1
		for i, p := range placed {
			if !columns[p.Column].Must && (drop < 0 || columns[p.Column].Priority <= columns[placed[drop].Column].Priority) {
				drop = i
			}
		}
		if drop < 0 {
			break
		}
		used -= columnGap + columns[placed[drop].Column].Gap + placed[drop].Width
		placed = slices.Delete(placed, drop, drop+1)
	}
	share(columns, placed, serve(columns, placed, needs, width-used))

	x := 0
	for i := range placed {
		if i > 0 {
			x += columns[placed[i].Column].Gap
		}
		placed[i].X = x
		placed[i].Width = min(placed[i].Width, max(width-x, 0))
		x += placed[i].Width + columnGap
	}
	return slices.DeleteFunc(placed, func(p placedColumn) bool { return p.Width == 0 })
}

// least returns the cells that a column gets before others get more.
func (c Column) least(needs []int, column int) int {
	switch {
	case !c.ByNeed || c.Min > maxNeed:
		return max(c.Min, 1)
	case c.Optional && needs[column] == 0:
		return 0
	case needs[column] == 0:
		return max(termsafe.Width(c.Title), 1)
	}
	return c.Min
}

// serve gives columns by need what they lack, as far as spare cells reach, and returns the
// cells left.
func serve(columns []Column, placed []placedColumn, needs []int, spare int) int {
	for spare > 0 {
		least, lacking := 0, 0
		for _, p := range placed {
			if !columns[p.Column].ByNeed {
				continue
			}
			if lack := needs[p.Column] - p.Width; lack > 0 {
				if lacking++; lacking == 1 || lack < least {
					least = lack
				}
			}
		}
		if lacking == 0 {
			break
		}
		each := max(min(least, spare/lacking), 1)
		for i := range placed {
			p := &placed[i]
			if columns[p.Column].ByNeed && needs[p.Column] > p.Width && spare > 0 {
				given := min(each, spare)
				p.Width += given
				spare -= given
			}
		}
	}
	return spare
}

func share(columns []Column, placed []placedColumn, spare int) {
	weights := 0
	for _, p := range placed {
		weights += columns[p.Column].Weight
	}
	if spare <= 0 || weights == 0 {
		return
	}
	given, weight := 0, 0
	for i, p := range placed {
		weight += columns[p.Column].Weight
		upTo := spare * weight / weights
		placed[i].Width += upTo - given
		given = upTo
	}
}
