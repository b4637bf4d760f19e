package session

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/summary"
)

// TestSummariesKnowOurIDs checks that the ids of our requests have a short form.
func TestSummariesKnowOurIDs(t *testing.T) {
	require.Equal(t, "4", summary.ID(requestID(4)))
}
