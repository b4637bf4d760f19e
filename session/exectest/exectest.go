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

// lateOutput names the tests whose processes write after their leader has
// exited.
var lateOutput = []string{
	"item04_output_after_exit", "item06_grandchild_holds_stdout", "item19_read_waits",
	"item20_read_after_exit_waits_for_late_output", "item31_retention_begins_at_closed", "descendants_of_an_exited_leader_are_killed",
	"leaked_processes_are_reported", "descendants_that_end_soon_after_their_leader_are_not_leaked",
	"terminate_cuts_streams_held_by_unreachable_processes", "double_fork_without_environment_outlives_its_leader",
}

// Run tests that the executors that newHarness returns fulfil the contract of
// package executor. Each subtest gets its own executor and closes it.
func Run(t *testing.T, newHarness func(t *testing.T) Harness) {
	for _, group := range [][]test{sequenceTests, readTests, subscriberTests, stdinTests, endingTests, daemonTests, startTests, raceTests} {
		for _, c := range group {
			t.Run(c.name, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
				defer cancel()
				h := newHarness(t)
				t.Cleanup(func() {
					if err := h.Executor.Close(); err != nil {
						t.Errorf("close the executor: %v", err)
					}
				})
				if h.StreamsEnd && slices.Contains(lateOutput, c.name) {
					t.Skip("the streams of this executor end with the leader")
				}
				c.run(&suite{T: t, Harness: h, ctx: ctx})
			})
		}
	}
}
