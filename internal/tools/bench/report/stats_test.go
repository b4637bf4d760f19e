package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSeries(t *testing.T) {
	s := seriesOf([]Sample{
		{Wall: 30 * time.Millisecond, CPU: 3 * time.Millisecond, Memory: 10 << 20},
		{Wall: 10 * time.Millisecond, CPU: 1 * time.Millisecond, Memory: 30 << 20},
		{Wall: 20 * time.Millisecond, CPU: 2 * time.Millisecond, Memory: 20 << 20},
	})
	require.Equal(t, Series{Wall: Spread{10, 20, 30}, CPU: Spread{1, 2, 3}, Memory: 20}, s)
	require.Equal(t, Series{}, seriesOf(nil))
}

func TestPairwise(t *testing.T) {
	for name, tc := range map[string]struct {
		dividend, divisor []time.Duration
		want              Ratio
	}{
		"one round":         {[]time.Duration{6}, []time.Duration{3}, Ratio{Value: 2}},
		"no rounds":         {nil, nil, Ratio{}},
		"a load slows both": {[]time.Duration{20, 200, 40}, []time.Duration{10, 100, 20}, Ratio{Value: 2}},
		"nothing measured":  {[]time.Duration{6, 8}, []time.Duration{0, 2}, Ratio{Value: 4}},
		"always 0":          {[]time.Duration{0}, []time.Duration{1}, Ratio{}},
		// The middle half of 1, 2, 3, 4, 5 reaches from 2 to 4.
		"noise": {[]time.Duration{5, 4, 3, 2, 1}, []time.Duration{1, 1, 1, 1, 1}, Ratio{Value: 3, Noise: 1.0 / 3}},
	} {
		got := pairwise(walls(tc.dividend), walls(tc.divisor), Sample.wall)
		require.InDelta(t, tc.want.Value, got.Value, 1e-9, name)
		require.InDelta(t, tc.want.Noise, got.Noise, 1e-9, name)
	}
}

func TestQuantile(t *testing.T) {
	values := []float64{4, 1, 3, 2}
	require.Equal(t, 1.0, quantile(values, 0))
	require.Equal(t, 2.5, quantile(values, 0.5))
	require.Equal(t, 4.0, quantile(values, 1))
	require.Equal(t, []float64{4, 1, 3, 2}, values, "the values keep their order")
	require.Zero(t, quantile(nil, 0.5))
}

func walls(times []time.Duration) (all []Sample) {
	for _, wall := range times {
		all = append(all, Sample{Wall: wall})
	}
	return all
}
