package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/ui/widget/termsafe"
)

func asSummary(t testing.TB, r *verify.Report) []byte {
	return written(t, func(w io.Writer) error { return Summary(w, r) })
}

func targetsOf(r *verify.Report) []verify.Target {
	var out []verify.Target
	for i := range r.Targets {
		out = append(out, verify.Target{Host: r.Targets[i].Host, Server: r.Targets[i].Server})
	}
	return out
}

// text returns everything that is printed of a report.
func text(t testing.TB, r *verify.Report, width int) string {
	c := columnsFor(targetsOf(r), width)
	var b strings.Builder
	for i := range r.Targets {
		b.WriteString(c.Line(&r.Targets[i]) + "\n")
	}
	b.WriteByte('\n')
	b.Write(asSummary(t, r))
	return b.String()
}

func TestTextGolden(t *testing.T) {
	golden(t, "smoke.txt", []byte(text(t, sample(), 80)))
	require.Equal(t, "0 of 0 targets passed, in 0 ms\n", string(asSummary(t, &verify.Report{})))
	text(t, empty(), 0)
}

// fleet returns a run over 200 hosts.
func fleet() *verify.Report {
	s := sample()
	r := &verify.Report{DurationMS: 31200}
	for i := range 200 {
		t := s.Targets[0]
		if i%20 == 3 {
			t = s.Targets[2+i/20]
		}
		old := t.Host
		t.Host = fmt.Sprintf("web-%03d.example.org", i)
		t.Message = strings.ReplaceAll(t.Message, old, t.Host)
		t.DurationMS = float64(800 + i)
		r.Targets = append(r.Targets, t)
	}
	for i := range 40 {
		t := s.Targets[2]
		t.Host = fmt.Sprintf("db-%02d", i)
		t.Message = fmt.Sprintf("start on db-%02d:22: no answer from 10.0.1.%d:22 within 10.0%ds", i, i, i%10)
		r.Targets[i*5].Host, r.Targets[i*5] = t.Host, t
	}
	return r
}

func TestSummaryIsShort(t *testing.T) {
	golden(t, "fleet.txt", asSummary(t, fleet()))
	require.Less(t, strings.Count(string(asSummary(t, fleet())), "\n"), 120)
	require.Equal(t, 1, strings.Count(string(asSummary(t, fleet())), "net.timeout"))
}

func TestLinesAreAligned(t *testing.T) {
	r := sample()
	r.Targets[3].Server = "other"
	r.Targets[5].Host = strings.Repeat("界", 30)
	c := columnsFor(targetsOf(r), 60)
	require.Equal(t, lineColumns{Host: maxHost, Server: 5, Width: 60}, c)
	for i := range r.Targets {
		line := c.Line(&r.Targets[i])
		require.LessOrEqual(t, termsafe.Width(line), 60)
		upTo, cells := termsafe.Fit([]byte(line), 4+2+maxHost+2+5+2+7, termsafe.Options{})
		require.Equal(t, 50, cells)
		require.True(t, strings.HasSuffix(line[:upTo], "s") && strings.HasPrefix(line[upTo:], "  "), line)
	}
}

func TestGeneral(t *testing.T) {
	require.Equal(t, general("on web-1:22: no answer from 10.0.0.1:22 in 10.0s", "web-1", "s"), general("on web-27:2222: no answer from 192.168.0.27:22 in 9s", "web-27", "s"))
	require.Equal(t, general("start on me@db.example.org:22: db.example.org is closed", "one", "s"), general("start on me@10.0.0.1:2222: 10.0.0.1 is closed", "other", "s"),
		"an alias says nothing of the address")
	require.Equal(t, general("start on alpha (me@a.example.org:22): refused", "me@alpha:22", "s"), general("start on beta (me@10.0.0.1:2222): refused", "beta", "s"),
		"neither do aliases make a difference")
	require.Equal(t, general("not started: b is away", "b", "s"), general("not started: c is away", "c", "s"), "a name may be a letter")
	require.NotEqual(t, general("refused", "a", "b"), general("denied", "a", "b"))
}

