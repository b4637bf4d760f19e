package expect

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/history"
)

var start = time.Date(2026, 11, 1, 2, 0, 0, 0, time.UTC)

// run returns a settled report of targets with these handshakes; a negative one fails.
func run(day int, handshakes ...float64) *verify.Report {
	r := verify.NewReport("smoke", start.AddDate(0, 0, day))
	r.ID, r.OK = verify.NewID(r.Started, []byte("abcdef")), true
	for i, ms := range handshakes {
		tools := 12
		t := verify.Result{
			Host: fmt.Sprintf("web-%d", i), Server: "notes", OK: true, Phase: verify.PhaseDone, DurationMS: ms + 10, Offers: verify.Offers{Tools: &tools},
			Servers: []verify.Server{{Era: "legacy", Protocol: "2025-11-25", Name: "notes", Version: "1.4.2"}},
			Steps: []verify.Step{
				{Name: "handshake", Status: verify.Passed, DurationMS: ms}, {Name: verify.StepCall, Subject: "echo", Status: verify.Passed, DurationMS: 7},
			},
		}
		if ms < 0 {
			t.OK, t.Cause, t.Phase, t.Steps, t.Servers, t.Offers = false, verify.CauseConnect, verify.PhaseConnect, nil, nil, verify.Offers{}
			r.OK = false
		}
		r.Targets = append(r.Targets, t)
	}
	r.Settle()
	return r
}

func past(reports ...*verify.Report) *history.Series {
	s := &history.Series{}
	for _, r := range reports {
		s.Runs = append(s.Runs, history.Of(r))
	}
	return s
}

func times(n int, ms float64) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = ms
	}
	return all
}

func checked(t *testing.T, text string, r *verify.Report, s *history.Series) verify.Expectation {
	t.Helper()
	e, err := parse(text)
	require.NoError(t, err)
	return Run([]*Expect{e}, r, s)[0]
}

func TestExpect(t *testing.T) {
	r := run(0, append(times(19, 100), 400, -1)...)
	for text, want := range map[string]string{
		"handshake < 1s": "true 400 ms 20", "handshake < 400ms": "false 400 ms 20", "handshake p95 <= 100ms": "true 100 ms 20",
		"handshake max < 0.3s": "false 400 ms 20", "handshake avg < 116ms": "true 115 ms 20", "handshake p50 = 100ms": "true 100 ms 20",
		"handshake >= 100ms": "true 100 ms 20", "total p90 < 1s": "true 110 ms 20", "handshake p99 < 1s": "20 samples of 100 required for p99",
		"tools >= 10": "true 12 20", "tools != 12": "false 12 20", "tools/call echo < 5ms": "false 7 ms 20", "tools/call other < 5ms": "no samples",
		"connect < 1s": "no samples", "failed <= 5%": "true 4.8% 21", "failed = 0": "false 1 21", "host < 1%": "false 4.8% 21", "flaky = 0": "true 0 21",
		"version = 1.4.*": "true 1.4.2 20", "version != 1.*": "false 1.4.2 on notes@web-0 20", "era = legacy": "true legacy 20", "protocol = 2025-*": "true 2025-11-25 20",
		"handshake p50 <= 1.5x history": "0 of 5 passed runs required in the history",
	} {
		e := checked(t, text, r, nil)
		got := fmt.Sprintf("%v %s %d", e.OK, e.Value, e.Samples)
		if e.NotChecked != "" {
			got = e.NotChecked
			require.False(t, e.OK, text)
		}
		require.Equal(t, want, got, text)
	}
}

func TestHistory(t *testing.T) {
	const text = "handshake p95 <= 1.5x history"
	var runs []*verify.Report
	for day := range 5 {
		require.Contains(t, checked(t, text, run(day, times(20, 100)...), past(runs...)).NotChecked, fmt.Sprintf("%d of 5 passed runs", day))
		runs = append(runs, run(day, times(20, 100)...))
	}
	s := past(append(runs, run(5, append(times(20, 900), -1)...))...) // a failed run does not count
	e := checked(t, text, run(6, times(20, 149)...), s)
	require.True(t, e.OK)
	e = checked(t, text, run(6, times(20, 600)...), s)
	require.False(t, e.OK)
	require.Equal(t, "600 ms, median of 5 passed runs 100 ms, 6.0x", e.Value)
	require.True(t, checked(t, "failed <= 2x history", run(6, 100), s).OK)
	require.False(t, checked(t, "failed <= 2x history", run(6, 100, -1), s).OK)
	require.Contains(t, checked(t, text, run(4, times(20, 600)...), s).NotChecked, "4 of 5", "later runs do not count")

	var quick []*verify.Report
	for day := range 5 {
		quick = append(quick, run(day, times(20, 2)...))
	}
	require.Equal(t, "grew by 9 ms only, from 2 ms", checked(t, text, run(6, times(20, 11)...), past(quick...)).NotChecked)
}

func TestTarget(t *testing.T) {
	all, err := Parse("tools >= 20; version = 1.4.*;; handshake p95 < 1s; handshake <= 1.5x history")
	require.NoError(t, err)
	var runs []*verify.Report
	for day := range 6 {
		runs = append(runs, run(day, 100, 100))
	}
	steps := Target(all, run(7, 100, 100), 1, past(runs...))
	require.Equal(t, []verify.Step{
		{Name: "expect", Subject: "tools >= 20", Status: verify.Failed, Severity: "error", Reason: "measured: 12"},
		{Name: "expect", Subject: "version = 1.4.*", Status: verify.Passed},
		{Name: "expect", Subject: "handshake p95 < 1s", Status: verify.NotChecked, Reason: "1 sample of 20 required for p95"},
		{Name: "expect", Subject: "handshake <= 1.5x history", Status: verify.Passed},
	}, steps)
}

func TestParseErrors(t *testing.T) {
	for text, says := range map[string]string{
		"": "must be METRIC", "handshake": "must be METRIC", "< 2s": "must be METRIC", "handshake <": "must be METRIC",
		"handshke < 2s": "unknown metric handshke; did you mean handshake?", "xyzxyz < 2s": "(known: total, connect",
		"handshake p96 < 2s": "unknown statistic p96", "handshake < 2": "must be a duration", "handshake < -2s": "must be a duration",
		"tools >= 5%": "must be a number", "tools >= NaN": "must be a number", "failed p95 < 5%": "failed has no p95",
		"version < 2": "must be = or !=", "version = [": "must be = or !=", "tools <= 1.5x history": "the history has no tools",
		"tools/call echo <= 1.5x history": "the history has no tools/call", "handshake <= 0x history": "must be a factor", "handshake <= Infx history": "must be a factor",
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, says, text)
	}
}

// FuzzParse checks that what is parsed is checked, and parsed again from its text.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"handshake p95 < 2s", "host <= 5%", "version = 1.4.*", "tools/call echo p50 <= 1s", "total <= 1.5x history"} {
		f.Add(text)
	}
	r := run(7, append(times(25, 100), -1)...)
	var runs []*verify.Report
	for day := range 6 {
		runs = append(runs, run(day, 100, 100))
	}
	s := past(runs...)
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parse(text)
		if err != nil {
			return
		}
		again, err := parse(e.text)
		require.NoError(t, err)
		require.Equal(t, e, again)
		result := Run([]*Expect{e}, r, s)[0]
		require.False(t, result.OK && result.NotChecked != "")
		Target([]*Expect{e}, r, 0, s)
	})
}
