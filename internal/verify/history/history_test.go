package history

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
)

var night = time.Date(2026, 10, 26, 2, 0, 0, 0, time.UTC)

// run returns a settled report of the n-th night: targets with handshakes of these
// milliseconds, failed if negative.
func run(n int, handshakes ...float64) *verify.Report {
	started := night.AddDate(0, 0, n)
	r := verify.NewReport("smoke", started)
	r.ID, r.OK = verify.NewID(started, []byte("abcdef")), true
	for i, ms := range handshakes {
		t := verify.Result{
			Host: fmt.Sprintf("web-%d", i+1), Server: "notes", OK: ms >= 0, Phase: verify.PhaseDone, DurationMS: ms + 50,
			Servers: []verify.Server{{Version: "1.4.2"}},
			Steps:   []verify.Step{{Name: "connect", Status: verify.Passed, DurationMS: 44.04}, {Name: "handshake", Status: verify.Passed, DurationMS: ms}},
		}
		if ms < 0 {
			t.Phase, t.Cause, t.Servers = verify.PhaseHandshake, verify.CauseTimeout, nil
			t.Steps[1].Status, t.Steps[1].DurationMS = verify.Failed, 30_000
			r.OK = false
		}
		r.Targets = append(r.Targets, t)
	}
	r.Settle()
	return r
}

// series adds runs to a folder and reads it again.
func series(t testing.TB, runs ...*verify.Report) *Series {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "nightly")
	for _, r := range runs {
		s, err := Open(t.Context(), folder)
		require.NoError(t, err)
		require.NoError(t, s.Add(Of(r), DefaultKeep))
	}
	s, err := Read(t.Context(), folder)
	require.NoError(t, err)
	require.Empty(t, s.Notes)
	require.Len(t, s.Runs, len(runs))
	return s
}

func TestFolder(t *testing.T) {
	s := series(t, run(0, 20), run(1, 21), run(2, -1))
	require.Equal(t, []float64{-1, 44}, s.Runs[2].Targets[0].MS, "a failed step has no time")
	entries, err := os.ReadDir(s.folder)
	require.NoError(t, err)
	require.Len(t, entries, 3, "no temporary file stays")
	if runtime.GOOS != "windows" {
		info, err := os.Stat(s.folder)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o700), info.Mode().Perm())
		info, err = entries[0].Info()
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	}
}

func TestAddNeverOverwrites(t *testing.T) {
	s := series(t, run(0, 20))
	require.ErrorIs(t, s.Add(Of(run(0, 99)), DefaultKeep), fs.ErrExist)
	again, err := Read(t.Context(), s.folder)
	require.NoError(t, err)
	require.Equal(t, s.Runs, again.Runs)
	bad := Of(run(1, 20))
	bad.ID = "../../x"
	require.ErrorContains(t, s.Add(bad, DefaultKeep), "invalid id")
}

// Only digests are removed.
func TestKeep(t *testing.T) {
	s := series(t, run(0, 20), run(1, 20), run(2, 20))
	foreign := []string{"20200101T000000Z-abcdef.json", "notes.json", "readme.txt"}
	for _, name := range foreign {
		require.NoError(t, os.WriteFile(filepath.Join(s.folder, name), []byte(`{"other":1}`), 0o600))
	}
	require.NoError(t, s.Add(Of(run(3, 20)), 2))
	after, err := Read(t.Context(), s.folder)
	require.NoError(t, err)
	require.Len(t, after.Runs, 2)
	require.Equal(t, night.AddDate(0, 0, 2), after.Runs[0].Started)
	require.Len(t, after.Notes, 1)
	for _, name := range foreign {
		require.FileExists(t, filepath.Join(s.folder, name))
	}
}

func TestUnreadable(t *testing.T) {
	s := series(t, run(0, 20))
	for name, text := range map[string]string{
		"20261101T020000Z-aaaaaa.json": "{",
		"20261102T020000Z-aaaaaa.json": `{"mcpdbg_digest":2,"id":"20261102T020000Z-aaaaaa"}`,
		"20261103T020000Z-aaaaaa.json": `{"mcpdbg_digest":1,"id":"20261104T020000Z-aaaaaa"}`,
		"20261105T020000Z-aaaaaa.json": `{"mcpdbg_smoke":1}`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(s.folder, name), []byte(text), 0o600))
	}
	s, err := Read(t.Context(), s.folder)
	require.NoError(t, err)
	require.Len(t, s.Runs, 1)
	require.Len(t, s.Notes, 4)
	require.Contains(t, strings.Join(s.Notes, "\n"), "unsupported version 2")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Read(ctx, s.folder)
	require.ErrorIs(t, err, context.Canceled)
}

func TestTargetSize(t *testing.T) {
	r := run(0, 20)
	one := &r.Targets[0]
	one.Host, one.ID = strings.Repeat("h", 300), ""
	one.OK, one.Cause, one.Phase, one.DurationMS = false, verify.CauseUnread, verify.PhaseHandshake, 123456
	one.Servers[0].Version = strings.Repeat("1.", 100)
	one.Steps = nil
	for _, phase := range Phases[1:] {
		one.Steps = append(one.Steps, verify.Step{Name: phase, Status: verify.Passed, DurationMS: 99999})
	}
	r.Settle()
	var b bytes.Buffer
	require.NoError(t, Of(r).write(&b))
	for line := range strings.Lines(b.String()) {
		require.LessOrEqual(t, len(line), 250, line)
	}
	require.NotEqual(t, keyOf(one.ID), keyOf(one.ID+"h"), "a shortened id stays unique")
}

