package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/demo"
	"mcpdbg/recordings/match"
	"mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/session/answers"
	"mcpdbg/session/mcp"
)

func canned(cfg *session.Config) { cfg.Answers, _ = answers.Parse(demo.CannedAnswers()) }

// tour uses most features of the demo server.
func tour(t *testing.T) func(s *session.Session) {
	return func(s *session.Session) {
		for _, list := range mcp.Lists {
			_, err := s.ListAll(context.Background(), list)
			require.NoError(t, err)
		}
		call(t, s, "echo", `{"message":"hi"}`, session.CallOptions{})
		call(t, s, "slow", `{"seconds":1,"steps":2}`, session.CallOptions{Progress: func(json.RawMessage) {}})
		call(t, s, "ask", `{}`, session.CallOptions{})
		call(t, s, "sample", `{}`, session.CallOptions{})
		call(t, s, "roots", `{}`, session.CallOptions{})
		call(t, s, "book", `{"passengers":[{"name":"Ada"}],"trip":{"from":"A","to":"B"}}`, session.CallOptions{})
	}
}

// TestTour records the demo server in each era and replays it in each:
// its requests get their recorded responses, whatever form they have.
func TestTour(t *testing.T) {
	legacyOnly := func(p *process) int { return onlyEra(p, mcp.Legacy) }
	modernOnly := func(p *process) int { return onlyEra(p, mcp.Modern) }
	for _, c := range []struct {
		name     string
		recorded mcp.Era
		serve    server
		live     mcp.Era
	}{
		{"legacy", mcp.Legacy, theDemo, mcp.Legacy},
		{"modern", mcp.Modern, theDemo, mcp.Modern},
		{"legacy against a modern server", mcp.Legacy, modernOnly, mcp.Modern},
		{"modern against a legacy server", mcp.Modern, legacyOnly, mcp.Legacy},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := record(t, theDemo, c.recorded, tour(t), canned)
				plan, res, live := again(t, rec, c.serve, replay.Options{})
				require.Equal(t, c.live, res.Live)
				require.Equal(t, c.recorded != c.live, res.EraDiffers())
				require.NoError(t, res.Lost)
				require.Empty(t, res.NewServerRequests)
				require.Empty(t, res.MissingServerRequests)
				require.Equal(t, 3, plan.ServerRequests())
				skipped := 0
				for i, o := range res.Outcomes {
					if o.Status == replay.Skipped {
						skipped++
						require.Equal(t, "book", plan.Items()[i].Tool)
						require.Contains(t, o.Why, "read-only")
						continue
					}
					require.Equal(t, replay.Answered, o.Status, "%+v", plan.Items()[i])
				}
				require.Equal(t, 1, skipped)
				require.LessOrEqual(t, live.Stats().Errors, uint64(1), "only the refused handshake:\n%s", sent(t, live))
				require.Zero(t, live.Stats().Unmatched)
				require.Empty(t, res.Variables, "the demo's cursors never change")
				require.NotContains(t, texts(t, live), "declare", "recorded capabilities are declared")

				pairs := res.Pairs(plan)
				require.Equal(t, len(plan.Items())-1, paired(pairs, plan))
				if c.recorded == c.live {
					require.Equal(t, rec.Stats().Out-1, live.Stats().Out, "all but the call that was not sent:\n%s", sent(t, live))
				}
			})
		})
	}
}

