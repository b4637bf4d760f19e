package verify_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
)

// outcomes returns a report of targets that passed (p), were refused (r), failed (f),
// ended as flaky (y), or were stopped by --run-timeout (s).
func outcomes(kinds string) *verify.Report {
	r := verify.NewReport("smoke", time.Time{})
	for i, kind := range strings.Split(kinds, "") {
		t := verify.Result{Server: "s", Host: "h" + string(rune('1'+i)), Phase: verify.PhaseDone, OK: kind == "p" || kind == "y"}
		switch kind {
		case "r":
			t.Phase, t.Cause, t.Code = verify.PhaseConnect, verify.CauseConnect, "net.refused"
		case "f":
			t.Cause = verify.CauseProtocol
		case "y":
			t.Attempts = []verify.Attempt{{Cause: verify.CauseConnect}}
		case "s":
			t.Phase, t.Cause, t.Code, t.Outcome = verify.PhaseWait, verify.CauseCancelled, verify.RunTimeout, verify.OutcomeStopped
		}
		r.Targets = append(r.Targets, t)
	}
	return r
}

func TestFailOnSides(t *testing.T) {
	for _, tt := range []struct {
		kinds, on string
		exit      int
	}{
		{"pppr", "server", 0}, {"pppr", "host", 5}, {"pppr", "error", 5},
		{"ppprf", "server", 1}, {"ppprf", "host", 5}, {"ppprf", "error", 1}, {"ppprf", "never", 1},
		{"rr", "server", 5}, {"rr", "error", 5}, {"f", "host", 0},
		{"py", "error", 0}, {"py", "flaky", 1}, {"py", "flaky,host", 1},
		{"ps", "error", 4}, {"fs", "error", 1}, {"ss", "server", 4},
	} {
		on, err := verify.ParseFailOn(tt.on)
		require.NoError(t, err)
		r := outcomes(tt.kinds)
		r.Judge(on, nil, time.Time{})
		require.Equal(t, tt.exit, r.Exit, "%s --fail-on %s", tt.kinds, tt.on)
		require.Equal(t, tt.exit == 0, r.OK)
	}
}

func TestFailOnWords(t *testing.T) {
	for text, words := range map[string]string{
		"error": `["error","host","server"]`, "server": `["error","server"]`, "warning,host,flaky,new,notice:shutdown.term": `["warning","host","flaky","new","notice:shutdown.term"]`,
		"not-checked": `["not-checked","host","server"]`, "never,server": `["never","server"]`,
	} {
		on, err := verify.ParseFailOn(text)
		require.NoError(t, err, text)
		data, err := json.Marshal(on)
		require.NoError(t, err)
		require.JSONEq(t, words, string(data))
		var again verify.FailOn
		require.NoError(t, json.Unmarshal(data, &again))
		require.Equal(t, on, again)
	}
	for _, bad := range []string{"", "info", "notice:", "never,error", "error,,host"} {
		_, err := verify.ParseFailOn(bad)
		require.Error(t, err, bad)
	}
}

func TestSides(t *testing.T) {
	for _, tt := range []struct {
		phase verify.Phase
		cause verify.Cause
		code  string
		side  verify.Side
	}{
		{verify.PhaseStart, verify.CauseExec, "start.notfound", verify.SideServer},
		{verify.PhaseStart, verify.CauseExec, "exit.127", verify.SideServer},
		{verify.PhaseStart, verify.CauseExec, "exec.refused", verify.SideHost},
		{verify.PhaseStart, verify.CauseTimeout, "start.timeout", verify.SideHost},
		{verify.PhaseHandshake, verify.CauseTimeout, "timeout", verify.SideServer},
		{verify.PhaseStart, verify.CauseStart, "start.failed", verify.SideHost},
		{verify.PhaseList, verify.CauseLinkLost, "lost.reset", verify.SideHost},
	} {
		require.Equal(t, tt.side, verify.SideOf(tt.phase, tt.cause, tt.code), tt.code)
	}
}

const acceptedTarget = `
target s@h1
  cause: connect auth
  owner: ana
  reason: disk is being replaced, OPS-4411
  expires: 2026-12-01
`

func TestAcceptedTargets(t *testing.T) {
	file, err := verify.ParseAccepted([]byte(acceptedTarget))
	require.NoError(t, err)
	before, after := time.Date(2026, 12, 1, 23, 0, 0, 0, time.UTC), time.Date(2026, 12, 2, 1, 0, 0, 0, time.UTC)
	on := verify.FailOn{Error: true}

	r := outcomes("rp")
	r.Judge(on, file, before)
	require.Equal(t, verify.OutcomeTolerated, r.Targets[0].Outcome)
	require.Equal(t, &verify.Tolerance{Owner: "ana", Reason: "disk is being replaced, OPS-4411", Expires: "2026-12-01"}, r.Targets[0].Tolerated)
	require.True(t, r.OK)
	require.Empty(t, r.Failures)

	r.Judge(on, file, after)
	require.Equal(t, 5, r.Exit)
	require.Nil(t, r.Targets[0].Tolerated)
	require.Equal(t, "target s@h1", r.Expired[0].Fingerprint)

	r = outcomes("fp")
	r.Judge(on, file, before)
	require.Equal(t, 1, r.Exit, "another cause")
	require.Empty(t, r.Stale)

	r = outcomes("pp")
	r.Judge(on, file, before)
	require.True(t, r.OK)
	require.Equal(t, "target s@h1", r.Stale[0].Fingerprint, "it passes")

	r = outcomes("p")
	r.Targets[0].Host = "other"
	r.Judge(on, file, before)
	require.Len(t, r.Stale, 1, "nothing matches")
	r.Plan.Limited = true
	r.Judge(on, file, before)
	require.Empty(t, r.Stale, "it may be elsewhere")

	var b strings.Builder
	require.NoError(t, file.Update(nil, []string{"s"}).Write(&b))
	require.Contains(t, b.String(), acceptedTarget, "an update keeps targets")
}

func TestInvalidAcceptedTargets(t *testing.T) {
	for text, why := range map[string]string{
		"target a@b\n  owner: x\n  reason: y\n":                       "target a@b (line 1) needs owner, reason and expires",
		"target a@b\nTOL05\n":                                         "needs owner, reason and expires",
		"target a@b\n  cause: bad\n":                                  `line 2: cause: unknown cause "bad"`,
		"target a@b\n  server: x\n":                                   "must be cause, owner, reason or expires",
		strings.Repeat(acceptedTarget, 2):                             "target s@h1 is listed twice",
		"target \n  owner: x\n":                                       "",
		"target a@b\n  owner: x\n  expires: 2026-12-01\n  expires: x": "expires is given twice",
	} {
		_, err := verify.ParseAccepted([]byte(text))
		if why != "" {
			require.ErrorContains(t, err, why, text)
		}
	}
}
