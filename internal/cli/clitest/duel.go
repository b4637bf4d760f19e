package clitest

import (
	"slices"
	"time"
)

// Duel alternates two functions, rounds times each, and returns the median time
// of each.
func Duel(rounds int, base, ours func() time.Duration) (baseTime, ourTime time.Duration) {
	var bases, all []time.Duration
	for range rounds {
		bases = append(bases, base())
		all = append(all, ours())
	}
	slices.Sort(bases)
	slices.Sort(all)
	return bases[rounds/2], all[rounds/2]
}
