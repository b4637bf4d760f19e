package probe_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
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

func refused(code executor.StartCode, phase string) error {
	return &executor.StartError{Code: code, Hop: "h", Phase: phase, Err: errors.New("no"), Hint: "try this", Said: "go\naway\n"}
}

// phases returns the phases of a target, according to the events.
func phases(events []probe.Event, target int) []verify.Phase {
	var all []verify.Phase
	for _, e := range events {
		if e.Target == target {
			all = append(all, e.Phase)
		}
	}
	return all
}

func TestEventsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("far", &host{steps: overSSH})
		w.add("local", &host{steps: []step{{"resolve", 1}, {"spawn", 2}}})
		opts := w.options("far", "local")
		var events []probe.Event
		opts.Event = func(e probe.Event) { events = append(events, e) }
		report := probe.Run(t.Context(), opts)
		require.True(t, report.OK, "%+v", report.Targets)
		fromClient := []verify.Phase{verify.PhaseHandshake, verify.PhaseList, verify.PhaseShutdown, verify.PhaseDone}
		require.Equal(t, append([]verify.Phase{verify.PhaseResolve, verify.PhaseConnect, verify.PhaseHostKey, verify.PhaseAuth, verify.PhaseStart}, fromClient...), phases(events, 0))
		require.Equal(t, append([]verify.Phase{verify.PhaseStart}, fromClient...), phases(events, 1))
		for _, e := range events {
			require.Equal(t, e.Phase == verify.PhaseDone, e.Result != nil)
			require.Equal(t, 1, e.Attempt)
			require.False(t, e.At.IsZero())
		}
		far := report.Targets[0]
		require.Equal(t, []float64{31, 40, 5}, []float64{*far.Took("connect"), *far.Took("auth"), *far.Took("start")})
		near := report.Targets[1]
		require.Nil(t, near.Took("connect"))
		require.Equal(t, 3.0, *near.Took("start"))
	})
}

// TestShutdownEventsHaveTheFailure checks that the event of a shutdown
// includes the failure that caused it.
func TestShutdownEventsHaveTheFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("bad", &host{steps: overSSH[:2], down: []error{errors.New("no way in")}})
		w.add("good", &host{steps: overSSH})
		opts := w.options("bad", "good")
		failed := make(map[int]verify.Phase)
		opts.Event = func(e probe.Event) {
			if e.Phase == verify.PhaseShutdown {
				failed[e.Target] = e.Failed
			} else {
				require.Empty(t, e.Failed)
			}
		}
		report := probe.Run(t.Context(), opts)
		require.Equal(t, map[int]verify.Phase{0: report.Targets[0].Phase, 1: ""}, failed)
		require.NotEmpty(t, failed[0])
	})
}

// TestLocalTargetsRunInOrder checks that local targets run in their order,
// because nothing is reached in advance, and that the first failure ends the
// run before the next one starts.
func TestLocalTargetsRunInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("local", &host{steps: []step{{"spawn", 2}}})
		opts := w.options(slices.Repeat([]string{"local"}, 9)...)
		opts.Jobs = 1
		var begun []int
		opts.Event = func(e probe.Event) {
			if e.Phase == verify.PhaseStart {
				begun = append(begun, e.Target)
			}
		}
		require.True(t, probe.Run(t.Context(), opts).OK)
		require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, begun)
		begun, opts.FailFast = nil, true
		opts.TargetTimeout = 1 // 1 ns: no target can pass
		require.False(t, probe.Run(t.Context(), opts).OK)
		require.LessOrEqual(t, len(begun), 1)
	})
}

