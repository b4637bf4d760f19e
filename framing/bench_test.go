package framing

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// corpus returns messages of realistic sizes.
func corpus(tb testing.TB) []sample {
	samples := []sample{
		{"146B", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok-000017","progress":41,"total":100,"message":"indexed 41 of 100"}}`},
		{"179B", `{"jsonrpc":"2.0","id":4711,"method":"tools/call","params":{"name":"search_files","arguments":{"path":"/home/user/projects/demo","pattern":"*.go","limit":50},"_meta":{"trace":"ab12cd"}}}`},
		{"2KB", toolsResult(2 << 10)},
		{"95KB", textResult(95 << 10)},
		{"10MB", blobResult(10 << 20)},
	}
	for _, s := range samples {
		m := Scan([]byte(s.line))
		require.True(tb, m.Valid(), s.name)
		require.True(tb, m.Verbatim, s.name)
	}
	return samples
}

type sample struct{ name, line string }

func toolsResult(size int) string {
	var b strings.Builder
	b.WriteString(`{"result":{"tools":[`)
	for i := 0; b.Len() < size-200; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"tool_%d","description":"Reads the file at the given path and returns its text.",`+
			`"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where it is"},`+
			`"limit":{"type":"integer","minimum":0}},"required":["path"],"additionalProperties":false}}`, i)
	}
	b.WriteString(`]},"jsonrpc":"2.0","id":2}`)
	return b.String()
}

func textResult(size int) string {
	const paragraph = `func main() {\n\tfmt.Println(\"Grüße, 世界\") // \u00e9\n}\n\n` +
		`The quick brown fox jumps over the lazy dog, and then it does so again.\n`
	n := size / len(paragraph)
	return `{"jsonrpc":"2.0","id":"req-9","result":{"content":[{"type":"text","text":"` +
		strings.Repeat(paragraph, n) + `"}],"isError":false}}`
}

func blobResult(size int) string {
	raw := make([]byte, size/4*3)
	for i := range raw {
		raw[i] = byte(i * 7)
	}
	return `{"jsonrpc":"2.0","id":10,"result":{"contents":[{"uri":"file:///a.png","mimeType":"image/png","blob":"` +
		base64.StdEncoding.EncodeToString(raw) + `"}]}}`
}

// envelope reads a message with encoding/json without decoding its members, for
// comparison with Scan.
type envelope struct {
	JSONRPC json.RawMessage `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  json.RawMessage `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

func BenchmarkScan(b *testing.B) {
	for _, s := range corpus(b) {
		line := []byte(s.line)
		b.Run(s.name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				Scan(line)
			}
		})
		b.Run(s.name+"/encoding-json", func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				var e envelope
				require.NoError(b, json.Unmarshal(line, &e))
			}
		})
	}
}

// BenchmarkScanRatio reports how many times faster than encoding/json Scan is.
// The two alternate, so that a busy machine slows both; the median of the
// rounds is reported.
func BenchmarkScanRatio(b *testing.B) {
	for _, s := range corpus(b) {
		line := []byte(s.line)
		repeat := max(1, (256<<10)/len(line))
		b.Run(s.name, func(b *testing.B) {
			var ratios []float64
			for b.Loop() {
				scan := timed(repeat, func() { Scan(line) })
				decode := timed(repeat, func() {
					var e envelope
					require.NoError(b, json.Unmarshal(line, &e))
				})
				ratios = append(ratios, float64(decode)/float64(scan))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "x-encoding/json")
		})
	}
}

func timed(repeat int, do func()) time.Duration {
	start := time.Now()
	for range repeat {
		do()
	}
	return time.Since(start)
}

// notifications returns a chunk of about the given size with lines of 205
// bytes. It begins and ends in the middle of a line, so that pushing it
// repeatedly makes an endless stream.
func notifications(size int) []byte {
	const line = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"indexer",` +
		`"data":{"text":"read /srv/data/projects/demo/internal/server/handler_test.go","bytes":18233,"ms":12}}}` + "\n"
	n := size / len(line)
	return []byte(strings.Repeat(line, n+1)[len(line)/2:][:n*len(line)])
}

// BenchmarkSplitAndScan measures a flood of notifications, from the chunk to
// the message, and the cost of only finding the newlines.
func BenchmarkSplitAndScan(b *testing.B) {
	chunk := notifications(64 << 10)
	run := func(b *testing.B, each func(line []byte)) {
		var s Splitter
		defer s.Close()
		b.SetBytes(int64(len(chunk)))
		b.ReportAllocs()
		seq := uint64(0)
		for b.Loop() {
			seq++
			for line := range s.Push(seq, chunk) {
				each(line.Data)
			}
		}
	}
	b.Run("split", func(b *testing.B) { run(b, func([]byte) {}) })
	b.Run("split-and-scan", func(b *testing.B) { run(b, func(line []byte) { Scan(line) }) })
	b.Run("newlines", func(b *testing.B) {
		b.SetBytes(int64(len(chunk)))
		for b.Loop() {
			for rest := chunk; ; {
				i := bytes.IndexByte(rest, '\n')
				if i < 0 {
					break
				}
				rest = rest[i+1:]
			}
		}
	})
}

// BenchmarkSplitLongLine splits a line of 64 MiB in chunks of 64 KiB.
func BenchmarkSplitLongLine(b *testing.B) {
	const size = 64 << 20
	chunk := bytes.Repeat([]byte("x"), 64<<10)
	var s Splitter
	defer s.Close()
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		seq := uint64(0)
		for range size / len(chunk) {
			seq++
			for range s.Push(seq, chunk) {
				b.Fatal("a line without newline")
			}
		}
		for line := range s.Push(seq+1, []byte("\n")) {
			require.Len(b, line.Data, size)
		}
	}
}

// BenchmarkMember looks for a member of the params of a call.
func BenchmarkMember(b *testing.B) {
	params := []byte(`{"name":"search_files","arguments":{"path":"/home/user/projects/demo","limit":50},"_meta":{"trace":"ab12cd"}}`)
	b.ReportAllocs()
	for b.Loop() {
		Member(params, "_meta")
	}
}
