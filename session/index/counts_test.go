package index

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

// TestCountsAreAllOfStats fails if Stats gets a number that counts lacks.
func TestCountsAreAllOfStats(t *testing.T) {
	var s session.Stats
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		switch name := v.Type().Field(i).Name; {
		case name == "Size" || name == "Recording" || name == "RecordingError" || name == "RecordingMoved": // of the file
		case v.Field(i).CanInt():
			v.Field(i).SetInt(int64(i + 1))
		default:
			v.Field(i).SetUint(uint64(i + 1))
		}
	}
	c := countsOf(&s, s.PendingOut, s.PendingIn)
	require.Equal(t, s, c.stats())
}

func TestStepsAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var want []counts
	var b []byte
	for range 2000 {
		var by counts
		for range r.IntN(4) {
			by[r.IntN(countsLen)] = r.Int64N(1<<r.IntN(50)) - r.Int64N(5)
		}
		want = append(want, by)
		b = appendStep(b, &counts{}, &by)
	}
	for _, by := range want {
		var got counts
		b = addStep(&got, b)
		require.Equal(t, by, got)
	}
	require.Empty(t, b)
}

func TestAUsualStepIsShort(t *testing.T) {
	answer := counts{countIn: 1, countBytesIn: 200, countPendingOut: -1}
	require.Len(t, appendStep(nil, &counts{}, &answer), 3)
}

func TestTruncatedStepIsIgnored(t *testing.T) {
	whole := appendStep(nil, &counts{}, &counts{countIn: 7, countBytesIn: 2000, countBytesOut: 3, countRuns: -1})
	for n := range whole {
		var c counts
		require.Empty(t, addStep(&c, whole[:n:n]))
	}
}
