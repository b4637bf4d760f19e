//go:build unix

package rec_test

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// BenchmarkRecCat measures the time of rec cat, as a process, to find some
// entries in 100 MB. The field filter is compared with jq, which filters only
// by method because it cannot know response times.
func BenchmarkRecCat(b *testing.B) {
	file := writeCorpus(b, 220_000)
	info, err := os.Stat(file)
	require.NoError(b, err)
	for _, c := range []struct {
		name string
		args []string
		jq   []string // nil: none
	}{
		{"field", []string{"--json", "--filter", "method:tools/call >100ms"}, []string{"-c", `select(.m.method == "tools/call")`}},
		{"jq", []string{"--filter", "method:tools/call >100ms", "--jq", ".m.id"}, []string{"-c", `select(.m.method == "tools/call") | .m.id`}},
		{"text", []string{"--json", "--filter", "query 4711 "}, []string{"-c", `select(.m.params.data? // "" | contains("query 4711 "))`}},
		{"all-json", []string{"--json"}, nil},
		{"all-lines", nil, nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(info.Size())
			ours := append([]string{clitest.Binary(), "rec", "cat", file}, c.args...)
			base := append(append([]string{"jq"}, c.jq...), file)
			if c.jq == nil {
				base = []string{"cat", file}
			} else if _, err := exec.LookPath("jq"); err != nil {
				base = nil
			}
			timed(b, ours) // which stores the index
			for b.Loop() {
				if base == nil {
					timed(b, ours)
					continue
				}
				baseTime, ourTime := clitest.Duel(3,
					func() time.Duration { return timed(b, base) },
					func() time.Duration { return timed(b, ours) })
				b.ReportMetric(baseTime.Seconds()/ourTime.Seconds(), "x-"+base[0])
				b.ReportMetric(float64(info.Size())/ourTime.Seconds()/1e6, "MB/s")
			}
		})
	}
}

// timed runs a command and discards its output.
func timed(b *testing.B, command []string) time.Duration {
	b.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = &stderr
	begin := time.Now()
	require.NoError(b, cmd.Run(), "%q: %s", command, &stderr)
	return time.Since(begin)
}