func TestRetries(t *testing.T) {
	for _, tt := range []struct {
		name    string
		err     error
		retries int
		starts  int32
	}{
		{"refused", refused(executor.NetRefused, "connect"), 2, 3},
		{"unreachable", refused(executor.NetUnreachable, "connect"), 1, 2},
		{"dropped", refused(executor.NetDroppedEarly, "connect"), 1, 2},
		{"lost before the login", refused(executor.NetLost, "host-key"), 1, 2},
		{"reset before the login", refused(executor.LostReset, "host-key"), 1, 2},
		{"no retries", refused(executor.NetRefused, "connect"), 0, 1},
		{"lost in the login", refused(executor.NetLost, "login"), 2, 1},
		{"lost in the start", refused(executor.LostReset, "start"), 2, 1},
		{"timeout", refused(executor.NetTimeout, "connect"), 2, 1},
		{"changed key", refused(executor.HostKeyChanged, "host-key"), 2, 1},
		{"login", refused(executor.AuthDenied, "login"), 2, 1},
		{"not found", refused(executor.StartNotFound, "start"), 2, 1},
		{"unknown name", refused(executor.ResolveDNS, "resolve"), 2, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				h := w.add("far", &host{down: []error{tt.err, tt.err, tt.err}})
				opts := w.options("far")
				opts.Retries = tt.retries
				begin := time.Now()
				r := probe.Run(t.Context(), opts).Targets[0]
				require.Equal(t, tt.starts, h.tries.Load())
				require.False(t, r.OK)
				require.Equal(t, []string{"go", "away"}, r.Said)
				require.Equal(t, "try this", r.Hint)
				waited := time.Since(begin)
				if tt.starts == 1 {
					require.Empty(t, r.Attempts)
					require.Less(t, waited, 100*time.Millisecond)
					return
				}
				require.Len(t, r.Attempts, int(tt.starts)-1)
				require.GreaterOrEqual(t, waited, time.Duration(tt.retries)*200*time.Millisecond)
				require.Less(t, waited, time.Duration(tt.retries)*time.Second+100*time.Millisecond)
			})
		})
	}
}

func TestSuccessfulRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("far", &host{steps: overSSH, down: []error{refused(executor.NetRefused, "connect")}})
		opts := w.options("far")
		opts.Retries = 3
		var events []probe.Event
		opts.Event = func(e probe.Event) { events = append(events, e) }
		r := probe.Run(t.Context(), opts).Targets[0]
		require.True(t, r.OK)
		require.Len(t, r.Attempts, 1)
		require.Equal(t, verify.CauseConnect, r.Attempts[0].Cause)
		require.Equal(t, 31.0, *r.Took("connect"), "of the last attempt")
		require.GreaterOrEqual(t, r.WaitMS, 200.0)
		require.InDelta(t, 31+40+5, r.DurationMS, 0.01, "of the last attempt, without the wait")
		require.InDelta(t, 31+40, r.Attempts[0].DurationMS, 0.01)
		require.Equal(t, verify.PhaseWait, events[4].Phase)
		require.Equal(t, 2, events[4].Attempt)
	})
}

// TestOwnTimeExcludesWaitsAndRetries checks that a target's own time is that of
// its last attempt, without any wait.
func TestOwnTimeExcludesWaitsAndRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		no := refused(executor.NetRefused, "connect")
		w.add("refuses", &host{steps: []step{{"connect", 2}, {"start", 0}}, down: []error{no, no, no}})
		w.add("reference", &host{steps: []step{{"connect", 20_000}, {"start", 0}}})
		w.add("compared", &host{steps: []step{{"connect", 10}, {"start", 0}}})
		opts := w.options("refuses", "reference", "compared")
		opts.Retries, opts.Baseline = 2, &probe.Baseline{Name: "reference", Host: "reference"}
		report := probe.Run(t.Context(), opts)
		r := report.Targets[0]
		require.Len(t, r.Attempts, 2)
		require.InDelta(t, 2, r.DurationMS, 0.01)
		require.InDelta(t, 2, r.Attempts[1].DurationMS, 0.01)
		require.Greater(t, r.WaitedMS(), 400.0)
		require.InDelta(t, 20_000, report.Targets[1].DurationMS, 0.01)
		compared := report.Targets[2]
		require.True(t, compared.OK)
		require.InDelta(t, 10, compared.DurationMS, 0.01, "without the wait for the reference")
		require.Greater(t, compared.WaitedMS(), 19_000.0)
	})
}

