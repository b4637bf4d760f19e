package filter_test

import (
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/widget/filter"
)

func ExampleParse() {
	f, err := filter.Parse("kind:error or kind:stray")
	if err != nil {
		fmt.Println(err)
		return
	}
	m := f.Matcher(nil) // tests of the row alone need no log
	for i, row := range []session.Row{
		{Kind: session.KindStdin, Msg: framing.Request},
		{Kind: session.KindStdout, Msg: framing.ErrorResponse},
		{Kind: session.KindStdout, Msg: framing.NotJSON},
	} {
		fmt.Println(row.Msg, m.Match(i, row))
	}

	_, err = filter.Parse("kind:sing")
	fmt.Println(err)
	// Output:
	// request false
	// error true
	// not-json true
	// column 6: kind: must be request, response, notification, error, batch, stray, stderr, event, or the name of an event such as exited
}
