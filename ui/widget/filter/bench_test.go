package filter_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/internal/tools/corpus"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/ui/widget/filter"
)

// mixed records the corpus MIX: 200,000 events (about 90 MB), or as many as
// MCPDBG_BENCH_EVENTS says; 2,353,612 events are 1 GiB.
func mixed(b *testing.B) (path string, rec *recordings.Recording) {
	b.Helper()
	events := 200_000
	if n, err := strconv.Atoi(os.Getenv("MCPDBG_BENCH_EVENTS")); err == nil {
		events = n
	}
	path = filepath.Join(b.TempDir(), "mix.jsonl")
	f, err := recordings.Create(recordings.Options{Path: path})
	require.NoError(b, err)
	messages := corpus.MIX(10_000)
	batch := make([]session.Entry, 0, 500)
	for i := range events {
		m := messages[i%len(messages)]
		e := session.Entry{Kind: session.KindStdout, Seq: uint64(i + 1), Payload: m, Msg: framing.Scan(m)}
		if e.Msg.Kind == framing.Request {
			e.Kind, e.Seq = session.KindStdin, 0
		}
		if batch = append(batch, e); len(batch) == cap(batch) || i == events-1 {
			require.NoError(b, f.Append(batch))
			batch = batch[:0]
		}
	}
	require.NoError(b, f.Close())
	require.NoError(b, f.Release())
	rec, err = recordings.Open(path)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, rec.Close()) })
	return path, rec
}

// BenchmarkSearch searches a recording as the screen does, and compares it with
// ripgrep on the same file, also ignoring case.
func BenchmarkSearch(b *testing.B) {
	path, rec := mixed(b)
	for _, c := range []struct{ name, text string }{
		{"absent", "no-such-text"}, {"18percent", `"name":"search"`}, {"word", "logger"}, {"regexp", `/query [0-9]+ took/`},
	} {
		b.Run(c.name, func(b *testing.B) {
			f, err := filter.Text(c.text)
			require.NoError(b, err)
			b.ReportAllocs()
			b.SetBytes(rec.Stats().Size)
			var peers time.Duration
			found := 0
			for b.Loop() {
				numbers, _ := matches(f, rec, 1<<14)
				found = len(numbers)
				b.StopTimer()
				peers += ripgrep(b, c.text, path, found)
				b.StartTimer()
			}
			if peers > 0 {
				b.ReportMetric(b.Elapsed().Seconds()/peers.Seconds(), "x_ripgrep")
			}
			b.ReportMetric(float64(found), "hits")
		})
	}
}

// ripgrep measures how long ripgrep takes to count the lines with a text, if it
// is installed.
func ripgrep(b *testing.B, text, path string, lines int) time.Duration {
	b.Helper()
	rg, err := exec.LookPath("rg")
	if err != nil {
		return 0
	}
	args := []string{"-c", "-i", "-F", text, path}
	if text[0] == '/' {
		args = []string{"-c", text[1 : len(text)-1], path}
	}
	begin := time.Now()
	out, _ := exec.CommandContext(b.Context(), rg, args...).Output() // exit status 1: no line matches
	took := time.Since(begin)
	want := ""
	if lines > 0 {
		want = fmt.Sprintln(lines)
	}
	require.Equal(b, want, string(out))
	return took
}

// BenchmarkFields filters by fields of the index.
func BenchmarkFields(b *testing.B) {
	_, rec := mixed(b)
	for _, text := range []string{"method:tools/call", "err", "kind:request >100ms", "n:1000-1010", "tool:search"} {
		b.Run(text, func(b *testing.B) {
			f, err := filter.Parse(text)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				numbers, _ := matches(f, rec, 1<<14)
				runtime.KeepAlive(numbers)
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(rec.Len())*1e9, "ns/row")
		})
	}
}
