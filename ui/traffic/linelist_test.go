package traffic

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/uitest"
)

// TestLogHasBoth adds lines and events in steps, sometimes also a problem of an earlier row,
// and checks that the Log has each once, in order.
func TestLogHasBoth(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	ws := uitest.NewWorkspace(t, uitest.NewLog(t))
	log := &LineList{ID: LogList, rows: &lineRows{ws: ws}}
	stderr, events := &ws.Shown.Index.Stderr, &ws.Shown.Problems.Events
	row := uint32(0)
	for range 500 {
		for range random.IntN(4) {
			row++
			switch random.IntN(3) {
			case 0:
				*stderr = append(*stderr, row)
			case 1:
				*events = append(*events, row)
			default:
				*stderr, *events = append(*stderr, row), append(*events, row)
			}
		}
		if earlier := uint32(random.IntN(int(row) + 1)); random.IntN(10) == 0 {
			if i, found := slices.BinarySearch(*events, earlier); !found {
				*events = slices.Insert(slices.Clone(*events), i, earlier)
			}
		}
		want := append(slices.Clone(*stderr), *events...)
		slices.Sort(want)
		require.True(t, slices.Equal(slices.Compact(want), log.All()), "%v", log.All())
	}
}
