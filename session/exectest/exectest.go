package exectest

import (
	"context"
	"slices"
	"testing"
)

type test struct {
	name string
	run  func(*suite)
}

// A Group is a part of the suite.
type Group []test

// Sequence depends on how the other side of a connection ends it. Starts,
// Endings and Daemons depend on the machine where the processes run: its shell,
// users, process table and signals. The others depend on the executor only.
var (
	Sequence Group = sequenceTests
	Starts   Group = startTests
	Endings  Group = endingTests
	Daemons  Group = daemonTests
)

// lateOutput names the tests whose processes write after their leader has
// exited.
var lateOutput = []string{
	"item04_output_after_exit", "item06_grandchild_holds_stdout", "item19_read_waits",
	"item20_read_after_exit_waits_for_late_output", "item31_retention_begins_at_closed", "descendants_of_an_exited_leader_are_killed",
	"leaked_processes_are_reported", "descendants_that_end_soon_after_their_leader_are_not_leaked",
	"terminate_cuts_streams_held_by_unreachable_processes", "double_fork_without_environment_outlives_its_leader",
}

// toLeader names the tests that need a leader which is the server, and not a wrapper.
var toLeader = []string{
	"item29_signals_and_scopes", "exit_signal_is_reported", "item29_term_ignoring_descendants", "descendants_of_an_exited_leader_are_killed",
	"daemon_without_environment_outlives_its_leader", "daemon_with_overwritten_environment_outlives_its_leader",
	"double_fork_without_environment_outlives_its_leader",
}

// Run tests that the executors that newHarness returns fulfil the contract of
// package executor, or only the given groups of it. Each subtest gets its own
// executor and closes it.
func Run(t *testing.T, newHarness func(t *testing.T) Harness, groups ...Group) {
	if len(groups) == 0 {
		groups = []Group{Sequence, readTests, subscriberTests, stdinTests, Endings, Daemons, Starts, raceTests}
	}
	hold, skipped, failed := 0, 0, 0
	for _, group := range groups {
		for _, c := range group {
			t.Run(c.name, func(t *testing.T) {
				t.Cleanup(func() {
					switch {
					case t.Failed():
						failed++
					case t.Skipped():
						skipped++
					default:
						hold++
					}
				})
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
				if h.Wrapped && slices.Contains(toLeader, c.name) {
					t.Skip("the leader of this executor is a wrapper, and the server ends with it")
				}
				c.run(&suite{T: t, Harness: h, ctx: ctx})
			})
		}
	}
	t.Logf("%d behaviors hold, %d skipped, %d failed", hold, skipped, failed)
}
