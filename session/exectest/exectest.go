package exectest

import (
	"context"
	"testing"
)

// test is one behaviour.
type test struct {
	name string
	run  func(*suite)
}

// Run proves that the executors that newHarness returns do all that package
// executor promises. Each subtest gets one of its own, and closes it.
func Run(t *testing.T, newHarness func(t *testing.T) Harness) {
	for _, group := range [][]test{sequenceTests, readTests, subscriberTests, stdinTests, endingTests, daemonTests, startTests, raceTests} {
		for _, c := range group {
			t.Run(c.name, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				h := newHarness(t)
				t.Cleanup(func() {
					if err := h.Executor.Close(); err != nil {
						t.Errorf("close the executor: %v", err)
					}
				})
				c.run(&suite{T: t, Harness: h, ctx: ctx})
			})
		}
	}
}
