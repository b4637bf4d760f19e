package paint

// Rect is a rectangle of cells. X grows to the right and Y downwards.
type Rect struct {
	X, Y, W, H int
}

// Empty reports whether the rectangle contains no cells.
func (r Rect) Empty() bool {
	return r.W <= 0 || r.H <= 0
}

// Contains reports whether the cell at x, y is in the rectangle.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Inner returns the rectangle inside a border of one cell.
func (r Rect) Inner() Rect {
	return Rect{r.X + 1, r.Y + 1, max(r.W-2, 0), max(r.H-2, 0)}
}

// Body returns the part of a pane below the rule on its first row and, unless
// the pane is at the left edge of the screen, right of the divider at its left.
func (r Rect) Body() Rect {
	divider := min(r.X, 1)
	return Rect{r.X + divider, r.Y + 1, max(r.W-divider, 0), max(r.H-1, 0)}
}

// Center returns a rectangle of at most w by h cells in the middle of r.
func (r Rect) Center(w, h int) Rect {
	w, h = min(w, r.W), min(h, r.H)
	return Rect{r.X + (r.W-w)/2, r.Y + (r.H-h)/2, w, h}
}

// CutTop divides r below its first n rows, or after the last row if it has
// fewer.
func (r Rect) CutTop(n int) (top, rest Rect) {
	n = min(max(n, 0), r.H)
	return Rect{r.X, r.Y, r.W, n}, Rect{r.X, r.Y + n, r.W, r.H - n}
}

// CutBottom divides r above its last n rows.
func (r Rect) CutBottom(n int) (bottom, rest Rect) {
	rest, bottom = r.CutTop(r.H - min(max(n, 0), r.H))
	return bottom, rest
}

// CutLeft divides r after its first n columns.
func (r Rect) CutLeft(n int) (left, rest Rect) {
	n = min(max(n, 0), r.W)
	return Rect{r.X, r.Y, n, r.H}, Rect{r.X + n, r.Y, r.W - n, r.H}
}

// CutRight divides r before its last n columns.
func (r Rect) CutRight(n int) (right, rest Rect) {
	rest, right = r.CutLeft(r.W - min(max(n, 0), r.W))
	return right, rest
}