// TestVariables replays against a server that generates new cursors and ids.
func TestVariables(t *testing.T) {
	serve := func(made string) server {
		return scripted(mcp.Legacy, func(p *process, m message) {
			switch m.Method {
			case "tools/list":
				p.result(m, `{"tools":[{"name":"make","annotations":{"readOnlyHint":true}}],"nextCursor":"`+made+`-page2"}`)
			case "tools/call":
				p.result(m, `{"content":[],"structuredContent":{"job":"jobnumber-`+made+`"}}`)
			default:
				p.result(m, `{"you":"`+made+`"}`)
			}
		})
	}
	act := func(s *session.Session) {
		request(t, s, "tools/list", `{}`, session.CallOptions{})
		request(t, s, "tools/list", `{"cursor":"111-page2"}`, session.CallOptions{})
		call(t, s, "make", `{}`, session.CallOptions{})
		call(t, s, "make", `{"after":"jobnumber-111"}`, session.CallOptions{})
		request(t, s, "x/own", `{"mine":"own-12345"}`, session.CallOptions{})
	}
	for _, c := range []struct {
		name  string
		noMap []match.Pointer
		want  []string // in the sent lines
		count int      // of variables
	}{
		{"carried over", nil, []string{`{"cursor":"222-page2"}`, `{"after":"jobnumber-222"}`, `"own-12345"`}, 2},
		{"not the use", []match.Pointer{"/params/arguments/*"}, []string{`{"cursor":"222-page2"}`, `{"after":"jobnumber-111"}`}, 1},
		{"not the source", []match.Pointer{"/result/nextCursor"}, []string{`{"cursor":"111-page2"}`, `{"after":"jobnumber-222"}`}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := record(t, serve("111"), mcp.Legacy, act)
				_, res, live := again(t, rec, serve("222"), replay.Options{NoMap: c.noMap})
				require.NotContains(t, statuses(res), "skipped")
				all := strings.Join(sent(t, live), "\n")
				for _, want := range c.want {
					require.Contains(t, all, want)
				}
				require.Len(t, res.Variables, c.count)
			})
		})
	}
}

// TestMissingVariable checks that requests are skipped if a value they carry is missing.
func TestMissingVariable(t *testing.T) {
	serve := func(more string) server {
		return scripted(mcp.Legacy, func(p *process, m message) { p.result(m, `{"tools":[]`+more+`}`) })
	}
	synctest.Test(t, func(t *testing.T) {
		rec := record(t, serve(`,"nextCursor":"c1"`), mcp.Legacy, func(s *session.Session) {
			request(t, s, "tools/list", `{}`, session.CallOptions{})
			request(t, s, "tools/list", `{"cursor":"c1"}`, session.CallOptions{})
		})
		_, res, live := again(t, rec, serve(""), replay.Options{})
		require.Equal(t, []string{"answered", "skipped"}, statuses(res))
		require.Contains(t, res.Outcomes[1].Why, "has no /result/nextCursor now")
		require.True(t, res.Variables[0].Absent)
		require.Len(t, sent(t, live), 1)
	})
}

// TestCancellation checks that a cancellation has the current request id.
func TestCancellation(t *testing.T) {
	for _, era := range []mcp.Era{mcp.Legacy, mcp.Modern} {
		synctest.Test(t, func(t *testing.T) {
			rec := record(t, theDemo, era, func(s *session.Session) {
				_, err := s.ListAll(context.Background(), mcp.Lists[0])
				require.NoError(t, err)
				call(t, s, "book", `{}`, session.CallOptions{}) // not replayed, so that numbers change
				ctx, cancel := context.WithCancelCause(t.Context())
				_, err = s.Request(ctx, "tools/call", json.RawMessage(`{"name":"slow","arguments":{"seconds":60}}`), session.CallOptions{
					Progress: func(json.RawMessage) { cancel(errors.New("seen enough")) },
				})
				require.Error(t, err)
				synctest.Wait() // the cancellation is sent concurrently
				call(t, s, "echo", `{"message":"after"}`, session.CallOptions{})
			})
			plan, res, live := again(t, rec, theDemo, replay.Options{})
			require.NoError(t, res.Lost)
			require.Equal(t, []string{"answered", "answered", "answered", "skipped", "unanswered", "sent", "answered"}, statuses(res), "%+v", plan.Items())
			lines := sent(t, live)
			require.Contains(t, lines[len(lines)-2], `"seen enough"`)
			var slow, cancelled message
			require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-3]), &slow))
			require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-2]), &cancelled))
			require.Contains(t, string(cancelled.Params), `"requestId":`+string(slow.ID))
			require.Zero(t, live.Stats().PendingOut)
		})
	}
}

