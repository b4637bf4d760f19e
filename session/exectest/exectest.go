package exectest

import (
	"context"
	"slices"
	"testing"
)

// test is one behaviour.
type test struct {
	name string
	run  func(*suite)
}

// lateOutput names the tests whose processes write when their leader has ended.
var lateOutput = []string{
	"item04_output_after_exit", "item06_grandchild_holds_stdout", "item19_read_waits",
	"item20_read_after_exit_waits_for_late_output", "item31_retention_begins_at_closed", "leftovers_of_an_exited_leader",
	"left_behind_is_told", "who_ends_soon_after_its_leader_is_not_left_behind",
	"terminate_cuts_what_is_held_out_of_reach", "double_fork_without_environment_outlives_its_leader",
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
				if h.StreamsEnd && slices.Contains(lateOutput, c.name) {
					t.Skip("here the streams end with the leader")
				}
				c.run(&suite{T: t, Harness: h, ctx: ctx})
			})
		}
	}
}
