package form_test

import (
	"fmt"

	"mcpdbg/ui/widget/form"
)

func Example() {
	f := form.New([]byte(`{"type":"object","required":["city"],"properties":{
		"city":{"type":"string"},"days":{"type":"integer","maximum":7,"default":3}}}`), form.Options{})
	f.Paste("Zürich")
	f.Next()
	f.Paste("30") // replaces the default
	value, _ := f.JSON()
	problems, _ := f.Problems()
	fmt.Println(string(value), problems)
	// Output: {"city":"Zürich","days":30} [/days: is 30, at most 7]
}
