package rule

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// A traffic is the messages of a benchmark: a handshake, and then rounds of
// messages whose %d is the number of the round.
type traffic struct {
	name      string
	handshake []string // a line to the server begins with >
	round     []string
}

const benchMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{},"progressToken":"p-%d"}`

var traffics = []traffic{
	{"legacy", []string{
		`>{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"s","version":"1"}}}`,
		`>{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	}, []string{
		`>{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"},"_meta":{"progressToken":%d}}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1,"total":2}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"called echo"}}`,
		`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"hello"}]}}`,
	}},
	{"modern", []string{
		`>{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{` + modernMeta + `}}`,
		`{"jsonrpc":"2.0","id":"d","result":{` + modernOK + `,"ttlMs":0,"cacheScope":"private","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}`,
	}, []string{
		`>{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"},` + benchMeta + `}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p-%d","progress":1,"total":2}}`,
		`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"hello"}],` + modernOK + `}}`,
	}},
}

// appendTo appends the handshake and n rounds to a log, and returns how many messages
// that were.
func (x *traffic) appendTo(tb testing.TB, log session.Log, n int) int {
	batch, at := make([]session.Entry, 0, 1024), int64(0)
	rows := 0
	flush := func() {
		require.NoError(tb, log.Append(batch))
		rows += len(batch)
		batch = batch[:0]
	}
	add := func(text string) {
		kind := session.KindStdout
		if text[0] == '>' {
			kind, text = session.KindStdin, text[1:]
		}
		line := []byte(text)
		at += 100
		batch = append(batch, session.Entry{Kind: kind, Seq: 1, T: at, Payload: line, Msg: framing.Scan(line)})
		if len(batch) == cap(batch) {
			flush()
		}
	}
	for _, text := range x.handshake {
		add(text)
	}
	for i := range n {
		for _, text := range x.round {
			args := []any{}
			for range countVerbs(text) {
				args = append(args, i)
			}
			add(fmt.Sprintf(text, args...))
		}
	}
	flush()
	return rows
}

func countVerbs(format string) int {
	n := 0
	for i := range len(format) - 1 {
		if format[i] == '%' {
			n++
		}
	}
	return n
}

// BenchmarkTraffic checks calls with progress, in both eras. Compare with read, which
// only reads the entries.
func BenchmarkTraffic(b *testing.B) {
	for _, x := range traffics {
		log := newLog(b)
		rows := x.appendTo(b, log, 1<<16)
		perRow := func(b *testing.B, start time.Time) {
			b.ReportMetric(float64(time.Since(start).Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
		}
		b.Run(x.name, func(b *testing.B) {
			b.ReportAllocs()
			start := time.Now()
			for b.Loop() {
				require.Empty(b, Check(b.Context(), log).Problems())
			}
			perRow(b, start)
		})
		b.Run(x.name+"/read", func(b *testing.B) {
			b.ReportAllocs()
			start := time.Now()
			for b.Loop() {
				c := session.NewCursor(log)
				for c.Limit = maxLine; c.Next(); {
					_, err := c.Entry()
					require.NoError(b, err)
				}
			}
			perRow(b, start)
		})
	}
}
