package probe_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// broken is a server that ends in the handshake.
func broken(*fake) {}

func outcomesOf(report *verify.Report) (all []verify.Outcome) {
	for i := range report.Targets {
		all = append(all, report.Targets[i].Outcome)
	}
	return all
}

func TestStopOver(t *testing.T) {
	for name, steps := range map[string][]step{"ahead": overSSH, "at once": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.add("one", &host{steps: steps, serve: broken})
				others := []*host{w.add("two", &host{steps: steps}), w.add("three", &host{steps: steps})}
				opts := w.options("one", "two", "three")
				opts.Jobs, opts.StopOver = 1, new(int)
				report := probe.Run(t.Context(), opts)
				stopped := 0
				for i, outcome := range outcomesOf(report)[1:] {
					if outcome == verify.OutcomeStopped { // the order of remote targets is random
						stopped++
						require.Zero(t, others[i].starts.Load())
						require.Equal(t, "run.stopped", report.Targets[i+1].Code)
					}
				}
				require.Equal(t, verify.OutcomeFailed, report.Targets[0].Outcome)
				require.Equal(t, report.Counts.Stopped, stopped)
				require.Equal(t, 1, report.Exit)
			})
		})
	}
}

func TestStopOverInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		first := w.add(verify.Local, &host{serve: broken})
		opts := w.options(verify.Local, verify.Local, verify.Local)
		opts.Jobs, opts.StopOver = 1, new(int)
		report := probe.Run(t.Context(), opts)
		require.Equal(t, []verify.Outcome{verify.OutcomeFailed, verify.OutcomeStopped, verify.OutcomeStopped}, outcomesOf(report))
		require.EqualValues(t, 1, first.starts.Load())

		opts.Accepted = &verify.AcceptedFile{Targets: []verify.AcceptedTarget{{ID: "fake@local", Owner: "ana", Reason: "known", Expires: time.Now().AddDate(0, 0, 1)}}}
		report = probe.Run(t.Context(), opts)
		require.Equal(t, 3, report.Counts.Tolerated, "they do not count")
		require.Zero(t, report.Exit)
	})
}

func TestRunTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(verify.Local, &host{serve: func(p *fake) {
			p.each(map[string]func(message) bool{"ping": func(m message) bool {
				time.Sleep(time.Second)
				p.answer(m, `"result":{}`)
				return true
			}})
		}})
		opts := w.options(verify.Local, verify.Local, verify.Local)
		opts.Jobs, opts.RunTimeout = 1, 1500*time.Millisecond
		report := probe.Run(t.Context(), opts)
		require.Equal(t, []verify.Outcome{verify.OutcomePassed, verify.OutcomePassed, verify.OutcomeStopped}, outcomesOf(report))
		require.Equal(t, verify.RunTimeout, report.Targets[2].Code)
		require.Equal(t, 4, report.Exit)
	})
}

func TestRepeat(t *testing.T) {
	for _, tt := range []struct {
		name    string
		fails   func(n int32) bool
		outcome verify.Outcome
		repeats verify.Repeats
	}{
		{"passes", func(int32) bool { return false }, verify.OutcomePassed, verify.Repeats{Passed: 4, Of: 4}},
		{"mixed", func(n int32) bool { return n == 2 }, verify.OutcomeFlaky, verify.Repeats{Passed: 3, Of: 4}},
		{"fails", func(int32) bool { return true }, verify.OutcomeFailed, verify.Repeats{Passed: 0, Of: 4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				var n atomic.Int32
				w.add("far", &host{steps: overSSH, serve: func(p *fake) {
					if !tt.fails(n.Add(1)) {
						p.each(nil)
					}
				}})
				opts := w.options("far")
				opts.Repeat, opts.FailFast = 4, true
				r := probe.Run(t.Context(), opts).Targets[0]
				require.Equal(t, tt.outcome, r.Outcome)
				require.Equal(t, tt.repeats, *r.Repeats)
				require.EqualValues(t, 4, n.Load())
			})
		})
	}
}

func TestCheckRetriesHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		refuse := refused(executor.NetRefused, "connect")
		w.add("near", &host{steps: overSSH})
		w.add("far", &host{steps: overSSH, down: []error{refuse}})
		w.add("gone", &host{steps: overSSH, down: []error{refuse, refuse, refuse}})
		opts := w.options("near", "far", "gone")
		opts.Check, opts.Retries, opts.FailOn = &probe.Check{NoCalls: true}, 1, verify.FailOn{}
		report := probe.Run(t.Context(), opts)
		require.Equal(t, []verify.Outcome{verify.OutcomePassed, verify.OutcomeFlaky, verify.OutcomeFailed}, outcomesOf(report))
		require.Equal(t, verify.SideHost, report.Targets[2].Side)
		require.Equal(t, "net.refused", report.Targets[1].Attempts[0].Code)
		require.Equal(t, 5, report.Exit)
	})
}

func TestDiscardedRecordings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("good", new(host))
		w.add("bad", &host{serve: broken})
		opts := w.options("good", "bad")
		inner := opts.Make
		opts.Make = func(ctx context.Context, target int, p probe.Process, configure func(*session.Config)) (*verify.Made, error) {
			made, err := inner(ctx, target, p, configure)
			made.Recording = strconv.Itoa(target) + ".jsonl"
			return made, err
		}
		var gone []string
		opts.Discard = func(path string) { gone = append(gone, path) }
		report := probe.Run(t.Context(), opts)
		require.Equal(t, []string{"0.jsonl"}, gone)
		require.Empty(t, report.Targets[0].Recordings)
		require.Equal(t, []string{"1.jsonl"}, report.Targets[1].Recordings)
	})
}

func TestSkippedTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		skipped := w.add("one", new(host))
		w.add("two", new(host))
		opts := w.options("one", "two")
		opts.Targets[0].Skip, opts.Targets[1].Groups, opts.Targets[1].At = "is being rebuilt", []string{"eu"}, "fleet.ini:7"
		opts.Repeat, opts.Baseline = 2, &probe.Baseline{Name: "one", Host: "one"}
		report := probe.Run(t.Context(), opts)
		require.Equal(t, []verify.Outcome{verify.OutcomeSkipped, verify.OutcomePassed}, outcomesOf(report))
		require.Zero(t, skipped.starts.Load())
		require.Equal(t, "is being rebuilt", report.Targets[0].Message)
		require.Equal(t, "fleet.ini:7", report.Targets[1].At)
		require.Zero(t, report.Exit)
	})
}
