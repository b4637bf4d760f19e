package verify_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/session/diagnosis/rule"
)

func TestParseFailOn(t *testing.T) {
	for text, want := range map[string]string{
		"error": "error", "warning": "warning", "error,warning": "warning", "not-checked": "not-checked",
		"warning, not-checked": "warning,not-checked", "never": "never",
	} {
		on, err := verify.ParseFailOn(text)
		require.NoError(t, err, text)
		require.Equal(t, want, on.String())
		again, err := verify.ParseFailOn(on.String())
		require.NoError(t, err)
		require.Equal(t, on, again)
	}
	for _, text := range []string{"", "info", "error,never", "error;warning"} {
		_, err := verify.ParseFailOn(text)
		require.Error(t, err, text)
	}
}

// sample is a report with a failed step of each severity, one that was not checked,
// and a problem.
func sample() *verify.Report {
	r := verify.NewReport("check", time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))
	r.Targets = []verify.Result{{
		Server: "notes",
		Steps: []verify.Step{
			{Name: verify.StepHandshake, Era: "legacy", Status: verify.Passed},
			{Name: verify.StepCursor, Era: "legacy", Status: verify.Failed, Severity: "warning", Reason: "accepted"},
			{Name: verify.StepTerm, Status: verify.Failed, Severity: "error", Reason: "still running"},
			{Name: verify.StepCall, Era: "legacy", Subject: "drop", Status: verify.NotChecked, Reason: "destructive"},
		},
		Problems: []verify.ProcessProblem{{Problem: verify.Problem{
			ID: "FRM01", Severity: "error", Count: 3, Title: "noise", Detail: "hello", Fingerprint: "FRM01"}}},
	}}
	return r
}

func TestJudge(t *testing.T) {
	baseline := func(text string) *verify.AcceptedFile {
		b, err := verify.ParseAccepted([]byte(text))
		require.NoError(t, err)
		return b
	}
	all := "FRM01\nstep/sigterm\nstep/bogus-cursor legacy\n"
	for _, tt := range []struct {
		on, baseline string
		ok           bool
	}{
		{"error", "", false},
		{"never", "", true},
		{"error", "FRM01\nstep/sigterm\n", true},
		{"error", "FRM01\n", false},
		{"error", "step/sigterm\n", false},
		{"warning", "FRM01\nstep/sigterm\n", false},
		{"warning", all, true},
		{"error,not-checked", all, false},
		{"error", "FRM01\n  expires: 2026-01-01\nstep/sigterm\n", false},
	} {
		r := sample()
		on, err := verify.ParseFailOn(tt.on)
		require.NoError(t, err)
		r.Judge(on, baseline(tt.baseline), r.Started)
		require.Equal(t, tt.ok, r.OK, "%+v", tt)
		require.Equal(t, tt.ok, r.Targets[0].OK)
	}

	r := sample()
	r.Judge(verify.FailOn{Error: true}, baseline("FRM01\n  reason: known\n  expires: 2026-01-01\nPRC01\n  reason: gone\nstep/sigterm\n"), r.Started)
	require.Equal(t, []verify.Entry{{Fingerprint: "PRC01", Reason: "gone"}}, r.Stale)
	require.Equal(t, []verify.Entry{{Fingerprint: "FRM01", Reason: "known", Expires: "2026-01-01"}}, r.Expired)
	require.True(t, r.Targets[0].Steps[2].Accepted)
	require.Equal(t, verify.StepCount{Passed: 1, Warned: 1, NotChecked: 1, Accepted: 1}, r.Targets[0].StepCount())

	r = sample()
	var out strings.Builder
	require.NoError(t, r.Accept(baseline("FRM01\n  reason: known\nPRC01\n")).Write(&out))
	require.Contains(t, out.String(), "\nFRM01\n  reason: known\n")
	require.Contains(t, out.String(), "\nstep/bogus-cursor legacy\n  reason:\n")
	require.NotContains(t, out.String(), "PRC01")
	r.Judge(verify.FailOn{Warning: true, Error: true}, baseline(out.String()), r.Started)
	require.True(t, r.OK, "what was accepted passes")
}

// A server that could not be checked never passes.
func TestJudgeFailure(t *testing.T) {
	r := sample()
	r.Targets[0].SetFailure(errors.New("no handshake"), verify.CauseHandshake)
	r.Judge(verify.FailOn{}, nil, r.Started)
	require.False(t, r.OK)
}

// TestTextsOfProcesses checks that the same text of several processes is one problem, and
// that of one place some texts are kept, for example of the items of an array.
func TestTextsOfProcesses(t *testing.T) {
	var r verify.Result
	add := func(process, item int, detail string) {
		at := fmt.Sprintf("/content/%d", item)
		r.Add(process, "", []verify.Problem{{ID: "SCH02", Severity: "error", Count: 1, Method: "tools/call", Pointer: "/content/*", At: at, Detail: detail, Fingerprint: "SCH02 tools/call /content/*"}})
	}
	add(1, 0, "text is the number 5")
	add(1, 1, "text is an object")
	add(2, 0, "text is the number 5")
	require.Len(t, r.Problems, 2)
	require.Equal(t, "2 times", r.Problems[0].Times())
	require.Empty(t, r.Problems[1].Times())
	for i := range 20 {
		add(3, 0, fmt.Sprint("another text ", i))
	}
	require.Len(t, r.Problems, rule.MaxDetails)
	require.Equal(t, "18 times, not all alike", r.Problems[rule.MaxDetails-1].Times())
}
