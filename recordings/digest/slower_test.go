package digest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// heavy returns times with a median and a tail that is heavier with a larger spread.
func heavy(r *rand.Rand, n int, median, spread float64) (times []int64) {
	for range n {
		times = append(times, int64(median*math.Exp(spread*r.NormFloat64())))
	}
	return times
}

// TestSlowed checks that the moment of slowing is found to a few calls, whatever part of
// the calls is slow.
func TestSlowed(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		for _, c := range []struct{ fast, slow, after int }{{30, 30, 0}, {60, 40, 0}, {1000, 30, 0}, {40, 1000, 0}, {3000, 2000, 0}, {500, 100, 500}} {
			times := append(heavy(r, c.fast, 2_000, 1), heavy(r, c.slow, 60_000, 1)...)
			from, to := slowed(append(times, heavy(r, c.after, 2_000, 1)...))
			require.InDelta(t, c.fast, from, 12, "seed %d, %v", seed, c)
			require.InDelta(t, c.fast+c.slow, to, 12, "seed %d, %v", seed, c)
		}
	}
}

// TestNotSlowed checks that a random order of times of any kind, fewer or faster calls do
// not count.
func TestNotSlowed(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		for _, n := range []int{20, 60, 300, 2000} {
			times := heavy(r, n, 20_000, 2)
			_, to := slowed(times)
			require.Zero(t, to, "seed %d, %d", seed, n)
			for i := range times { // of two kinds, one in ten slow
				if times[i] = 1000; r.IntN(10) == 0 {
					times[i] = 900_000
				}
			}
			_, to = slowed(times)
			require.Zero(t, to, "seed %d, %d of two kinds", seed, n)
		}
		times := append(heavy(r, 100, 100, 1), heavy(r, 100, 1000, 1)...)
		_, to := slowed(times)
		require.Zero(t, to, "less than 5 ms more, seed %d", seed)
	}
	for _, times := range [][]int64{nil, make([]int64, 5000), append(make([]int64, 100), 90_000, 90_000, 90_000)} {
		_, to := slowed(times)
		require.Zero(t, to)
	}
}

func BenchmarkSlowed(b *testing.B) {
	times := heavy(rand.New(rand.NewPCG(1, 1)), 129_000, 2_000, 1)
	for b.Loop() {
		slowed(times)
	}
}
