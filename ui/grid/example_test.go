package grid_test

import (
	"fmt"

	"mcpdbg/ui/grid"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

func Example() {
	left := &grid.Lines{Options: termsafe.Options{Ellipsis: termsafe.Ellipsis}}
	left.Resize(10, 2)
	left.Line(0).Text(theme.Style{}, "everything")
	left.Line(1).Text(theme.Style{}, "too long for here")
	right := &grid.Lines{}
	right.Resize(8, 2)
	right.Line(0).Field(theme.Style{}, []byte("902.4"), 8, termsafe.Right)

	var c grid.Canvas
	c.Reset(22, 4)
	c.Box(grid.Rect{X: 0, Y: 0, W: 12, H: 4}, grid.Frame{Border: grid.Heavy, Title: "Hosts"}, left)
	c.Box(grid.Rect{X: 12, Y: 0, W: 10, H: 4}, grid.Frame{Title: "ms"}, right)
	fmt.Println(c.String())
	// Output:
	// ┏━ Hosts ━━┓┌─ ms ───┐
	// ┃everything┃│   902.4│
	// ┃too long …┃│        │
	// ┗━━━━━━━━━━┛└────────┘
}
