package kit

import "mcpdbg/ui/widget/jsontree"

// MoveTree moves the cursor of a tree, by the name of an action that moves, and
// reports whether the action does. If folds is true, left and right fold and unfold;
// else they scroll.
func MoveTree(t *jsontree.Tree, way string, folds bool) bool {
	switch {
	case way == Left && folds:
		t.Fold()
	case way == Left:
		t.ScrollX(-scrollCells)
	case way == Right && folds:
		t.Unfold()
	case way == Right:
		t.ScrollX(scrollCells)
	default:
		return MoveCursor(t, way)
	}
	return true
}
