package paint_test

import (
	"fmt"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

func Example() {
	left := &paint.Lines{Options: termsafe.Options{Ellipsis: termsafe.Ellipsis}}
	left.Resize(10, 2)
	left.Line(0).Text(paint.Style{}, "everything")
	left.Line(1).Text(paint.Style{}, "too long for here")
	right := &paint.Lines{}
	right.Resize(8, 2)
	right.Line(0).Field(paint.Style{}, []byte("902.4"), 8, termsafe.Right)

	var c paint.Canvas
	c.Reset(19, 3)
	c.Pane(paint.Rect{W: 10, H: 3}, paint.Frame{Border: paint.Heavy, Title: "Hosts"}, left)
	c.Pane(paint.Rect{X: 10, W: 9, H: 3}, paint.Frame{Title: "ms"}, right)
	fmt.Println(c.String())
	// Output:
	// ━━ Hosts ━── ms ───
	// everything│   902.4
	// too long …│
}
