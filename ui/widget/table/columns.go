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
// rightmost first, until the rest fit, and then distributes the remaining cells by
// weight.
func layOut(columns []Column, width int) []placedColumn {
	placed := make([]placedColumn, len(columns))
	used := -columnGap
	for i, c := range columns {
		placed[i] = placedColumn{Column: i, Width: max(c.Min, 1)}
		used += columnGap + placed[i].Width
	}
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
		used -= columnGap + placed[drop].Width
		placed = slices.Delete(placed, drop, drop+1)
	}
	share(columns, placed, width-used)

	x := 0
	for i := range placed {
		placed[i].X = x
		placed[i].Width = min(placed[i].Width, max(width-x, 0))
		x += placed[i].Width + columnGap
	}
	return slices.DeleteFunc(placed, func(p placedColumn) bool { return p.Width == 0 })
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
