package recordings_test

import (
	"fmt"
	"os"
	"path/filepath"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

// Create writes a log entry by entry, and Open reads the file back.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	log, err := recordings.Create(recordings.Options{Path: filepath.Join(dir, "example.jsonl")})
	if err != nil {
		panic(err)
	}
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	err = log.Append([]session.Entry{
		session.NewEntry(session.KindStart, 0, session.StartBody{Process: "mcp-stdio-1"}),
		{Kind: session.KindStdout, Seq: 1, Payload: line, Msg: framing.Scan(line)},
		{Kind: session.KindStderr, Seq: 2, Payload: []byte("\xff is not UTF-8")},
	})
	if err != nil {
		panic(err)
	}
	if err := log.Close(); err != nil {
		panic(err)
	}

	rec, err := recordings.Open(log.Path())
	if err != nil {
		panic(err)
	}
	defer rec.Close()
	rows := make([]session.Row, rec.Len())
	for _, row := range rows[:rec.Rows(0, rows)] {
		e, err := rec.Entry(row, 0)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d %s %q: %q\n", e.N, e.Kind, rec.Method(row.Method), e.Payload)
	}
	// Output:
	// 1 start "": ""
	// 2 stdout "ping": "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"
	// 3 stderr "": "\xff is not UTF-8"
	// 4 end "": ""
}
