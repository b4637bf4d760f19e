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

// TestComparison compares runs with their recordings: messages that can't occur
// again are skipped, and nothing else.
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
		want     []string // differences that count: class and method
	}{
		{"everything is the same", mcp.Legacy, theDemo, func(t *testing.T, s *session.Session) { listed(s); tour(t)(s) }, replay.Options{AllTools: true}, nil},
		{"skipped calls", mcp.Legacy, theDemo, func(t *testing.T, s *session.Session) { listed(s); call(t, s, "book", `{}`, session.CallOptions{}) }, replay.Options{}, nil},
		{"requests of the replay only", mcp.Legacy, theDemo, func(t *testing.T, s *session.Session) { call(t, s, "echo", `{"message":"a"}`, session.CallOptions{}) }, replay.Options{}, nil},
		{"another process", mcp.Legacy, theDemo, func(t *testing.T, s *session.Session) {
			call(t, s, "echo", `{"message":"a"}`, session.CallOptions{})
			require.NoError(t, s.Restart(context.Background()))
			call(t, s, "echo", `{"message":"b"}`, session.CallOptions{})
		}, replay.Options{Run: 2}, nil},
		{"a different era", mcp.Legacy, func(p *process) int { return onlyEra(p, mcp.Modern) }, func(t *testing.T, s *session.Session) { tour(t)(s) }, replay.Options{}, []string{"era initialize"}},
		{"a different era, reversed", mcp.Modern, func(p *process) int { return onlyEra(p, mcp.Legacy) }, func(t *testing.T, s *session.Session) { tour(t)(s) }, replay.Options{}, []string{"era server/discover"}},
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
					Rules: &match.Rules{List: res.Rules()}, Skip: plan.SkipRecorded(res), SkipB: res.SkipLive(),
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

// TestClient checks that the replay uses the recorded client information.
func TestClient(t *testing.T) {
	serve := scripted(mcp.Legacy, func(p *process, m message) { p.result(m, `{}`) })
	synctest.Test(t, func(t *testing.T) {
		rec := record(t, serve, mcp.Legacy, func(s *session.Session) {
			request(t, s, "ping", `{}`, session.CallOptions{}) // not replayed, so that ids change
			request(t, s, "a", `{"_meta":{"x":"<kept>"}}`, session.CallOptions{Progress: func(json.RawMessage) {}})
		}, func(cfg *session.Config) {
			cfg.ClientName, cfg.ClientVersion, cfg.Protocol = "other", "7", mcp.V20250618
			cfg.Capabilities = json.RawMessage(`{"experimental":{"x":{}}}`)
		})
		plan, _, live := again(t, rec, serve, replay.Options{})
		require.Equal(t, match.Client{Name: "other", Version: "7", Era: mcp.Legacy, Protocol: mcp.V20250618, Capabilities: json.RawMessage(`{"experimental":{"x":{}}}`)}, plan.Client())
		whole := said(t, live)
		require.Contains(t, whole, `"capabilities":{"experimental":{"x":{}}}`)
		require.Contains(t, whole, `"clientInfo":{"name":"other","version":"7"}`)
		require.Contains(t, whole, `"protocolVersion":"2025-06-18"`)

		// The token is the current id instead of the recorded one.
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

// TestRoundWithoutResponse: a request whose last round got no response
// does not count as answered.
func TestRoundWithoutResponse(t *testing.T) {
	serve := scripted(mcp.Modern, func(p *process, m message) {
		if !strings.Contains(string(m.Params), "inputResponses") {
			p.result(m, `{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}},"requestState":"s"}`)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		rec := record(t, serve, mcp.Modern, func(s *session.Session) {
			_, err := s.Request(context.Background(), "tools/call", json.RawMessage(`{"name":"x"}`), session.CallOptions{})
			require.ErrorIs(t, err, session.ErrTimeout)
			synctest.Wait() // the cancellation is sent concurrently
		}, canned)
		plan, res, _ := again(t, rec, serve, replay.Options{AllTools: true})
		require.Len(t, plan.Items(), 2, "the request, and the cancellation of its last round")
		require.False(t, plan.Items()[0].Answered)
		require.Len(t, plan.Items()[0].Rounds, 1)
		require.Equal(t, []string{"unanswered", "sent"}, statuses(res))
		require.Len(t, res.Outcomes[0].Live, 2)
	})
}

// TestSkippedQuestion skips requests of the server during a call that was
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
		require.Empty(t, res.MissingServerRequests)
		report, err := compare.Compare(t.Context(), rec, live, compare.Options{Skip: plan.SkipRecorded(res), SkipB: res.SkipLive()})
		require.NoError(t, err)
		require.False(t, report.Differs, "%+v", report.Groups)
	})
}

// TestUnsent skips messages that were not delivered in the recording.
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
		require.Contains(t, plan.Items()[1].Skip, "not delivered in the recording")
	})
}
