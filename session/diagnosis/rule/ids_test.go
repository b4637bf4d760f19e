package rule

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTwinsAreBounded checks that requests whose responses had ids of another type do not
// stay open forever.
func TestTwinsAreBounded(t *testing.T) {
	var x ids
	for i := range 3 * maxTwins {
		r := x.record()
		require.True(t, x.add(idKey(i), r))
		x.keepTwin(r, int64(i))
	}
	require.Len(t, x.open, maxTwins)
	require.Len(t, x.twins, maxTwins)
	require.Contains(t, x.open, idKey(3*maxTwins-1))
}
