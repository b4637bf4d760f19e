package verdict_test

import (
	"fmt"

	"mcpdbg/recordings"
	"mcpdbg/session/verdict"
)

// What went wrong in a recording, and where it shows.
func Example() {
	rec, err := recordings.Open("testdata/crashed.jsonl")
	if err != nil {
		panic(err)
	}
	defer rec.Close()
	tracker := verdict.New(rec)
	for tracker.Advance(1 << 16) {
	}
	for _, v := range tracker.Now(nil) {
		fmt.Printf("%s: %s\nentry %d; try: %s\n", v.Severity, v.Text, v.Row+1, v.Try)
	}
	// Output:
	// error: the server was ended by signal SEGV during tools/call echo (id 1)
	// entry 15; try: no answer can come any more; stderr around that moment may say why
}
