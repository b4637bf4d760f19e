package table

import (
	"slices"

	"mcpdbg/ui/termsafe"
)

// Column is how one column is laid out.
type Column struct {
	Title string
	// Min is the width in cells below which the column is dropped.
	Min int
	// Weight is the share of the cells that are left over. A column without
	// weight keeps its minimum.
	Weight int
	// Priority decides which column is dropped first: the lowest.
	Priority int
	// Must columns are never dropped, but narrowed if nothing else is left.
	Must  bool
	Align termsafe.Align
	// Scroll columns move under ScrollX.
	Scroll bool
}

// Placed is a column that is shown: its index, and its first cell and width.
type Placed struct {
	Column, X, Width int
}

// columnGap is the number of cells between two columns.
const columnGap = 1

// Layout places columns in a width of cells. Columns of the lowest priority
// are dropped until the rest fit, of equal ones the rightmost; then what is
// left over is shared by weight.
func Layout(columns []Column, width int) []Placed {
	placed := make([]Placed, len(columns))
	used := -columnGap
	for i, c := range columns {
		placed[i] = Placed{Column: i, Width: max(c.Min, 1)}
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
	return slices.DeleteFunc(placed, func(p Placed) bool { return p.Width == 0 })
}

// share gives spare cells to the columns by their weight, to the last cell.
func share(columns []Column, placed []Placed, spare int) {
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
