package via

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/session/via/enginetest"
)

// BenchmarkSession reports how long a session with cat takes to start, until a line has
// come back, and to end, from the end of its input until its executor is closed: the
// medians of alternating rounds, directly and through prefixes.
func BenchmarkSession(b *testing.B) {
	engine := enginetest.New(b, enginetest.Options{})
	engine.Container(b, "web", enginetest.ContainerOptions{})
	places := []struct {
		name  string
		words []string
	}{
		{"direct", nil},
		{"wrapper", []string{"/bin/sh", "-c", `exec "$@"`, "enter"}},
		{"container", []string{engine.Program("docker"), "exec", "-i", "web"}},
	}
	if os.Geteuid() == 0 {
		places = append(places, struct {
			name  string
			words []string
		}{"unshare", []string{"unshare", "-p", "-f", "--mount-proc"}})
	}
	const rounds = 15
	for b.Loop() {
		starts, ends := make([][]time.Duration, len(places)), make([][]time.Duration, len(places))
		for range rounds {
			for i, place := range places {
				start, end := session(b, place.words)
				starts[i], ends[i] = append(starts[i], start), append(ends[i], end)
			}
		}
		for i, place := range places {
			slices.Sort(starts[i])
			slices.Sort(ends[i])
			b.ReportMetric(starts[i][rounds/2].Seconds()*1000, place.name+"-start-ms")
			b.ReportMetric(ends[i][rounds/2].Seconds()*1000, place.name+"-end-ms")
		}
	}
}

// session runs one with cat, and returns how long its start and its end took.
func session(b *testing.B, words []string) (start, end time.Duration) {
	begin := time.Now()
	ctx := context.Background()
	e, err := New(Options{Words: words, Below: below()})
	require.NoError(b, err)
	p, err := e.Start(ctx, executor.Command{Argv: []string{"cat"}})
	require.NoError(b, err)
	_, err = p.Write(ctx, "", []byte("line\n"))
	require.NoError(b, err)
	r, err := p.Read(ctx, 0, 0, waitLimit)
	require.NoError(b, err)
	start, begin = time.Since(begin), time.Now()
	p.CloseStdin()
	for r.Exit == nil {
		r, err = p.Read(ctx, r.NextSeq-1, 0, waitLimit)
		require.NoError(b, err)
	}
	report, err := p.Terminate(ctx)
	require.NoError(b, err)
	require.Empty(b, report.CannotTell)
	require.NoError(b, e.Close())
	return start, time.Since(begin)
}
