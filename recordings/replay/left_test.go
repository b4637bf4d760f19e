package replay_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// TestComparison compares runs with their recordings: what was not to be seen
// again is left out, and no more.
func TestComparison(t *testing.T) {
	listed := func(s *session.Session) {
		_, _ = s.ListAll(context.Background(), mcp.Lists[0])
		_, _ = s.Request(context.Background(), "ping", nil, session.CallOptions{})
	}
	for _, c := range []struct {
		name     string
		recorded mcp.Era
		serve    server
		act      func(t *testing.T, s *session.Session)
		opts     replay.Options
		want     []string // what counts: class and method
	}{
		{"all is the same", mcp.Legacy, theDemo, func(t *testing.T, s *session.Session) { listed(s); tour(t)(s) }, replay.Options{AllTools: true}, nil},
		{"what was skipped", mcp.Legacy, theDemo, func(t *testing.T, s *session.Session) { listed(s); call(t, s, "book", `{}`, session.CallOptions{}) }, replay.Options{}, nil},
		{"what only the replay asked", mcp.Legacy, theDemo, func(t *testing.T, s *session.Session) { call(t, s, "echo", `{"message":"a"}`, session.CallOptions{}) }, replay.Options{}, nil},
		{"another process", mcp.Legacy, theDemo, func(t *testing.T, s *session.Session) {
			call(t, s, "echo", `{"message":"a"}`, session.CallOptions{})
			require.NoError(t, s.Restart(context.Background()))
			call(t, s, "echo", `{"message":"b"}`, session.CallOptions{})
		}, replay.Options{Run: 2}, nil},
		{"another era", mcp.Legacy, func(p *process) int { return onlyEra(p, mcp.Modern) }, func(t *testing.T, s *session.Session) { tour(t)(s) }, replay.Options{}, []string{"era initialize"}},
		{"the other way round", mcp.Modern, func(p *process) int { return onlyEra(p, mcp.Legacy) }, func(t *testing.T, s *session.Session) { tour(t)(s) }, replay.Options{}, []string{"era server/discover"}},
		{"a server that dies", mcp.Legacy, func(p *process) int {
			return scripted(mcp.Legacy, func(p *process, _ message) { p.End(executor.Exit{Kind: executor.ExitCode, Code: 1}) })(p)
		}, func(t *testing.T, s *session.Session) {
			call(t, s, "echo", `{"message":"a"}`, session.CallOptions{})
			call(t, s, "echo", `{"message":"b"}`, session.CallOptions{})
		}, replay.Options{AllTools: true}, []string{"result initialize", "outcome tools/call", "missing tools/call"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := record(t, theDemo, c.recorded, func(s *session.Session) { c.act(t, s) }, canned)
				plan, res, live := again(t, rec, c.serve, c.opts)
				report, err := compare.Compare(t.Context(), rec, live, compare.Options{
					Rules: &match.Rules{List: res.Rules()}, Skip: plan.LeftOut(res), SkipB: res.Added(),
				})
				require.NoError(t, err)
				var found []string
				for _, g := range report.Groups {
					if g.Counts {
						found = append(found, string(g.Class)+" "+g.Method)
					}
				}
				require.Equal(t, c.want, slices.Compact(found))
			})
		})
	}
}