// TestQuestions checks that server requests are answered in recorded order, and that
// requests without a recorded response are not.
func TestQuestions(t *testing.T) {
	asking := func(prompts ...string) server {
		next := 0
		var call message
		ask := func(p *process) bool {
			if next == len(prompts) {
				return false
			}
			p.say(`{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":{"message":%q}}`, next, prompts[next])
			next++
			return true
		}
		return func(p *process) int {
			next = 0
			return scripted(mcp.Legacy, func(p *process, m message) {
				if m.Method == "go" {
					call = m
				}
				switch {
				case m.Method == "after":
					p.result(m, `{}`)
				case !ask(p):
					p.result(call, `{}`)
				}
			})(p)
		}
	}
	responses := func(cfg *session.Config) {
		cfg.Policies = map[string]session.Policy{mcp.MethodElicit: {Mode: session.PolicyAsk}}
	}
	act := func(s *session.Session) {
		var calls sync.WaitGroup
		calls.Go(func() { request(t, s, "go", `{}`, session.CallOptions{}) })
		for i := range 3 {
			synctest.Wait()
			requestsByRow := s.ServerRequests()
			require.Len(t, requestsByRow, 1)
			require.NoError(t, s.Answer(requestsByRow[0].ID, fmt.Appendf(nil, `{"action":"accept","content":{"n":%d}}`, i)))
		}
		calls.Wait()
		request(t, s, "after", `{}`, session.CallOptions{})
	}
	synctest.Test(t, func(t *testing.T) {
		rec := record(t, asking("a", "a", "b"), mcp.Legacy, act, responses)
		plan, res, live := again(t, rec, asking("b", "a", "a"), replay.Options{})
		require.Equal(t, 3, plan.ServerRequests())
		require.Equal(t, []string{"answered", "answered"}, statuses(res))
		require.Empty(t, res.NewServerRequests)
		require.Empty(t, res.MissingServerRequests)
		lines := strings.Join(sent(t, live), "\n")
		require.Regexp(t, `(?s)"id":0,.*"n":2.*"id":1,.*"n":0.*"id":2,.*"n":1`, lines)

		_, res, live = again(t, rec, asking("a", "c"), replay.Options{})
		require.Equal(t, "elicitation/create", res.NewServerRequests[0].Method)
		require.Len(t, res.NewServerRequests, 1)
		require.Len(t, res.MissingServerRequests, 2)
		require.Contains(t, strings.Join(sent(t, live), "\n"), `"code":-32601`)
	})
}

