package keymap_test

import (
	"fmt"

	"mcpdbg/ui/widget/keymap"
)

func Example() {
	type state struct{ live bool }
	table, err := keymap.New([]keymap.Scope{{ID: "traffic", Title: "Traffic"}}, []keymap.Action[state]{
		{
			ID: "traffic.resend", Keys: []string{"r"}, Scope: "traffic", Title: "resend", Help: "Send the request again.",
			Enabled: func(s state) (bool, string) { return s.live, "this is a recording" },
			Asks:    "each time", Priority: 5,
		},
		{ID: "quit", Keys: []string{"q"}, Scope: keymap.Global, Title: "quit", Help: "Leave.", Priority: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	action, _ := table.Lookup("traffic", "r")
	possible, reason := action.State(state{live: false})
	fmt.Println(action.ID, possible, reason)
	for _, hint := range table.Footer(nil, "traffic", state{live: true}, 40) {
		fmt.Println(hint.Help().Key, hint.Help().Desc)
	}
	// Output:
	// traffic.resend false this is a recording
	// r resend
	// q quit
}