// TestFailFastDoesNotRetry checks that the first refused host ends the run.
func TestFailFastDoesNotRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		no := refused(executor.NetRefused, "connect")
		var names []string
		for range 12 {
			name := fmt.Sprintf("refuses %d", len(names))
			w.add(name, &host{steps: []step{{"connect", 2}, {"start", 0}}, down: slices.Repeat([]error{no}, 10)})
			names = append(names, name)
		}
		opts := w.options(names...)
		opts.Jobs, opts.Retries, opts.FailFast = 1, 9, true
		begin := time.Now()
		report := probe.Run(t.Context(), opts)
		require.Less(t, time.Since(begin), 150*time.Millisecond, "less than one wait for a retry")
		require.NotEmpty(t, report.Failures)
		require.Less(t, report.Counts.Failed, len(names))
		for i := range report.Targets {
			require.Empty(t, report.Targets[i].Attempts)
		}
	})
}

// TestWaitingForSlotIsNotTimed checks that the times of a server begin when
// it starts.
func TestWaitingForSlotIsNotTimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for _, name := range []string{"one", "other"} {
			w.add(name, &host{steps: overSSH, serve: func(p *fake) {
				p.each(map[string]func(message) bool{"initialize": func(message) bool {
					time.Sleep(3 * time.Second)
					return false // the server ends
				}})
			}})
		}
		opts := w.options("one", "other")
		opts.Jobs = 1
		report := probe.Run(t.Context(), opts)
		waited := 0
		for _, r := range report.Targets {
			require.Equal(t, verify.CauseHandshake, r.Cause)
			require.Contains(t, r.Message, "after 3s")
			if r.WaitMS > 0 {
				waited++
				require.Greater(t, r.WaitMS, 2900.0, "for the other server to end")
				require.GreaterOrEqual(t, r.DurationMS, 3000.0, "which is apart")
			}
		}
		require.Equal(t, 1, waited)
	})
}

// silent returns a server that never responds to a method.
func silent(method string) func(p *fake) {
	return func(p *fake) {
		p.each(map[string]func(message) bool{method: func(message) bool { return true }})
	}
}

func TestJobsLimitRunningServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var mu sync.Mutex
		now, most := 0, 0
		w.add("far", &host{serve: func(p *fake) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Second)
			p.each(nil)
			mu.Lock()
			now--
			mu.Unlock()
		}})
		opts := w.options("far", "far", "far", "far", "far", "far", "far")
		opts.Jobs = 3
		require.True(t, probe.Run(t.Context(), opts).OK)
		require.Equal(t, 3, most)
	})
}

func TestTargetTimeoutStillShutsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("far", &host{steps: overSSH, serve: silent("tools/list")})
		w.add("slow", &host{steps: []step{{"connect", 1e6}}})
		opts := w.options("far", "slow")
		opts.TargetTimeout = 20 * time.Second
		begin := time.Now()
		report := probe.Run(t.Context(), opts)
		require.Equal(t, 20*time.Second, time.Since(begin).Truncate(time.Second))
		for i, phase := range []verify.Phase{verify.PhaseList, verify.PhaseConnect} {
			r := report.Targets[i]
			require.Equal(t, phase, r.Phase)
			require.Equal(t, verify.CauseTimeout, r.Cause)
			require.Equal(t, "target.timeout", r.Code)
		}
		require.Equal(t, "exit code 0", report.Targets[0].Exit)
		synctest.Wait()
		require.Zero(t, w.running.Load())
		require.Equal(t, 4, report.Exit)
	})
}

func TestStartupTimeoutOfEachPhase(t *testing.T) {
	for _, tt := range []struct {
		step  string
		phase verify.Phase
		cause verify.Cause
	}{
		{"connect", verify.PhaseConnect, verify.CauseConnect},
		{"host-key", verify.PhaseHostKey, verify.CauseConnect},
		{"login", verify.PhaseAuth, verify.CauseAuth},
		{"start", verify.PhaseStart, verify.CauseTimeout},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.add("far", &host{steps: []step{{tt.step, 1e6}}})
			r := probe.Run(t.Context(), w.options("far")).Targets[0]
			require.Equal(t, tt.phase, r.Phase)
			require.Equal(t, tt.cause, r.Cause)
			require.Equal(t, "timeout", r.Code)
		})
	}
}

