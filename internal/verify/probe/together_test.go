package probe_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/session/executor"
)

// slowStart takes a second to start.
func slowStart(p *checkFake) {
	time.Sleep(time.Second)
	p.each(nil)
}

// TestProcessesAtOnce checks that several processes of a server run at once, and that
// nothing of the report depends on it but the times.
func TestProcessesAtOnce(t *testing.T) {
	took := map[int]time.Duration{}
	reports := map[int]verify.Result{}
	for _, n := range []int{1, 2, 3, 10} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			w := &checkWorld{serve: slowStart}
			reports[n] = runOne(t, w, func(o *probe.Check) { o.Processes = n })
			took[n] = time.Since(begin)
			require.Equal(t, min(n, 4), w.most)
			require.Len(t, w.names, 5)
		})
		require.Equal(t, statuses(reports[1]), statuses(reports[n]))
		for i, s := range reports[n].Steps {
			require.Equal(t, reports[1].Steps[i].Name, s.Name)
		}
		require.Empty(t, reports[n].Problems)
		require.Len(t, reports[n].Recordings, 5)
	}
	require.Less(t, took[10], took[3])
	require.Less(t, took[3], took[1])
}

// TestWhatFailsAtOnceIsDoneAgainAlone uses servers that must run alone.
func TestWhatFailsAtOnceIsDoneAgainAlone(t *testing.T) {
	exit := func(p *checkFake) {}
	for name, tt := range map[string]struct {
		serve func(p *checkFake)
		want  string // of a step
		leaks bool
	}{
		"does not start beside another": {want: "passed", serve: func(p *checkFake) {
			if p.beside > 0 {
				exit(p)
				return
			}
			slowStart(p)
		}},
		"ignores SIGTERM beside another": {want: "passed", serve: func(p *checkFake) {
			time.Sleep(time.Second / 2) // until all of them run: any may be the first
			p.deaf = p.checkWorld.count() > 1
			slowStart(p)
		}},
		"ignores SIGTERM": {want: "error", serve: func(p *checkFake) {
			p.deaf = true
			slowStart(p)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &checkWorld{serve: tt.serve}
				r := runOne(t, w, func(o *probe.Check) { o.Processes = 4 })
				require.Greater(t, w.most, 1)
				got := statuses(r)
				require.Equal(t, tt.want, got["sigterm"], "%+v", r.Steps)
				delete(got, "sigterm")
				for step, status := range got {
					require.NotContains(t, []string{"error", "warning"}, status, "%s: %s", step, reason(r, step))
				}
				require.Greater(t, len(w.names), 5, "some were done again")
				require.Len(t, r.Recordings, len(w.names))
				for _, s := range r.Steps {
					require.LessOrEqual(t, s.Process, len(r.Recordings))
				}
				require.Len(t, slices.DeleteFunc(slices.Clone(r.Steps), func(s verify.Step) bool { return s.Name != verify.StepTerm }), 1)
				if tt.want == "passed" {
					require.Empty(t, r.Problems)
				}
			})
		})
	}
}

// TestLeakBesideOthersIsLookedForAgain checks that a leak counts only if it is there
// without the others.
func TestLeakBesideOthersIsLookedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runOne(t, &checkWorld{serve: slowStart, leaves: []executor.Descendant{{PID: 7, Command: "daemon"}}}, func(o *probe.Check) { o.Processes = 4 })
		require.Equal(t, "error", statuses(r)["leaked-processes"])
		require.Equal(t, "leaked (killed): daemon (5 times)", reason(r, "leaked-processes"), "each process once")
	})
}

// TestFirstResponseHasTheStartupTimeout checks that a server that is slow to start
// breaks no rule.
func TestFirstResponseHasTheStartupTimeout(t *testing.T) {
	late := func(d time.Duration) func(p *checkFake) {
		return func(p *checkFake) {
			select {
			case <-time.After(d):
				p.each(nil)
			case <-p.ended:
			}
		}
	}
	for name, tt := range map[string]struct {
		startup time.Duration
		delay   time.Duration
		want    string
		says    string
	}{
		"slower than a step":     {0, 20 * time.Second, "passed", "offered 2025-11-25"},
		"slower than a start":    {0, 40 * time.Second, "not checked", "no response within 30s of the start (--startup-timeout)"},
		"another limit":          {time.Minute, 40 * time.Second, "passed", "offered 2025-11-25"},
		"in time for every step": {0, time.Second, "passed", "offered 2025-11-25"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := true
				w := &checkWorld{serve: func(p *checkFake) {
					if first { // or nothing could be checked
						first = false
						p.each(nil)
						return
					}
					late(tt.delay)(p)
				}}
				r := runOne(t, w, func(o *probe.Check) { o.StartupTimeout = tt.startup })
				require.Equal(t, tt.want, statuses(r)["unsupported-version legacy"])
				require.Equal(t, tt.says, reason(r, "unsupported-version legacy"))
				for _, s := range r.Steps {
					require.NotEqual(t, verify.Failed, s.Status, "%s: %s", s.Name, s.Reason)
				}
			})
		})
	}
}

// TestReplacedProcessIsTimedApart checks that the time of processes that were replaced is
// not that of the handshake, and that nothing is said of their eras.
func TestCheckReplacedProcessIsTimedApart(t *testing.T) {
	const discovered = `"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","supportedVersions":["2026-07-28"],"capabilities":{},` +
		`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"fake","version":"1"}}}`
	for want, restarted := range map[string]bool{ // whether a process that was started again is modern
		"revision 2026-07-28, after 1.5s with an earlier process":  true,
		"revision 2025-11-25, after 1.5s with 2 earlier processes": false,
	} {
		t.Run(want, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var processes atomic.Int32
				serve := func(p *checkFake) {
					first, probe := processes.Add(1) == 1, checkMessage{}
					p.each(map[string]func(m checkMessage) bool{
						"server/discover": func(m checkMessage) bool {
							if probe = m; !first && restarted {
								p.answer(m, discovered)
							}
							return first || restarted
						},
						"initialize": func(m checkMessage) bool {
							p.answer(m, `"result":`+checkAnswers["initialize"])
							if first {
								p.answer(probe, discovered)
							}
							return true
						},
					})
				}
				handshake := runOne(t, &checkWorld{serve: serve}, nil).Steps[0]
				require.Equal(t, verify.StepHandshake, handshake.Name)
				require.Equal(t, want, handshake.Reason)
				require.Zero(t, handshake.DurationMS)
			})
		})
	}
}
