package tap

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The messages of batches.
const (
	call1   = `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`
	read2   = `{"jsonrpc":"2.0","id":2,"method":"resources/read"}`
	noticeX = `{"jsonrpc":"2.0","method":"x/y"}`
	result1 = `{"jsonrpc":"2.0","id":1,"result":{}}`
	result2 = `{"jsonrpc":"2.0","id":2,"result":{}}`
	ask0    = `{"jsonrpc":"2.0","id":0,"method":"roots/list"}`
	ask1    = `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`
	mapped0 = `{"jsonrpc":"2.0","id":"mcpdbg:0a1b2c3d:s1","method":"roots/list"}`
)

func TestBatches(t *testing.T) {
	for name, text := range map[string]string{
		"pass as they came": `
client [ ` + call1 + ` , ` + read2 + `,` + noticeX + `]
	server [ ` + call1 + ` , ` + read2 + `,` + noticeX + `]
server [` + result2 + `, ` + result1 + ` ]
	client [` + result2 + `, ` + result1 + ` ]
`,
		"are never sent again": `
client [` + call1 + `,` + read2 + `]
	server [` + call1 + `,` + read2 + `]
client 3 resources/read
	server 3 resources/read
restart r
	client [1 !restarted,2 !restarted] (restart)
	stop
`,
		"answered in part": `
client [` + call1 + `,` + read2 + `]
	server [` + call1 + `,` + read2 + `]
server ` + result1 + `
	client 1 = {}
restart r
	client [2 !restarted] (restart)
	stop
`,
		"held, and answered as one": `
noticed
client [` + call1 + `,` + noticeX + `,` + read2 + `]
	none (held)
+20s
	client [1 !starting,2 !starting] (answered)
`,
		"held, one cancelled": `
noticed
client [` + call1 + `,` + read2 + `]
	none (held)
client notifications/cancelled {"requestId":1}
	note the request was held and is dropped
	none (withheld)
dropped
	server [` + read2 + `] (edited)
`,
		"ids are mapped inside": withAsk + `
server [` + ask0 + `, ` + ask1 + `]
	client [` + mapped0 + `, ` + ask1 + `] (edited)
client [{"id":"mcpdbg:0a1b2c3d:s1","result":1}, {"id":0,"result":2},{"id":1,"result":3}]
	note response to a request that has ended
	server [{"id":0,"result":1},{"id":1,"result":3}] (edited)
`,
		"of stale responses only": withAsk + `
client [{"id":0,"result":2}]
	note response to a request that has ended
	none (withheld)
`,
	} {
		t.Run(name, func(t *testing.T) { play(t, handshake+text) })
	}
}

// TestHugeBatch checks that a batch of very many elements costs no memory.
func TestHugeBatch(t *testing.T) {
	line := []byte{'['}
	for range maxElements {
		line = append(line, "5,"...)
	}
	u := readUnit(append(line, "5]\n"...))
	require.Empty(t, u.elements)
	require.Len(t, u.text(), len(line)+3)
}
