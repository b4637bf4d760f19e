package verify_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
)

func TestSettle(t *testing.T) {
	r := verify.NewReport("smoke", time.Time{})
	r.Targets = []verify.Result{
		{Server: "a", Host: "h1", OK: true},
		{Server: "a", Host: "h2", OK: true, Attempts: []verify.Attempt{{}}},
		{Server: "a", Host: "h3", Cause: verify.CauseConnect},
		{Server: "a", Host: "h4", Cause: verify.CauseProtocol},
		{Server: "a", Host: "h5", Cause: verify.CauseCancelled, Phase: verify.PhaseList},
		{Server: "a", Host: "h6", Cause: verify.CauseCancelled, Phase: verify.PhaseWait},
		{Server: "a", Host: "h7", Cause: verify.CauseProtocol, Outcome: verify.OutcomeTolerated},
	}
	r.Settle()
	require.Equal(t, verify.Counts{
		Passed: 1, Flaky: 1, Failed: 2, Cancelled: 1, Stopped: 1, Tolerated: 1,
		BySide:  map[verify.Side]int{verify.SideHost: 1, verify.SideServer: 1},
		ByCause: map[verify.Cause]int{verify.CauseConnect: 1, verify.CauseProtocol: 1},
	}, r.Counts)
	require.Equal(t, []string{"a@h3", "a@h4"}, r.Failures)
	require.Equal(t, 1, r.Exit)
}

func TestNewID(t *testing.T) {
	at := time.Date(2026, 11, 24, 3, 0, 0, 0, time.FixedZone("", 3600))
	require.Equal(t, "20261124T020000Z-234z22", verify.NewID(at, []byte{0, 1, 2, 30, 62, 31}))
}
