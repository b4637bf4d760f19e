package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// inRounds is a modern server that answers each call with the next result and
// passes the messages that it reads to seen.
func inRounds(seen *[]message, results ...string) func(p *fakeProcess) int {
	return func(p *fakeProcess) int {
		return p.each(func(m message) {
			switch {
			case m.Method == mcp.MethodDiscover:
				p.result(m, discoverResult)
			case len(*seen) < len(results):
				*seen = append(*seen, m)
				p.result(m, results[len(*seen)-1])
			}
		})
	}
}

const (
	askTwo = `{"resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create","params":{"message":"who?"}},` +
		`"":{"method":"roots/list"}},"requestState":"s<1>"}`
	askOne   = `{"resultType":"input_required","inputRequests":{"again":{"method":"elicitation/create","params":{}}}}`
	retry    = `{"resultType":"input_required","requestState":{"n":1.0}}`
	complete = `{"resultType":"complete","ok":true}`
)

// params returns params without the members that the session adds.
func (m message) own(t *testing.T) string {
	t.Helper()
	var object map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(m.Params, &object))
	delete(object, "_meta")
	b, err := json.Marshal(object)
	require.NoError(t, err)
	return string(b)
}

// calling sends a request and returns the channel of its outcome.
func (h *harness) calling(ctx context.Context, params string) <-chan any {
	outcome := make(chan any, 1)
	go func() {
		resp, err := h.Request(ctx, "tools/call", json.RawMessage(params), session.CallOptions{Timeout: 10 * time.Second})
		if err != nil {
			outcome <- err
			return
		}
		outcome <- string(resp.Result)
	}()
	synctest.Wait()
	return outcome
}

func TestRoundsAreOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []message
		h := open(t, inRounds(&seen, askTwo, retry, askOne, complete), person)
		outcome := h.calling(t.Context(), `{"name":"x","big":12345678901234567890,"html":"<&>"}`)

		asks := h.ServerRequests()
		require.Len(t, asks, 2)
		require.Equal(t, []string{"", "who"}, []string{asks[0].Key, asks[1].Key})
		require.JSONEq(t, `{"message":"who?"}`, string(asks[1].Params))
		first := h.row(session.KindStdin, "tools/call")
		require.Equal(t, session.ReqAnswered, first.State)
		for _, ask := range asks {
			require.Equal(t, uint64(first.Related), ask.N, "the entry of the result")
			require.NotZero(t, ask.Parent)
		}
		require.NoError(t, h.Answer(asks[1].ID, json.RawMessage(`{"action":"accept","content":{}}`)))
		synctest.Wait()
		require.Len(t, seen, 1, "not re-sent before all keys are answered")
		require.Len(t, h.ServerRequests(), 1)
		<-time.After(time.Hour)
		require.NoError(t, h.Answer(asks[0].ID, json.RawMessage(`{"roots":[]}`)))
		synctest.Wait()

		last := h.ServerRequests()
		require.Len(t, last, 1)
		require.Equal(t, asks[0].Parent, last[0].Parent, "one call, whatever the round")
		require.NoError(t, h.Answer(last[0].ID, json.RawMessage(`{"action":"cancel"}`)))
		require.JSONEq(t, complete, (<-outcome).(string))
		require.Len(t, seen, 4)
		require.Contains(t, string(seen[1].Params), `"name":"x","big":12345678901234567890,"html":"<&>","inputResponses":`, "the same bytes with more members")
		require.JSONEq(t, `{"name":"x","big":12345678901234567890,"html":"<&>","requestState":"s<1>",
			"inputResponses":{"who":{"action":"accept","content":{}},"":{"roots":[]}}}`, seen[1].own(t))
		require.Contains(t, string(seen[1].Params), `"requestState":"s<1>"`)
		require.Contains(t, string(seen[2].Params), `"requestState":{"n":1.0}`, "unchanged")
		require.NotContains(t, string(seen[2].Params), "inputResponses", "responses of an earlier round are not repeated")
		require.NotContains(t, string(seen[3].Params), "requestState", "there was none")
		ids := map[string]bool{}
		for _, m := range seen {
			ids[string(m.ID)] = true
		}
		require.Len(t, ids, 4, "a new id each")
		var again int
		for _, act := range h.entries(session.KindAct) {
			if strings.HasPrefix(act, fmt.Sprintf("act again tools/call (entry %d)", asks[0].Parent)) {
				again++
			}
		}
		require.Equal(t, 3, again)
	})
}

func TestRoundEndsWithoutAnswers(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  func(h *harness, asks []session.ServerRequest, giveUp func())
		want string
	}{
		{"an error for an answer", func(h *harness, asks []session.ServerRequest, _ func()) {
			require.NoError(h.t, h.Answer(asks[0].ID, json.RawMessage(`{"error":{"code":-32601,"message":"no"}}`)))
		}, `"resultType":"input_required"`},
		{"given up", func(_ *harness, _ []session.ServerRequest, giveUp func()) { giveUp() }, "context canceled"},
		{"killed", func(h *harness, _ []session.ServerRequest, _ func()) { require.NoError(h.t, h.Kill()) }, "server ended before it answered"},
		{"restarted", func(h *harness, _ []session.ServerRequest, _ func()) { require.NoError(h.t, h.Restart(h.t.Context())) }, "server ended before it answered"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var seen []message
				h := open(t, inRounds(&seen, askTwo), person)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				outcome := h.calling(ctx, `{}`)
				tc.end(h, h.ServerRequests(), cancel)
				require.Contains(t, fmt.Sprint(<-outcome), tc.want)
				synctest.Wait()
				require.Empty(t, h.ServerRequests())
				require.Len(t, seen, 1, "not re-sent")
			})
		})
	}
}

