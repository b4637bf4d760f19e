package jsontree_test

import (
	"fmt"

	"mcpdbg/ui/widget/jsontree"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

func Example() {
	doc := []byte(`{"id":813,"result":{"n":1.50,"n":2}}`)
	tree := jsontree.New(doc, paint.NewTheme(paint.Options{}), termsafe.Options{})
	tree.SetSize(30, 8)
	tree.UnfoldToFit(8)
	tree.Move(3)
	fmt.Println(tree.Pointer(), string(tree.Value()))
	// Output: /result/n 1.50
}