// TestClient is what the recorded client said of itself, and says again.
func TestClient(t *testing.T) {
	serve := scripted(mcp.Legacy, func(p *process, m message) { p.result(m, `{}`) })
	synctest.Test(t, func(t *testing.T) {
		rec := record(t, serve, mcp.Legacy, func(s *session.Session) {
			request(t, s, "ping", `{}`, session.CallOptions{}) // is not replayed: ids move
			request(t, s, "a", `{"_meta":{"x":"<kept>"}}`, session.CallOptions{Progress: func(json.RawMessage) {}})
		}, func(cfg *session.Config) {
			cfg.ClientName, cfg.ClientVersion, cfg.Protocol = "other", "7", mcp.V20250618
			cfg.Capabilities = json.RawMessage(`{"experimental":{"x":{}}}`)
		})
		plan, _, live := again(t, rec, serve, replay.Options{})
		require.Equal(t, replay.Client{Name: "other", Version: "7", Era: mcp.Legacy, Protocol: mcp.V20250618, Capabilities: json.RawMessage(`{"experimental":{"x":{}}}`)}, plan.Client())
		whole := said(t, live)
		require.Contains(t, whole, `"capabilities":{"experimental":{"x":{}}}`)
		require.Contains(t, whole, `"clientInfo":{"name":"other","version":"7"}`)
		require.Contains(t, whole, `"protocolVersion":"2025-06-18"`)

		// The token is today's id, and no longer the recorded one.
		var m struct {
			ID     string
			Params struct {
				Meta struct{ ProgressToken string } `json:"_meta"`
			}
		}
		require.NoError(t, json.Unmarshal([]byte(sent(t, live)[0]), &m))
		require.Equal(t, m.ID, m.Params.Meta.ProgressToken)
		require.NotContains(t, sent(t, rec)[1], m.ID)
	})
}

// TestRoundWithoutAnswer is a request whose last round was not answered: it is
// not one that was.
func TestRoundWithoutAnswer(t *testing.T) {
	serve := scripted(mcp.Modern, func(p *process, m message) {
		if !strings.Contains(string(m.Params), "inputResponses") {
			p.result(m, `{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}},"requestState":"s"}`)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		rec := record(t, serve, mcp.Modern, func(s *session.Session) {
			_, err := s.Request(context.Background(), "tools/call", json.RawMessage(`{"name":"x"}`), session.CallOptions{})
			require.ErrorIs(t, err, session.ErrTimeout)
			synctest.Wait() // the cancellation goes out beside it
		}, canned)
		plan, res, _ := again(t, rec, serve, replay.Options{AllTools: true})
		require.Len(t, plan.Items(), 2, "the request, and the cancellation of its last round")
		require.False(t, plan.Items()[0].Answered)
		require.Len(t, plan.Items()[0].Rounds, 1)
		require.Equal(t, []string{"unanswered", "sent"}, statuses(res))
		require.Len(t, res.Outcomes[0].Live, 2)
	})
}

// TestSkippedQuestion leaves out what the server asked during a call that was
// not sent.
func TestSkippedQuestion(t *testing.T) {
	serve := func(p *process) int {
		var call message
		return scripted(mcp.Legacy, func(p *process, m message) {
			switch m.Method {
			case "tools/call":
				call = m
				p.say(`{"jsonrpc":"2.0","id":0,"method":"roots/list"}`)
			case "tools/list":
				p.result(m, `{"tools":[]}`)
			default:
				p.result(call, `{}`)
			}
		})(p)
	}
	synctest.Test(t, func(t *testing.T) {
		rec := record(t, serve, mcp.Legacy, func(s *session.Session) { call(t, s, "x", `{}`, session.CallOptions{}) }, canned)
		plan, res, live := again(t, rec, serve, replay.Options{})
		require.Equal(t, []string{"skipped"}, statuses(res))
		require.Empty(t, res.Unasked)
		report, err := compare.Compare(t.Context(), rec, live, compare.Options{Skip: plan.LeftOut(res), SkipB: res.Added()})
		require.NoError(t, err)
		require.False(t, report.Differs, "%+v", report.Groups)
	})
}

// TestUnsent leaves out what the recorded server did not get.
func TestUnsent(t *testing.T) {
	serve := scripted(mcp.Legacy, func(p *process, m message) { p.result(m, `{}`) })
	synctest.Test(t, func(t *testing.T) {
		rec := record(t, serve, mcp.Legacy, func(s *session.Session) {
			request(t, s, "a", `{}`, session.CallOptions{})
			require.NoError(t, s.CloseStdin())
			require.Error(t, s.Notify(context.Background(), "notifications/late", nil))
		})
		plan, err := replay.New(t.Context(), rec, replay.Options{})
		require.NoError(t, err)
		require.Len(t, plan.Items(), 2)
		require.Contains(t, plan.Items()[1].Skip, "did not get it either")
	})
}