// TestTimesAreTheTargets checks that reports for people show a target's own time,
// and its wait apart, while JSON has the whole.
func TestTimesAreTheTargets(t *testing.T) {
	r := &verify.Report{Targets: []verify.Result{{
		Host: "web-01", Server: "notes", Phase: verify.PhaseConnect, Cause: verify.CauseConnect, Message: "connection refused",
		DurationMS: 2, WaitMS: 14008, Steps: times("connect", 2.0), Attempts: make([]verify.Attempt, 1),
	}}}
	require.Equal(t, "FAIL  web-01     2 ms  connect: connection refused; waited 14.0 s", columnsFor(targetsOf(r), 0).Line(&r.Targets[0]))
	markdown := string(written(t, func(w io.Writer) error { return Markdown(w, r) }))
	require.Contains(t, markdown, `| 2 ms | connect: connection refused; waited 14.0 s |`)
	page := string(written(t, func(w io.Writer) error { return HTML(w, r) }))
	require.Contains(t, page, `<td class="r ms">2 ms</td>`)
	require.Contains(t, page, `<div><dt>waited</dt><dd>14.0 s</dd></div>`)
	require.Contains(t, page, `<rect class="p-connect" x="0.00%" width="100.00%"`)
	require.NotContains(t, page, "p-wait")
	document := string(written(t, func(w io.Writer) error { return JSON(w, r) }))
	require.Contains(t, document, `"duration_ms":14010,"timings_ms":{"wait":14008,"connect":2},"attempts":2`)
}

func TestAbout(t *testing.T) {
	r := full().Targets[8]
	facts := map[string]Fact{}
	for _, f := range About(&r) {
		facts[f.Label] = f
	}
	require.Equal(t, Fact{"try", "try it", false}, facts["try"])
	require.Equal(t, "notes-server 1.4.2", facts["server"].Text)
	require.Equal(t, "2025-11-25", facts["protocol"].Text)
	require.Equal(t, "12 tools, 2 templates, 1 prompt", facts["offers"].Text)
	require.Contains(t, facts["times"].Text, "connect 10 ms, auth 33 ms, start 80 ms")
	require.True(t, facts["steps"].Bad)
	require.True(t, facts["leaked"].Bad)
	require.Equal(t, "info x entry 1: t: d\nand 1 more", facts["problems"].Text)
	require.Empty(t, About(new(verify.Result)))
	unknown := verify.Result{Exit: "cannot tell", CannotTell: []string{"cannot tell"}}
	require.Equal(t, []Fact{{"cannot tell", "cannot tell", true}}, About(&unknown), "once")

	r.Problems, r.ProblemsMore = slices.Repeat(r.Problems, 100), 50
	r.Said = slices.Repeat(r.Said, 30)
	for _, f := range About(&r) {
		switch lines := strings.Split(f.Text, "\n"); f.Label {
		case "findings":
			require.Len(t, lines, maxEvidence+1)
			require.Equal(t, "and 130 more", lines[maxEvidence])
		case "said":
			require.Equal(t, "and 10 more", lines[maxEvidence])
		}
	}
}

func TestSmokeMarkdown(t *testing.T) {
	var b strings.Builder
	r := sample()
	r.RuleSet = rule.Set
	require.NoError(t, Markdown(&b, r))
	golden(t, "smoke.md", []byte(b.String()))
	require.NotContains(t, b.String(), "\x1b")
}

func TestSmokeSARIF(t *testing.T) {
	var b strings.Builder
	r := sample()
	for i := range r.Targets {
		r.Targets[i].Source = ".mcp.json"
	}
	require.NoError(t, SARIF(&b, Run{Version: "1", RuleSet: rule.Set, Checked: r.Checked}, r.Reported()))
	golden(t, "smoke.sarif", []byte(b.String()))
	var doc struct {
		Runs []struct {
			Results []struct{ RuleID string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(b.String()), &doc))
	rules := map[string]bool{}
	for _, r := range doc.Runs[0].Results {
		rules[r.RuleID] = true
	}
	for _, id := range []string{"FRM01", "smoke/connect", "smoke/orphan"} {
		require.True(t, rules[id], id)
	}
	require.False(t, rules["smoke/protocol"], "its problems are results")
}
