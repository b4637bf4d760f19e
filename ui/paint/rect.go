package paint

// Rect is a rectangle of cells. X grows to the right and Y downwards.
type Rect struct {
	X, Y, W, H int
}

// Empty says whether the rectangle holds no cell.
func (r Rect) Empty() bool {
	return r.W <= 0 || r.H <= 0
}

// Contains says whether the cell at x, y lies in the rectangle.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Inner returns what a border of one cell leaves free.
func (r Rect) Inner() Rect {
	return Rect{r.X + 1, r.Y + 1, max(r.W-2, 0), max(r.H-2, 0)}
}

// Center returns a rectangle of at most w by h cells in the middle of r.
func (r Rect) Center(w, h int) Rect {
	w, h = min(w, r.W), min(h, r.H)
	return Rect{r.X + (r.W-w)/2, r.Y + (r.H-h)/2, w, h}
}

// CutTop divides r below its first n rows, or as many as there are.
func (r Rect) CutTop(n int) (top, rest Rect) {
	n = min(max(n, 0), r.H)
	return Rect{r.X, r.Y, r.W, n}, Rect{r.X, r.Y + n, r.W, r.H - n}
}

// CutBottom divides r above its last n rows.
func (r Rect) CutBottom(n int) (bottom, rest Rect) {
	rest, bottom = r.CutTop(r.H - min(max(n, 0), r.H))
	return bottom, rest
}

// CutLeft divides r behind its first n columns.
func (r Rect) CutLeft(n int) (left, rest Rect) {
	n = min(max(n, 0), r.W)
	return Rect{r.X, r.Y, n, r.H}, Rect{r.X + n, r.Y, r.W - n, r.H}
}

// CutRight divides r before its last n columns.
func (r Rect) CutRight(n int) (right, rest Rect) {
	rest, right = r.CutLeft(r.W - min(max(n, 0), r.W))
	return right, rest
}
