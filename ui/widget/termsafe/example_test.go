package termsafe_test

import (
	"fmt"

	"mcpdbg/ui/widget/termsafe"
)

func Example() {
	line, cells, cut := termsafe.AppendString(nil, "\x1b[2Jowned by \u202eevil", 18, termsafe.Options{Ellipsis: termsafe.Ellipsis})
	fmt.Println(string(line), cells, cut)
	// Output: \u001b[2Jowned by… 18 true
}