// TestModernRequestsAreUnchanged keeps members that a person omitted from _meta, or set in
// one request only.
func TestModernRequestsAreUnchanged(t *testing.T) {
	serve := scripted(mcp.Modern, func(p *process, m message) { p.result(m, `{"resultType":"complete"}`) })
	synctest.Test(t, func(t *testing.T) {
		rec := record(t, serve, mcp.Modern, func(s *session.Session) {
			request(t, s, "first", `{}`, session.CallOptions{})
			_, err := s.Send(context.Background(), []byte(`{"jsonrpc":"2.0","id":1,"method":"bare","params":{"_meta":{"progressToken":7}}}`))
			require.NoError(t, err)
			synctest.Wait()
			request(t, s, "other", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01"}}`, session.CallOptions{})
		})
		_, res, live := again(t, rec, serve, replay.Options{})
		require.Equal(t, []string{"answered", "answered", "answered"}, statuses(res))
		lines := sent(t, live)
		require.Contains(t, lines[0], `"2026-07-28"`)
		require.Contains(t, lines[1], `"params":{"_meta":{"progressToken":7}}`)
		require.Contains(t, lines[2], `"1999-01-01"`)
		require.Contains(t, lines[2], `clientInfo`)
	})
}

// TestPerson leaves server requests without a recorded response in Asks.
func TestPerson(t *testing.T) {
	asking := func(prompt string) server {
		var call message
		return scripted(mcp.Legacy, func(p *process, m message) {
			if m.Method != "go" {
				p.result(call, string(m.Result))
				return
			}
			call = m
			p.say(`{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"message":%q}}`, prompt)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		rec := record(t, asking("a"), mcp.Legacy, func(s *session.Session) { request(t, s, "go", `{}`, session.CallOptions{}) }, func(cfg *session.Config) {
			cfg.Answers = session.Answers{mcp.MethodElicit: json.RawMessage(`{"action":"decline"}`)}
		})
		plan, err := replay.New(t.Context(), rec, replay.Options{Interactive: true})
		require.NoError(t, err)
		r := start(t, asking("b"), plan.Configure)
		var res *replay.Result
		var over sync.WaitGroup
		over.Go(func() { res, err = plan.Run(t.Context(), r.s, nil) })
		time.Sleep(time.Hour) // the clock of the request stands still
		requestsByRow := r.s.ServerRequests()
		require.Len(t, requestsByRow, 1)
		require.NoError(t, r.s.Answer(requestsByRow[0].ID, json.RawMessage(`{"action":"accept"}`)))
		over.Wait()
		require.NoError(t, err)
		require.Equal(t, []string{"answered"}, statuses(res))
		require.Len(t, res.NewServerRequests, 1)
		require.Len(t, res.MissingServerRequests, 1)
		require.Contains(t, strings.Join(sent(t, r.log), "\n"), `"accept"`)
	})
}

// TestClientProgress checks that progress has the server's current token.
func TestClientProgress(t *testing.T) {
	asking := func(token string) server {
		var call message
		return scripted(mcp.Legacy, func(p *process, m message) {
			switch m.Method {
			case "go":
				call = m
				p.say(`{"jsonrpc":"2.0","id":0,"method":"sampling/createMessage","params":{"messages":[],"_meta":{"progressToken":%s}}}`, token)
			case "":
				p.result(call, `{}`)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		rec := record(t, asking(`"t1"`), mcp.Legacy, func(s *session.Session) {
			var call sync.WaitGroup
			call.Go(func() { request(t, s, "go", `{}`, session.CallOptions{}) })
			synctest.Wait()
			require.NoError(t, s.Notify(context.Background(), mcp.MethodProgress, json.RawMessage(`{"progressToken":"t1","progress":1}`)))
			require.NoError(t, s.Answer(s.ServerRequests()[0].ID, json.RawMessage(`{}`)))
			call.Wait()
		}, func(cfg *session.Config) {
			cfg.Policies = map[string]session.Policy{mcp.MethodSample: {Mode: session.PolicyAsk}}
		})
		_, res, live := again(t, rec, asking(`22`), replay.Options{})
		t.Log(statuses(res), sent(t, live))
		require.Contains(t, strings.Join(sent(t, live), "\n"), `{"progressToken":22,"progress":1}`)
	})
}

// TestTimeout checks that a timeout of the caller takes precedence.
func TestTimeout(t *testing.T) {
	silent := scripted(mcp.Legacy, func(*process, message) {})
	healthy := scripted(mcp.Legacy, func(p *process, m message) { p.result(m, `{}`) })
	synctest.Test(t, func(t *testing.T) {
		rec := record(t, healthy, mcp.Legacy, func(s *session.Session) { request(t, s, "a", `{}`, session.CallOptions{}) })
		begin := time.Now()
		_, res, _ := again(t, rec, silent, replay.Options{Timeout: 20 * time.Second})
		require.Equal(t, []string{"missing"}, statuses(res))
		require.Equal(t, 20*time.Second, time.Since(begin))
	})
}
