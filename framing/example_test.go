package framing_test

import (
	"fmt"

	"mcpdbg/framing"
)

// Two chunks read from a server that prints a banner and whose response arrives
// in two pieces.
func ExampleSplitter() {
	chunks := []string{
		"Server ready\n{\"jsonrpc\":\"2.0\",\"id\":1,",
		"\"result\":{}}\r\nbye",
	}
	show := func(line framing.Line) {
		m := framing.Scan(line.Data)
		fmt.Printf("%d-%d %s %q %s\n", line.First, line.Seq, m.Kind, line.Data, m.Problems|line.Problems)
	}

	var s framing.Splitter
	defer s.Close()
	for i, chunk := range chunks {
		for line := range s.Push(uint64(i+1), []byte(chunk)) {
			show(line)
		}
	}
	if line, ok := s.Flush(false); ok {
		show(line)
	}
	// Output:
	// 1-1 not-json "Server ready" not-json
	// 1-2 response "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}" crlf
	// 2-2 not-json "bye" not-json,unterminated
}

func ExampleScan() {
	line := []byte(`{"method":"tools/call","params":{"name":"add"},"jsonrpc":"2.0","id":1.0}`)
	m := framing.Scan(line)
	fmt.Printf("%s %s id=%s params=%s\n", m.Kind, m.Method.Of(line), m.ID.Of(line), m.Params.Of(line))
	// Output: request tools/call id=1.0 params={"name":"add"}
}

func ExampleElements() {
	line := []byte(`[{"id":1,"result":{}}, {"method":"ping","id":2}]`)
	for span := range framing.Elements(line) {
		fmt.Println(framing.Scan(span.Of(line)).Kind)
	}
	// Output:
	// response
	// request
}
