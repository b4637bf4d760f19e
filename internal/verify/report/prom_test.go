package report

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
)

func promOf(t testing.TB, r *verify.Report) string {
	r.Settle()
	return string(written(t, func(w io.Writer) error { return Prom(w, r, "nightly") }))
}

// withExpectations returns the sample with a tolerated target and expectations.
func withExpectations() *verify.Report {
	r := sample()
	r.Targets[2].Outcome, r.Targets[2].Side = verify.OutcomeTolerated, verify.SideHost
	r.Expectations = []verify.Expectation{
		{Expect: "handshake p95 < 2s", OK: true}, {Expect: "host <= 5%"}, {Expect: "list p99 < 1s", NotChecked: "12 samples of 100 required for p99"},
	}
	return r
}

func TestPromGolden(t *testing.T) {
	text := promOf(t, withExpectations())
	golden(t, "smoke.prom", []byte(text))
	parsePromText(t, text)
}

// A file is complete at any time, and readable by the exporter.
func TestPromMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are those of other systems")
	}
	f, err := os.OpenFile(filepath.Join(t.TempDir(), "x.prom"), os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, Prom(f, sample(), "x"))
	info, err := f.Stat()
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o644), info.Mode().Perm())
}

// FuzzProm checks that names and texts of anyone are labels.
func FuzzProm(f *testing.F) {
	f.Add("web-1", `no"tes\`, "list < 1s\nx")
	f.Add("\xff\x00}", "a,b=\"c\"", "\\n")
	f.Fuzz(func(t *testing.T, host, server, expect string) {
		r := withExpectations()
		for i := range r.Targets {
			r.Targets[i].Host, r.Targets[i].Server = host, server
		}
		r.Expectations[0].Expect = expect
		samples := parsePromText(t, promOf(t, r))
		require.NotZero(t, samples)
	})
}

var (
	promHead   = regexp.MustCompile(`^# (HELP|TYPE) ([a-z_]+) (.+)$`)
	promSample = regexp.MustCompile(`^([a-z_]+)\{(.*)\} (\S+)$`)
	promLabel  = regexp.MustCompile(`^([a-z]+)="((?:[^"\\]|\\[\\"n])*)"(,|$)`)
)

// parsePromText reads the text format, version 0.0.4: the samples of a metric stand
// together after its HELP and TYPE, and none is repeated.
func parsePromText(t *testing.T, text string) int {
	require.True(t, strings.HasSuffix(text, "\n"))
	seen, current := map[string]bool{}, ""
	samples := 0
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if head := promHead.FindStringSubmatch(line); head != nil {
			require.False(t, seen[head[1]+head[2]], "repeated: %s", line)
			seen[head[1]+head[2]], current = true, head[2]
			require.True(t, head[1] == "HELP" || head[3] == "gauge")
			continue
		}
		sample := promSample.FindStringSubmatch(line)
		require.NotNil(t, sample, "%q", line)
		require.Equal(t, current, sample[1])
		require.False(t, seen[sample[1]+sample[2]], "repeated: %s", line)
		seen[sample[1]+sample[2]] = true
		_, err := strconv.ParseFloat(sample[3], 64)
		require.NoError(t, err)
		for labels := sample[2]; labels != ""; {
			label := promLabel.FindStringSubmatch(labels)
			require.NotNil(t, label, "%q", labels)
			labels = labels[len(label[0]):]
		}
		samples++
	}
	return samples
}

func TestCodeQuality(t *testing.T) {
	r := sample()
	r.Targets[2].At = "fleet.ini:7"
	r.Settle()
	var issues []qualityIssue
	require.NoError(t, json.Unmarshal(written(t, func(w io.Writer) error { return CodeQuality(w, r) }), &issues))
	require.Equal(t, "connect", issues[0].Check)
	require.Equal(t, "fleet.ini", issues[0].Location.Path)
	require.Equal(t, 7, issues[0].Location.Lines.Begin)
	require.Equal(t, "critical", issues[0].Severity)
	last := issues[len(issues)-1]
	require.Equal(t, "FRM01", last.Check)
	require.Equal(t, "major", last.Severity)
	seen := map[string]bool{}
	for _, issue := range issues {
		require.Len(t, issue.Fingerprint, 32)
		require.False(t, seen[issue.Fingerprint], "%+v", issue)
		seen[issue.Fingerprint] = true
		require.NotContains(t, issue.Description, "\x1b")
	}
	require.JSONEq(t, "[]", string(written(t, func(w io.Writer) error { return CodeQuality(w, &verify.Report{}) })))
}

// A report of 200 targets stays below 1 MB.
func TestReportSize(t *testing.T) {
	one := sample().Targets[1]
	r := verify.NewReport("smoke", time.Now())
	for i := range 200 {
		one.Host = fmt.Sprintf("web-%03d.example.com", i)
		r.Targets = append(r.Targets, one)
	}
	r.Settle()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	require.Less(t, len(text), 1<<20)
	require.Less(t, len(promOf(t, r)), 1<<20)
}
