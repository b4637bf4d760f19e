package report

import (
	"encoding/xml"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/recordings/rectest"
)

func asJUnit(t testing.TB, r *verify.Report) []byte {
	return written(t, func(w io.Writer) error { return JUnit(w, r) })
}

func TestJUnitIsValid(t *testing.T) {
	for _, r := range []*verify.Report{{}, empty(), sample(), full()} {
		rectest.ValidateJUnit(t, asJUnit(t, r))
	}
	golden(t, "smoke.xml", asJUnit(t, sample()))
}

// parsed is the part of a document that tests check.
type parsed struct {
	Suites []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Name    string    `xml:"name,attr"`
			Error   *struct{} `xml:"error"`
			Failure *struct{} `xml:"failure"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// statuses returns the cases of a report's first target, with + for passed, F,
// E, or - for skipped.
func statuses(t *testing.T, r verify.Result, scenario, baseline string) []string {
	t.Helper()
	var doc parsed
	text := asJUnit(t, &verify.Report{Scenario: scenario, Baseline: baseline, Targets: []verify.Result{r}})
	require.NoError(t, xml.Unmarshal(text, &doc))
	var out []string
	for _, c := range doc.Suites[0].Cases {
		word := "+"
		switch {
		case c.Error != nil:
			word = "E"
		case c.Failure != nil:
			word = "F"
		case c.Skipped != nil:
			word = "-"
		}
		out = append(out, word+" "+c.Name)
	}
	return out
}

func TestJUnitCases(t *testing.T) {
	s := sample().Targets
	for name, tt := range map[string]struct {
		target verify.Result
		want   []string
	}{
		"passed, local": {s[0], []string{"+ start", "+ handshake", "+ list", "+ scenario: list notes", "+ scenario: add a note", "+ shutdown", "+ baseline", "+ findings"}},
		"connect":       {s[2], []string{"E connect", "- auth", "- start", "- handshake", "- list", "- scenario", "- shutdown", "- baseline", "- findings"}},
		"host key":      {s[4], []string{"E connect", "- auth", "- start", "- handshake", "- list", "- scenario", "- shutdown", "- baseline", "- findings"}},
		"exec":          {s[6], []string{"+ connect", "+ auth", "E start", "- handshake", "- list", "- scenario", "- shutdown", "- baseline", "- findings"}},
		"handshake":     {s[7], []string{"+ connect", "+ auth", "+ start", "F handshake", "- list", "- scenario", "+ shutdown", "- baseline", "+ findings"}},
		"step":          {s[8], []string{"+ connect", "+ auth", "+ start", "+ handshake", "+ list", "+ scenario: list notes", "F scenario: add a note", "- scenario: remove it", "+ shutdown", "- baseline", "+ findings"}},
		"drift":         {s[9], []string{"+ connect", "+ auth", "+ start", "+ handshake", "+ list", "+ scenario: list notes", "+ scenario: add a note", "+ shutdown", "F baseline", "+ findings"}},
		"orphan":        {s[10], []string{"+ connect", "+ auth", "+ start", "+ handshake", "+ list", "+ scenario: list notes", "+ scenario: add a note", "F shutdown", "+ baseline", "+ findings"}},
		"findings":      {s[11], []string{"+ connect", "+ auth", "+ start", "+ handshake", "+ list", "+ scenario: list notes", "+ scenario: add a note", "+ shutdown", "+ baseline", "F findings"}},
		"not started":   {s[12], []string{"E connect", "- auth", "- start", "- handshake", "- list", "- scenario", "- shutdown", "- baseline", "- findings"}},
	} {
		require.Equal(t, tt.want, statuses(t, tt.target, "notes", "web-01"), name)
	}
	require.Equal(t, []string{"+ start", "+ handshake", "+ list", "+ shutdown", "+ findings"},
		statuses(t, verify.Result{Host: verify.Local, OK: true}, "", ""), "no scenario, no baseline")

	late := s[8]
	late.Cause, late.Steps = verify.CauseTimeout, late.Steps[:len(late.Steps)-2]
	require.Contains(t, statuses(t, late, "notes", ""), "E scenario", "no step is to blame")
	two := s[9]
	two.Orphans, two.Problems = s[10].Orphans, s[11].Problems
	require.Subset(t, statuses(t, two, "notes", "web-01"), []string{"F baseline", "F shutdown", "+ findings"}, "they do not count")
	two.ProblemsBad = 1
	require.Subset(t, statuses(t, two, "notes", "web-01"), []string{"F baseline", "F shutdown", "F findings"})
	held := s[10]
	held.Drift = s[9].Drift
	require.Subset(t, statuses(t, held, "notes", "web-01"), []string{"F shutdown", "F baseline"}, "a failed shutdown does not prevent the comparison")
}

func TestJUnitCountsEveryTarget(t *testing.T) {
	r := sample()
	r.Targets = append(r.Targets, r.Targets[0], r.Targets[2])
	r.Targets[13].Server = "other"
	var doc parsed
	require.NoError(t, xml.Unmarshal(asJUnit(t, r), &doc))
	require.Len(t, doc.Suites, 13, "one suite per host")
	require.Equal(t, "web-02", doc.Suites[0].Name, "failures first")
	for _, s := range doc.Suites {
		if s.Name == "local" {
			require.Len(t, s.Cases, 16)
		}
	}
	wrong := 0
	for _, s := range doc.Suites {
		require.Len(t, s.Cases, s.Tests)
		wrong += s.Errors + s.Failures
	}
	require.Equal(t, 12, wrong)
}
