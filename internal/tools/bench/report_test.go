package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// result returns a case in which mcpdbg takes ratio times as long as its peer.
func result(id string, ratio float64, goal Goal) Result {
	samples := func(ms float64) []Sample {
		d := time.Duration(ms * float64(time.Millisecond))
		return []Sample{{Wall: d, CPU: d / 2, Memory: 20 << 20}, {Wall: d, CPU: d / 2, Memory: 20 << 20}}
	}
	return NewResult(Result{ID: id, What: "`" + id + "`", Peer: "peer", Goal: goal}, samples(10*ratio), samples(10))
}

func TestNewResult(t *testing.T) {
	r := result("start", 4, Goal{AtMost: 2})
	require.Equal(t, 2, r.Rounds)
	require.Equal(t, 4.0, r.Ratio.Value)
	require.Equal(t, 4.0, r.CPU.Value)
	require.False(t, r.Speed)

	r = result("bulk", 4, Goal{AtLeast: 0.8})
	require.True(t, r.Speed)
	require.Equal(t, 0.25, r.Ratio.Value, "four times the time is a fourth of the speed")
	require.Equal(t, 4.0, r.CPU.Value, "CPU times are not speeds")

	r.Bytes = 40e6
	require.Equal(t, 2000.0, r.Rate(), "40 MB in 20 ms")
}

func TestCheck(t *testing.T) {
	for name, tc := range map[string]struct {
		ratio, noise, memory float64
		goal                 Goal
		want                 string // part of the line; "" means none
	}{
		"reached":                       {2, 0, 0, Goal{AtMost: 2.5}, ""},
		"missed":                        {3, 0.1, 0, Goal{AtMost: 2.5}, "case: 3x of peer, at most 2.5x"},
		"missed by less than the noise": {2.7, 0.1, 0, Goal{AtMost: 2.5}, ""},
		"speed reached":                 {0.9, 0, 0, Goal{AtLeast: 0.8}, ""},
		"speed missed":                  {0.5, 0.1, 0, Goal{AtLeast: 0.8}, "case: 0.5x the speed of peer, at least 0.8x"},
		"speed within the noise":        {0.75, 0.1, 0, Goal{AtLeast: 0.8}, ""},
		"too much memory":               {1, 0, 20, Goal{AtMost: 2, Memory: 14}, "case: 20 MiB, at most 14 MiB"},
		"times depend on the machine":   {1, 0, 0, Goal{Wall: 1e-9, Rate: 1e9}, ""},
		"no goal":                       {100, 0, 1000, Goal{}, ""},
	} {
		r := Result{ID: "case", Peer: "peer", Goal: tc.goal, Ratio: Ratio{tc.ratio, tc.noise}, Ours: Series{Memory: tc.memory}}
		missed := strings.Join(r.Check(), "\n")
		require.Equal(t, tc.want, missed, name)
		r.Missing = "not installed"
		require.Empty(t, r.Check(), name)
	}
}

func TestRegressions(t *testing.T) {
	before := Run{Results: []Result{result("start", 2, Goal{}), result("bulk", 2, Goal{AtLeast: 0.8}), result("gone", 2, Goal{})}}
	require.Empty(t, before.Regressions(before))

	now := Run{Results: []Result{result("start", 2.5, Goal{}), result("bulk", 2.5, Goal{AtLeast: 0.8}), result("new", 9, Goal{})}}
	require.Empty(t, now.Regressions(before), "25 % are tolerated")

	now = Run{Results: []Result{result("start", 3, Goal{}), result("bulk", 3, Goal{AtLeast: 0.8})}}
	worse := now.Regressions(before)
	require.Equal(t, map[string][]string{
		"start": {"start: ratio of CPU times 3, was 2 (+50 %)", "start: ratio of times 3, was 2 (+50 %)"},
		"bulk":  {"bulk: ratio of CPU times 3, was 2 (+50 %)", "bulk: ratio of times 3, was 2 (+50 %)"},
	}, worse)
	require.Empty(t, before.Regressions(now), "better is not worse")

	noisy := result("start", 3, Goal{})
	noisy.Ratio.Noise, noisy.CPU.Noise = 0.3, 0.3
	require.Empty(t, Run{Results: []Result{noisy}}.Regressions(before))

	large := result("start", 2, Goal{})
	large.Ours.Memory = 30
	require.Equal(t, []string{"start: memory in MiB 30, was 20 (+50 %)"}, Run{Results: []Result{large}}.Regressions(before)["start"])
	large.Missing = "not installed"
	require.Empty(t, Run{Results: []Result{large}}.Regressions(before))
}

func TestUpdate(t *testing.T) {
	old := Run{Date: "1", Results: []Result{result("a", 1, Goal{}), result("b", 1, Goal{}), result("dropped", 1, Goal{})}}
	next := Run{Date: "2", Results: []Result{result("c", 2, Goal{}), result("a", 2, Goal{})}}
	merged := old.Update(next, []string{"a", "b", "c", "d"})
	require.Equal(t, "2", merged.Date)
	var got []float64
	for _, r := range merged.Results {
		got = append(got, r.Ratio.Value)
	}
	require.Equal(t, []float64{2, 1, 2}, got, "a is new, b is kept, c is added")
}

func TestReadAndWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.json")
	empty, err := Read(path)
	require.NoError(t, err)
	require.Equal(t, Report{}, empty)
	want := Report{Full: Run{Date: "2026-11-23", Results: []Result{result("start", 2, Goal{AtMost: 2.5})}}}
	require.NoError(t, want.Write(path))
	got, err := Read(path)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	_, err = Read(path)
	require.ErrorContains(t, err, "not a report")
}