func TestMark(t *testing.T) {
	skipped := run(3, 20, 20)
	skipped.Targets[0].OK, skipped.Targets[0].Outcome = false, verify.OutcomeStopped
	skipped.Settle()
	s := series(t, run(0, -1, 20), run(1, 20, 20), run(2, -1, 20), skipped, run(4, -1, 20))
	r := run(5, -1, -1, 20)
	s.Mark(r)
	require.Equal(t, 3, r.Targets[0].Runs, "the run without a result is ignored")
	require.Equal(t, night.AddDate(0, 0, 2), *r.Targets[0].Since)
	require.Equal(t, 1, r.Targets[1].Runs, "new")
	require.Equal(t, r.Started, *r.Targets[1].Since)
	require.Nil(t, r.Targets[2].Since)

	early := run(1, -1)
	early.Started = early.Started.Add(-time.Hour)
	s.Mark(early)
	require.Equal(t, 2, early.Targets[0].Runs, "later runs do not count")
}

func TestTrend(t *testing.T) {
	var runs []*verify.Report
	for n := range 29 {
		web3 := 22.0
		if n == 10 || n == 20 {
			web3 = -1
		}
		web4 := 22.0
		if n >= 24 {
			web4 = 148
		}
		runs = append(runs, run(n, 21, 20, web3, web4))
	}
	last := run(29, 21, 20, 23, 151)
	last.Targets[1].Outcome = ""
	last.Targets[1].Attempts = []verify.Attempt{{Cause: verify.CauseConnect}}
	last.Settle()
	trend := series(t, append(runs, last)...).Trend(nil)
	require.Equal(t, []Slower{{ID: "notes@web-4", Phase: "handshake", Before: 22, Now: 148, Recent: 5, Earlier: 25}}, trend.Slower)
	require.Len(t, trend.Flaky, 2)
	require.Equal(t, 4, trend.Flaky[0].Changes)
	var text bytes.Buffer
	require.NoError(t, trend.Text(&text))
	lines := strings.Split(text.String(), "\n")
	require.Equal(t, "nightly: 30 runs, 10-26 to 11-24, 4 targets; times are p50 / p95 over targets", lines[0])
	require.Equal(t, "when (UTC)   passed  failed  flaky  host        connect       handshake", lines[1])
	require.Equal(t, "11-24 02:00       3       0      1     0  44 ms / 44 ms  21 ms / 151 ms", lines[21])
	require.Equal(t, []string{
		"10 earlier runs not shown (--json has all)",
		"handshake p95 ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁██████   151 ms, 6.9x the median of 29 runs (22 ms)",
		"slower:  notes@web-4  handshake p50 22 ms -> 148 ms, 6.7x (last 5 runs against 25)",
		"flaky:   notes@web-3  4 changes of outcome in 30 runs, same server version; last 11-15: timeout in handshake",
		"flaky:   notes@web-2  passed at another attempt in 1 of 30 runs; last 11-24", "",
	}, lines[22:])
	var page bytes.Buffer
	require.NoError(t, trend.Markdown(&page))
	require.Contains(t, page.String(), "| 11-24 02:00 | 3 | 0 | 1 | 0 |")
}

// A change of the version is a reason for another outcome.
func TestNewVersionIsNotFlaky(t *testing.T) {
	var runs []*verify.Report
	for n, ms := range []float64{20, -1, 20, -1, 20} {
		r := run(n, ms)
		if ms > 0 {
			r.Targets[0].Servers[0].Version = fmt.Sprint(n)
		}
		runs = append(runs, r)
	}
	require.Empty(t, series(t, runs...).Trend(nil).Flaky)
}

func TestTrendOfFewRuns(t *testing.T) {
	for n := range 3 {
		var runs []*verify.Report
		for i := range n {
			runs = append(runs, run(i, 20))
		}
		s := &Series{folder: "x"}
		if n > 0 {
			s = series(t, runs...)
		}
		trend := s.Trend(func(id string) bool { return id == "notes@web-1" })
		require.NoError(t, trend.Text(&bytes.Buffer{}))
		require.NoError(t, trend.Markdown(&bytes.Buffer{}))
	}
}

func TestRank(t *testing.T) {
	values := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	require.Equal(t, 5.0, Rank(values, 50))
	require.Equal(t, 10.0, Rank(values, 95))
	require.Equal(t, 1.0, Rank(values[:1], 99))
	require.Zero(t, Median(nil))
}

// FuzzRead checks that a digest of anyone has a trend, and that its texts are safe.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	require.NoError(f, Of(run(0, 20, -1)).write(&b))
	f.Add(b.Bytes())
	f.Add([]byte(`{"mcpdbg_digest":1,"id":"20261124T020000Z-k3x9c2","targets":[{"id":"\u001b[1m","o":"failed","ms":[1e308,-5]},{"id":"\u001b[1m"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := read(bytes.NewReader(data))
		if err != nil {
			return
		}
		s := &Series{folder: "x", Runs: []*Digest{d, d}}
		var text bytes.Buffer
		require.NoError(t, s.Trend(func(string) bool { return true }).Text(&text))
		require.NotContains(t, text.String(), "\x1b")
		s.Mark(run(1, -1))
	})
}

// BenchmarkHistory reads and compares 400 runs of 200 targets: at most 3 s.
func BenchmarkHistory(b *testing.B) {
	folder := b.TempDir()
	times := make([]float64, 200)
	for i := range times {
		times[i] = float64(20 + i%7)
	}
	s := &Series{folder: folder}
	for n := range 400 {
		require.NoError(b, s.Add(Of(run(n, times...)), DefaultKeep))
	}
	for b.Loop() {
		s, err := Read(b.Context(), folder)
		require.NoError(b, err)
		require.Len(b, s.Trend(nil).Runs, 400)
	}
}