func TestRunEnds(t *testing.T) {
	why := errors.New("ended by signal: interrupt")
	for _, tt := range []struct {
		name    string
		change  func(*probe.Options, context.CancelCauseFunc)
		message string
	}{
		{"ctx", func(opts *probe.Options, cancel context.CancelCauseFunc) {
			time.AfterFunc(500*time.Millisecond, func() { cancel(why) })
		}, why.Error()},
		{"plain ctx", func(opts *probe.Options, cancel context.CancelCauseFunc) {
			time.AfterFunc(500*time.Millisecond, func() { cancel(nil) })
		}, "stopped before it was done"},
		{"fail fast", func(opts *probe.Options, _ context.CancelCauseFunc) { opts.FailFast = true }, "another target failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.add("bad", &host{steps: []step{{"connect", 100}, {"start", 0}}, down: []error{refused(executor.NetRefused, "connect")}})
				w.add("hangs", &host{serve: silent("ping")})
				w.add("far away", &host{steps: []step{{"login", 1e6}}})
				idle := w.add("idle", &host{steps: []step{{"connect", 60}, {"start", 0}}})
				opts := w.options("bad", "hangs", "far away", "idle", "idle")
				opts.Jobs = 1
				if tt.name != "fail fast" {
					w.hosts["bad"].serve, w.hosts["bad"].down = silent("ping"), nil
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				tt.change(&opts, cancel)
				var done []int
				opts.Event = func(e probe.Event) {
					if e.Result != nil {
						done = append(done, e.Target)
					}
				}
				begin := time.Now()
				report := probe.Run(ctx, opts)
				require.Less(t, time.Since(begin), time.Second)
				synctest.Wait()
				require.Zero(t, w.running.Load(), "all are shut down")
				require.Len(t, done, 5)
				require.Zero(t, idle.starts.Load())
				hangs, waits := report.Targets[1], report.Targets[4]
				require.Equal(t, verify.CauseCancelled, hangs.Cause)
				require.Equal(t, verify.PhaseList, hangs.Phase)
				require.Contains(t, hangs.Message, tt.message)
				require.Equal(t, "exit code 0", hangs.Exit)
				require.Equal(t, verify.CauseCancelled, waits.Cause)
				require.Equal(t, verify.PhaseWait, waits.Phase)
				require.Contains(t, waits.Message, "not started")
				if tt.name == "fail fast" {
					require.Equal(t, verify.Tally{Failed: 1, Stopped: 2, Cancelled: 2}, report.Tally())
					require.Equal(t, 5, report.Exit, "as if only the failed target had existed")
				} else {
					require.Equal(t, verify.Tally{Stopped: 3, Cancelled: 2}, report.Tally())
					require.Equal(t, 1, report.Exit)
				}
			})
		})
	}
}

func TestNoTargets(t *testing.T) {
	report := probe.Run(t.Context(), probe.Options{})
	require.True(t, report.OK)
	require.Zero(t, report.Exit)
}

func TestFailingMake(t *testing.T) {
	opts := probe.Options{Targets: targets("x", "y"), Make: func(_ context.Context, target int, _ probe.Process, _ func(*session.Config)) (*verify.Made, error) {
		if target == 0 {
			return nil, errors.New("no room for a recording")
		}
		return nil, refused(executor.ResolveConfig, "resolve")
	}}
	report := probe.Run(t.Context(), opts)
	require.Equal(t, verify.CauseStart, report.Targets[0].Cause)
	require.Equal(t, "no room for a recording", report.Targets[0].Message)
	require.Equal(t, verify.CauseResolve, report.Targets[1].Cause)
	require.Equal(t, "try this", report.Targets[1].Hint)
}

func TestEventsAreSerialized(t *testing.T) {
	w := newWorld(t)
	w.add(verify.Local, &host{})
	opts := w.options(slices.Repeat([]string{verify.Local}, 32)...)
	var inside, together atomic.Int32
	opts.Event = func(probe.Event) {
		if inside.Add(1) > 1 {
			together.Add(1)
		}
		runtime.Gosched()
		inside.Add(-1)
	}
	require.True(t, probe.Run(t.Context(), opts).OK)
	require.Zero(t, together.Load())
}