func TestTables(t *testing.T) {
	run := Run{Date: "2026-11-23", Machine: "2 cores", Program: "mcpdbg 1", Results: []Result{
		result("start", 4, Goal{AtMost: 2.5, Memory: 14, Wall: 100}),
		result("bulk", 2, Goal{AtLeast: 0.4}),
		{ID: "open", What: "`open`", Peer: "a|b", Missing: "b is not installed; apt-get install b"},
	}}
	require.Equal(t, `
2026-11-23; 2 cores; mcpdbg 1.

| what | against | mcpdbg | peer | ratio | noise | CPU ratio | memory | goal |
|---|---|---|---|---|---|---|---|---|
| `+"`start`"+` | peer | 40 ms | 10 ms | **4x** | 0 % | 4x | **20 MiB** | at most 2.5x, 100 ms, 14 MiB |
| `+"`bulk`"+` | peer | 20 ms | 10 ms | 0.5x the speed | 0 % | 2x | 20 MiB | at least 0.4x |

- `+"`open`"+`, against a|b: not measured: b is not installed; apt-get install b

`, run.Markdown())
	require.Equal(t, "- `open`, against a|b: not measured: b is not installed; apt-get install b\n", run.Results[2].Line())
}

func TestNumber(t *testing.T) {
	for want, f := range map[string]float64{"0": 0, "0.05": 0.052, "1.23": 1.2345, "2": 2, "12.3": 12.34, "124": 123.6} {
		require.Equal(t, want, number(f))
	}
	require.Equal(t, "999 ms", duration(999))
	require.Equal(t, "1.5 s", duration(1500))
}

func TestChart(t *testing.T) {
	run := Run{Results: []Result{result("a", 4, Goal{}), result("b", 4, Goal{}), {ID: "c", Missing: "not installed"}}}
	groups := []Group{
		{Title: "First & last", IDs: []string{"a", "b", "c"}, Names: []string{"mcpdbg", "peer a", "peer b", "peer c"}},
		{Title: "Not measured", IDs: []string{"c", "d"}, Names: []string{"mcpdbg", "peer c", "peer d"}},
	}
	svg := run.Chart(groups, Light)
	require.Equal(t, 3, strings.Count(svg, "<rect"), "mcpdbg and two peers")
	require.Contains(t, svg, `width="460.0" height="14" rx="2" fill="`+Light.Ours, "the longest bar")
	require.Contains(t, svg, `width="115.0" height="14" rx="2" fill="`+Light.Peer, "a fourth of it")
	require.Contains(t, svg, "First &amp; last")
	require.NotContains(t, svg, "Not measured")
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err, svg)
	}
}

func TestInsert(t *testing.T) {
	page := "head\n" + begin + "old\n" + end + "\ntail\n"
	got, err := Insert(page, "new\n")
	require.NoError(t, err)
	require.Equal(t, "head\n"+begin+"new\n"+end+"\ntail\n", got)
	for _, bad := range []string{"", begin, end} {
		_, err := Insert(bad, "")
		require.ErrorContains(t, err, "the page lacks the line")
	}
}

func TestSeries(t *testing.T) {
	s := seriesOf([]Sample{
		{Wall: 30 * time.Millisecond, CPU: 3 * time.Millisecond, Memory: 10 << 20},
		{Wall: 10 * time.Millisecond, CPU: 1 * time.Millisecond, Memory: 30 << 20},
		{Wall: 20 * time.Millisecond, CPU: 2 * time.Millisecond, Memory: 20 << 20},
	})
	require.Equal(t, Series{Wall: Spread{10, 20, 30}, CPU: Spread{1, 2, 3}, Memory: 20}, s)
	require.Equal(t, Series{}, seriesOf(nil))
}

func TestPairwise(t *testing.T) {
	for name, tc := range map[string]struct {
		dividend, divisor []time.Duration
		want              Ratio
	}{
		"one round":         {[]time.Duration{6}, []time.Duration{3}, Ratio{Value: 2}},
		"no rounds":         {nil, nil, Ratio{}},
		"a load slows both": {[]time.Duration{20, 200, 40}, []time.Duration{10, 100, 20}, Ratio{Value: 2}},
		"nothing measured":  {[]time.Duration{6, 8}, []time.Duration{0, 2}, Ratio{Value: 4}},
		"always 0":          {[]time.Duration{0}, []time.Duration{1}, Ratio{}},
		// The middle half of 1, 2, 3, 4, 5 reaches from 2 to 4.
		"noise": {[]time.Duration{5, 4, 3, 2, 1}, []time.Duration{1, 1, 1, 1, 1}, Ratio{Value: 3, Noise: 1.0 / 3}},
	} {
		got := pairwise(walls(tc.dividend), walls(tc.divisor), Sample.wall)
		require.InDelta(t, tc.want.Value, got.Value, 1e-9, name)
		require.InDelta(t, tc.want.Noise, got.Noise, 1e-9, name)
	}
}

func TestQuantile(t *testing.T) {
	values := []float64{4, 1, 3, 2}
	require.Equal(t, 1.0, quantile(values, 0))
	require.Equal(t, 2.5, quantile(values, 0.5))
	require.Equal(t, 4.0, quantile(values, 1))
	require.Equal(t, []float64{4, 1, 3, 2}, values, "the values keep their order")
	require.Zero(t, quantile(nil, 0.5))
}

func walls(times []time.Duration) (all []Sample) {
	for _, wall := range times {
		all = append(all, Sample{Wall: wall})
	}
	return all
}
