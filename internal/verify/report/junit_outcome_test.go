package report

import (
	"encoding/xml"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
)

// Skipped and tolerated targets fail no build, and uncounted ones are said to be that.
func TestJUnitOutcomes(t *testing.T) {
	refused := verify.Result{Host: "web-2", Server: "notes", Phase: verify.PhaseConnect, Cause: verify.CauseConnect, Message: "connection refused"}
	skipped := verify.Result{Host: "web-1", Server: "notes", OK: true, Outcome: verify.OutcomeSkipped, Message: "is being rebuilt"}
	tolerated := refused
	tolerated.Outcome, tolerated.Tolerated = verify.OutcomeTolerated, &verify.Tolerance{Owner: "ana", Expires: "2026-12-01"}
	r := &verify.Report{Command: "smoke", Targets: []verify.Result{skipped, tolerated}}
	var doc parsed
	require.NoError(t, xml.Unmarshal(asJUnit(t, r), &doc))
	for _, s := range doc.Suites {
		require.Zero(t, s.Errors+s.Failures, "%+v", s)
	}
	text := string(asJUnit(t, r))
	require.Contains(t, text, "is being rebuilt")
	require.Contains(t, text, "tolerated: ana, until 2026-12-01; connect: connection refused")

	refused.Outcome, refused.Side = verify.OutcomeFailed, verify.SideHost
	on, err := verify.ParseFailOn("server")
	require.NoError(t, err)
	r = &verify.Report{Command: "smoke", Targets: []verify.Result{refused}, FailOn: on}
	require.Contains(t, string(asSummary(t, r)), "0 of 1 target passed, 1 failed (1 not counted, by --fail-on), in ")
	require.Contains(t, string(asJUnit(t, r)), "<error ", "the mapping does not depend on the side")
}
