// Package trip has the messages of the benchmark of mock: requests that all
// differ, and their responses.
package trip

import (
	"fmt"
	"strings"
)

// Size is the size of the text in a response.
const Size = 500

// Request returns request i.
func Request(i int) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search","arguments":{"query":"%s %d","limit":10}}}`,
		i+10, strings.Repeat("q", 90), i)
}

// Response returns the response to request i.
func Response(i int) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}],"isError":false}}`,
		i+10, strings.Repeat("a", Size))
}
