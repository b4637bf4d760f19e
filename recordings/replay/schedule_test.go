package replay_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// TestConcurrency checks that as many requests are in flight as in the recording.
func TestConcurrency(t *testing.T) {
	var mu sync.Mutex
	inFlight, most := 0, 0
	count := func(by int) {
		mu.Lock()
		defer mu.Unlock()
		inFlight += by
		most = max(most, inFlight)
	}
	serve := scripted(mcp.Legacy, func(p *process, m message) {
		count(1)
		go func() {
			time.Sleep(time.Second)
			count(-1)
			p.result(m, `{}`)
		}()
	})
	synctest.Test(t, func(t *testing.T) {
		rec := record(t, serve, mcp.Legacy, func(s *session.Session) {
			request(t, s, "a", `{}`, session.CallOptions{})
			var both sync.WaitGroup
			for range 2 {
				both.Go(func() { request(t, s, "b", `{}`, session.CallOptions{}) })
			}
			both.Wait()
			request(t, s, "c", `{}`, session.CallOptions{})
		})
		for mode, want := range map[replay.Mode]int{replay.Causal: 2, replay.Timed: 2, replay.Serial: 1} {
			most = 0
			_, res, _ := again(t, rec, serve, replay.Options{Mode: mode})
			require.Equal(t, 4, res.Count(replay.Answered))
			require.Equal(t, want, most, mode)
		}
	})
}

// TestSchedule checks the times of sending: they do not drift, however slow responses are.
func TestSchedule(t *testing.T) {
	responses := time.Duration(0)
	serve := scripted(mcp.Legacy, func(p *process, m message) {
		time.Sleep(responses)
		p.result(m, `{}`)
	})
	for _, c := range []struct {
		name  string
		opts  replay.Options
		takes time.Duration // of a response
		want  []time.Duration
	}{
		{"by cause", replay.Options{}, 0, []time.Duration{0, 0, 0, 0}},
		{"as recorded", replay.Options{Mode: replay.Timed}, 0, []time.Duration{0, time.Second, 11 * time.Second, 12 * time.Second}},
		{"slow answers", replay.Options{Mode: replay.Timed}, 900 * time.Millisecond, []time.Duration{0, time.Second, 11 * time.Second, 12 * time.Second}},
		{"late, then on time again", replay.Options{Mode: replay.Timed}, 2 * time.Second, []time.Duration{0, 2 * time.Second, 11 * time.Second, 13 * time.Second}},
		{"twice as fast", replay.Options{Mode: replay.Timed, Speed: 2}, 0, []time.Duration{0, 500 * time.Millisecond, 5500 * time.Millisecond, 6 * time.Second}},
		{"idle", replay.Options{Mode: replay.Timed, IdleCap: 2 * time.Second}, 0, []time.Duration{0, time.Second, 3 * time.Second, 4 * time.Second}},
		{"at once", replay.Options{Mode: replay.Timed, Speed: replay.MaxSpeed}, 0, []time.Duration{0, 0, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				responses = 0
				rec := record(t, serve, mcp.Legacy, func(s *session.Session) {
					for _, pause := range []time.Duration{time.Second, 10 * time.Second, time.Second, 0} {
						request(t, s, "a", `{}`, session.CallOptions{})
						time.Sleep(pause)
					}
				})
				responses = c.takes
				_, _, live := again(t, rec, serve, c.opts)
				var at []time.Duration
				rows := make([]session.Row, live.Len())
				for _, row := range rows[:live.Rows(0, rows)] {
					if row.Kind == session.KindStdin && live.Method(row.Method) == "a" {
						at = append(at, time.Duration(row.T)*time.Microsecond)
					}
				}
				for i := len(at) - 1; i >= 0; i-- {
					at[i] -= at[0]
				}
				require.Equal(t, c.want, at)
			})
		})
	}
}

// TestEndings checks missing responses.
func TestEndings(t *testing.T) {
	healthy := scripted(mcp.Legacy, func(p *process, m message) { p.result(m, `{}`) })
	act := func(s *session.Session) {
		request(t, s, "a", `{}`, session.CallOptions{})
		request(t, s, "b", `{}`, session.CallOptions{})
		request(t, s, "c", `{}`, session.CallOptions{})
	}
	t.Run("missing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			rec := record(t, healthy, mcp.Legacy, act)
			begin := time.Now()
			_, res, live := again(t, rec, scripted(mcp.Legacy, func(p *process, m message) {
				if m.Method != "b" {
					p.result(m, `{}`)
				}
			}), replay.Options{})
			require.Equal(t, []string{"answered", "missing", "answered"}, statuses(res))
			require.Equal(t, 5*time.Second, time.Since(begin))
			require.Len(t, sent(t, live), 3, "only recorded messages: no cancellation")
		})
	})
	t.Run("the server dies", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			rec := record(t, healthy, mcp.Legacy, act)
			_, res, _ := again(t, rec, func(p *process) int {
				return scripted(mcp.Legacy, func(p *process, m message) {
					if m.Method == "b" {
						p.End(executor.Exit{Kind: executor.ExitCode, Code: 7})
						return
					}
					p.result(m, `{}`)
				})(p)
			}, replay.Options{})
			require.Equal(t, []string{"answered", "lost", "lost"}, statuses(res))
			require.ErrorIs(t, res.Lost, session.ErrEnded)
			require.ErrorContains(t, res.Lost, "exit code 7")
		})
	})
	t.Run("unanswered when recorded", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			rec := record(t, scripted(mcp.Legacy, func(p *process, m message) {
				if m.Method == "a" {
					p.End(executor.Exit{Kind: executor.ExitCode, Code: 7})
				}
			}), mcp.Legacy, func(s *session.Session) {
				_, err := s.Request(context.Background(), "a", nil, session.CallOptions{})
				require.ErrorIs(t, err, session.ErrEnded)
			})
			_, res, _ := again(t, rec, healthy, replay.Options{})
			require.Equal(t, []string{"answered"}, statuses(res), "the crash is fixed")
			_, res, _ = again(t, rec, scripted(mcp.Legacy, func(*process, message) {}), replay.Options{})
			require.Equal(t, []string{"unanswered"}, statuses(res))
			require.NoError(t, res.Lost)
		})
	})
}
