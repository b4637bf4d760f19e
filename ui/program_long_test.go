//go:build long

package ui

import (
	"fmt"
	"testing"
)

func TestLongRandomWalk(t *testing.T) {
	for seed := uint64(100); seed < 200; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			walkRandomly(t, seed, 150)
		})
	}
}
