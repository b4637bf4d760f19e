package executor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseEndedByInvertsString(t *testing.T) {
	for b := range endedCount {
		require.Equal(t, b, ParseEndedBy(b.String()))
	}
	require.Equal(t, EndedUnknown, ParseEndedBy("somebody"))
	require.Equal(t, "unknown", endedCount.String())
}
