package summary_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/summary"
)

// benchmarks are messages of usual sizes, and long ones that are cut.
var benchmarks = []struct {
	name, method string
	msg          []byte
}{
	{"call", "tools/call", response(`{"content":[{"type":"text","text":"` + strings.Repeat("first ", 20) + `"}],"isError":false}`)},
	{"text", "tools/call", response(`{"content":[{"type":"text","text":"` + strings.Repeat("line\\n", 4000) + `"}]}`)},
	{"blob", "tools/call", response(`{"content":[{"type":"image","data":"` + strings.Repeat("AAAA", 6000) + `"}]}`)},
	{"list", "tools/list", response(`{"tools":[` + strings.Repeat(`{"name":"echo","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}},`, 300))},
	{"structured", "tools/call", response(`{"structuredContent":{"rows":[` + strings.Repeat(`{"a":1,"b":[2,3],"c":"text"},`, 1000))},
}

func BenchmarkResponse(b *testing.B) {
	for _, bm := range benchmarks {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				summary.Response(bm.method, bm.msg, int64(len(bm.msg)))
			}
		})
	}
}

// TestAllocations checks that a summary of a usual message is cheap enough to be
// made for each visible row.
func TestAllocations(t *testing.T) {
	call := request("tools/call", `{"name":"search","arguments":{"query":"`+strings.Repeat("word ", 20)+`","limit":10}}`)
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { summary.Request("tools/call", call) }), 10.0)
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { summary.Response("tools/call", benchmarks[0].msg, 200) }), 10.0)
}
