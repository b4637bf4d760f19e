package cause_test

import (
	"fmt"

	"mcpdbg/recordings"
	"mcpdbg/session/diagnosis/cause"
)

// This example prints the likely causes of the problems in a recording.
func Example() {
	rec, err := recordings.Open("testdata/crashed.jsonl")
	if err != nil {
		panic(err)
	}
	defer rec.Close()
	tracker := cause.New(rec)
	for tracker.Advance(1 << 16) {
	}
	for _, v := range tracker.Now(nil) {
		fmt.Printf("%s: %s\nentry %d; try: %s\n", v.Severity, v.Text, v.Row+1, v.Advice)
	}
	// Output:
	// error: the server was killed by signal SEGV during echo
	// entry 15; try: no response will come; check stderr around that time
}
