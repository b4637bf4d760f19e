// Package corpus generates the messages for benchmarks. The same numbers give
// the same bytes, so results can be compared.
package corpus

import (
	"bytes"
	"fmt"
	"strings"
)

// m205 returns one notification of 205 bytes, including its newline, n times, without
// newlines and sharing its bytes.
func m205(n int) [][]byte {
	const size = 205 - len("\n")
	head := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"corpus","data":"`
	message := []byte(head + strings.Repeat("x", size-len(head)-len(`"}}`)) + `"}}`)
	all := make([][]byte, n)
	for i := range all {
		all[i] = message
	}
	return all
}

// MIX returns n messages in a typical mix, 412 bytes on average: 40 % progress
// notifications of about 146 bytes, 20 % log messages of 164, 18 % requests of 179, as
// many results of about 600, 3.9 % lists of tools of 2.1 KB, and 0.1 % results of 90 KB.
// Each result answers the request before.
func MIX(n int) [][]byte {
	all := make([][]byte, 0, n)
	for i := 0; len(all) < n; i++ {
		all = append(all, mixed(i))
	}
	return all
}

// The pattern has 1,000 messages.
func mixed(i int) []byte {
	at := i % 1000
	switch {
	case at == 999:
		return result(i, 90_000)
	case at%26 == 25: // 38 of 1,000
		return tools(i)
	case at%11 == 3 || at%11 == 8:
		return request(i)
	case at%11 == 4 || at%11 == 9:
		return result(i-1, 600)
	case at%11 == 1 || at%11 == 6:
		return pad(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","logger":"db","data":"query %d took 3 ms`, i, `"}}`, 164)
	}
	return pad(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p-%d","progress":40,"total":100,"message":"`, i, `"}}`, 146)
}

func request(i int) []byte {
	return pad(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search","arguments":{"query":"`, i, `","limit":10}}}`, 179)
}

func result(id, size int) []byte {
	return pad(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"first line\nsecond \"line\" `, id, `"}],"isError":false}}`, size)
}

// The result member comes first, as some servers send it.
func tools(id int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"result":{"tools":[`)
	for t := range 10 {
		if t > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"tool_%d","description":"Finds what is asked for in index number %d","inputSchema":{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":["query"]}}`, t, t)
	}
	fmt.Fprintf(&b, `]},"jsonrpc":"2.0","id":%d}`, id)
	return b.Bytes()
}

// pad returns a message of about size bytes.
func pad(head string, i int, tail string, size int) []byte {
	const words = "the quick brown fox jumps over the lazy dog, "
	b := fmt.Appendf(nil, head, i)
	for len(b)+len(tail) < size {
		b = append(b, words[:min(len(words), size-len(b)-len(tail))]...)
	}
	return append(b, tail...)
}

// A newline follows each message.
func streamOf(messages [][]byte) []byte {
	size := 0
	for _, m := range messages {
		size += len(m) + 1
	}
	all := make([]byte, 0, size)
	for _, m := range messages {
		all = append(append(all, m...), '\n')
	}
	return all
}