func TestRoundsWithoutAPerson(t *testing.T) {
	canned := session.Policy{Mode: session.PolicyCanned, Answer: json.RawMessage(`{"action":"decline"}`)}
	for _, tc := range []struct {
		name     string
		policies map[string]session.Policy
		results  []string
		sent     int
		last     string // in the params
		want     string
	}{
		{"refused", nil, []string{askOne}, 1, "", "input_required"},
		{"one of two refused", map[string]session.Policy{"elicitation/create": {Mode: session.PolicyAsk}}, []string{askTwo}, 1, "", "input_required"},
		{"canned", map[string]session.Policy{"elicitation/create": canned}, []string{askOne, complete}, 2, `"inputResponses":{"again":{"action":"decline"}}`, "complete"},
		{"malformed", map[string]session.Policy{"elicitation/create": {Mode: session.PolicyMalformed}}, []string{askOne, complete}, 2, `"inputResponses":{"again":"mcpdbg`, "complete"},
		{"only a retry", nil, []string{retry, complete}, 2, `"requestState":{"n":1.0}`, "complete"},
		{"neither requests nor state", nil, []string{`{"resultType":"input_required"}`}, 1, "", "input_required"},
		{"a tool result that mentions it", nil, []string{`{"resultType":"complete","inputRequests":{"a":{"method":"ping"}},"x":"input_required"}`}, 1, "", "complete"},
		{"never enough", nil, []string{retry, retry, retry, retry, retry, retry, retry, retry, retry, retry, retry}, 9, "requestState", "input_required"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var seen []message
				h := open(t, inRounds(&seen, tc.results...), func(c *session.Config) { c.Policies = tc.policies })
				require.Contains(t, (<-h.calling(t.Context(), `{}`)).(string), tc.want)
				require.Empty(t, h.ServerRequests())
				require.Len(t, seen, tc.sent)
				require.Contains(t, string(seen[len(seen)-1].Params), tc.last)
			})
		})
	}
}

// The number of rounds in which a person is asked is unlimited.
func TestAPersonCanBeAskedAnyNumberOfTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []message
		results := slices.Repeat([]string{askOne}, 20)
		h := open(t, inRounds(&seen, append(results, complete)...), person)
		outcome := h.calling(t.Context(), `{}`)
		for range results {
			require.NoError(t, h.Answer(h.ServerRequests()[0].ID, json.RawMessage(`{"action":"decline"}`)))
			synctest.Wait()
		}
		require.JSONEq(t, complete, (<-outcome).(string))
	})
}

// All rounds share the timeout, which is paused while a person is asked.
func TestRoundsShareOneTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int32
		h := open(t, func(p *fakeProcess) int {
			return p.each(func(m message) {
				if m.Method == mcp.MethodDiscover {
					p.result(m, discoverResult)
					return
				}
				go func() {
					<-time.After(4 * time.Second)
					if n.Add(1) <= 3 {
						p.result(m, askOne)
					}
				}()
			})
		}, person)
		begin := time.Now()
		outcome := h.calling(t.Context(), `{}`)
		for range 2 {
			<-time.After(time.Minute)
			require.NoError(t, h.Answer(h.ServerRequests()[0].ID, json.RawMessage(`{"action":"decline"}`)))
		}
		require.ErrorIs(t, (<-outcome).(error), session.ErrTimeout)
		require.Equal(t, 122*time.Second, time.Since(begin), "4 s, 56 s asked, 4 s, 56 s asked, and 2 of the last 4 s")
		<-time.After(time.Minute) // the late answer
	})
}

func TestDelayInARoundCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []message
		h := open(t, inRounds(&seen, askOne, complete), func(c *session.Config) {
			c.Policies = map[string]session.Policy{"elicitation/create": {Mode: session.PolicyDecline, Delay: 11 * time.Second}}
		})
		outcome := h.calling(t.Context(), `{}`)
		require.Len(t, h.DelayedRequests(), 1)
		require.ErrorIs(t, (<-outcome).(error), session.ErrTimeout)
		require.Empty(t, h.DelayedRequests())
	})
}

func TestTimeOfAProgramInARoundCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []message
		h := open(t, inRounds(&seen, askOne, complete), func(c *session.Config) {
			c.Policies = map[string]session.Policy{"elicitation/create": {Mode: session.PolicyAsk, ByProgram: true}}
		})
		outcome := h.calling(t.Context(), `{}`)
		require.Len(t, h.ServerRequests(), 1)
		require.ErrorIs(t, (<-outcome).(error), session.ErrTimeout)
		require.Empty(t, h.ServerRequests())
	})
}

func TestPoliciesOfTheModernEraApplyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []message
		h := open(t, inRounds(&seen, complete, complete), nil)
		<-h.calling(t.Context(), `{}`)
		require.NoError(t, h.SetPolicy("roots/list", session.Policy{Mode: session.PolicyAsk}))
		<-h.calling(t.Context(), `{}`)
		require.Contains(t, string(seen[0].Params), `"io.modelcontextprotocol/clientCapabilities":{}`)
		require.Contains(t, string(seen[1].Params), `"io.modelcontextprotocol/clientCapabilities":{"roots":{}}`, "every request declares them")
		require.Empty(t, h.entries(session.KindNote))
	})
}
