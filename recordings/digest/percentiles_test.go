package digest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPercentiles checks that they use the nearest rank.
func TestPercentiles(t *testing.T) {
	l := Line{}
	for i := range int64(200) {
		l.took = append(l.took, 200-i)
	}
	l.summarize()
	require.Equal(t, []int64{100, 190, 198, 200}, []int64{*l.P50, *l.P95, *l.P99, *l.Max})
}
