package main

import (
	"math"
	"slices"
	"time"
)

// A Sample is one run of one program.
type Sample struct {
	Wall   time.Duration // from start to end, or of the part that counts
	CPU    time.Duration // user and system, of all its processes
	Memory int64         // bytes at the peak, of its largest process
}

// A Spread is the least, the middle and the largest value.
type Spread struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// A Series are the samples of one program.
type Series struct {
	Wall   Spread  `json:"wall_ms"`
	CPU    Spread  `json:"cpu_ms"`
	Memory float64 `json:"memory_mib"` // the median of the peaks
}

// A Ratio is the median of all rounds' ratios.
type Ratio struct {
	Value float64 `json:"value"`
	// Noise is half the range of the middle half of the ratios, as a fraction of the
	// median: 0.1 means that half of the rounds differ by up to 10 % from it.
	Noise float64 `json:"noise"`
}

func (s Sample) wall() time.Duration { return s.Wall }
func (s Sample) cpu() time.Duration  { return s.CPU }

func seriesOf(samples []Sample) Series {
	var wall, cpu, memory []float64
	for _, s := range samples {
		wall = append(wall, milliseconds(s.Wall))
		cpu = append(cpu, milliseconds(s.CPU))
		memory = append(memory, float64(s.Memory)/(1<<20))
	}
	return Series{Wall: spread(wall), CPU: spread(cpu), Memory: quantile(memory, 0.5)}
}

// pairwise returns the ratio of values of the same rounds: both get their share of a load
// that comes and goes. Rounds with divisor 0 do not count.
func pairwise(dividend, divisor []Sample, value func(Sample) time.Duration) Ratio {
	var ratios []float64
	for i := range min(len(dividend), len(divisor)) {
		if by := value(divisor[i]); by > 0 {
			ratios = append(ratios, float64(value(dividend[i]))/float64(by))
		}
	}
	median := quantile(ratios, 0.5)
	if median == 0 {
		return Ratio{}
	}
	return Ratio{Value: median, Noise: (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / 2 / median}
}

func spread(values []float64) Spread {
	return Spread{Min: quantile(values, 0), Median: quantile(values, 0.5), Max: quantile(values, 1)}
}

// quantile returns the value below which a share of the values is, interpolated; 0 if
// there are none.
func quantile(values []float64, share float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	at := share * float64(len(sorted)-1)
	low, part := int(math.Floor(at)), at-math.Floor(at)
	if part == 0 {
		return sorted[low]
	}
	return sorted[low]*(1-part) + sorted[low+1]*part
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
