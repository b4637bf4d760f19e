package formats

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mcpdbg/framing"
)

// BenchmarkImport compares an import with reading each byte of the source once.
func BenchmarkImport(b *testing.B) {
	var lines, log strings.Builder
	for n := range 20_000 {
		message := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"token":1,"progress":%d,"text":"%0250d"}}`, n, n)
		fmt.Fprintf(&lines, `{"t":%d,"dir":"in","message":%s}`+"\n", n, message)
		fmt.Fprintf(&log, "2026-11-21T20:48:%02d.%03dZ [x] [info] Message from server: %s { metadata: undefined }\n", n/1000, n%1000, message)
	}
	for name, source := range map[string]string{"jsonl": lines.String(), "claude": log.String()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(source)))
			for b.Loop() {
				if _, err := Import(b.Context(), strings.NewReader(source), ImportOptions{Path: filepath.Join(b.TempDir(), "x")}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("scan", func(b *testing.B) {
		source := []byte(lines.String())
		b.SetBytes(int64(len(source)))
		for b.Loop() {
			for line := range bytes.Lines(source) {
				framing.Scan(bytes.TrimSuffix(line, []byte("\n")))
			}
		}
	})
}
