package knownhosts_test

import (
	"fmt"
	"strings"
	"testing"

	"mcpdbg/sshexec/knownhosts"
)

// hashedLines returns n lines with hashed names, of which the last is "host".
func hashedLines(b testing.TB, n int) string {
	var text strings.Builder
	for i := range n - 1 {
		text.WriteString(knownhosts.Line(fmt.Sprintf("host-%d", i), 22, ed(b, "other").PublicKey(), true) + "\n")
	}
	text.WriteString(knownhosts.Line("host", 22, ed(b, "host").PublicKey(), true) + "\n")
	return text.String()
}

// 10,000 hashed lines; the aim is 16 ms.
func BenchmarkLoad(b *testing.B) {
	file := write(b, hashedLines(b, 10_000))
	b.ReportAllocs()
	for b.Loop() {
		knownhosts.Load(file)
	}
}

// The last of 10,000 hashed lines; the aim is 8 ms.
func BenchmarkCheck(b *testing.B) {
	for _, port := range []int{22, 2222} {
		b.Run(fmt.Sprint(port), func(b *testing.B) {
			db, _ := knownhosts.Load(write(b, hashedLines(b, 10_000)))
			key := ed(b, "host").PublicKey()
			b.ReportAllocs()
			for b.Loop() {
				if err := db.Check("host", port, key); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
