package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
)

func TestLineOfOutcome(t *testing.T) {
	first := []verify.Attempt{{Cause: verify.CauseConnect, Message: "start on web-9 (10.0.0.9:22): connection refused", DurationMS: 2}}
	ended := []verify.Attempt{{Cause: verify.CauseHandshake, Message: "it ended: exit code 3", DurationMS: 900}}
	for want, r := range map[string]verify.Result{
		"ok    web-9    1.2 s  second attempt; first: connection refused": {OK: true, Outcome: verify.OutcomeFlaky, Attempts: first},
		"ok    web-9    1.2 s  7 of 10; first: it ended: exit code 3":     {OK: true, Outcome: verify.OutcomeFlaky, Attempts: ended, Repeats: &verify.Repeats{Passed: 7, Of: 10}},
		"tolerated  web-9    1.2 s  ana, until 2026-12-01; connect: refused": {
			Cause: verify.CauseConnect, Message: "refused", Outcome: verify.OutcomeTolerated, Tolerated: &verify.Tolerance{Owner: "ana", Expires: "2026-12-01"},
		},
	} {
		r.Host, r.DurationMS = "web-9", 1200
		require.Equal(t, want, lineColumns{Server: -1}.Line(&r))
	}
}
