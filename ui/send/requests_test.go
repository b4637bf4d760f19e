package send

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// TestRoundIsOneSequence checks that the requests of one result are answered one
// after the other, and that the answers are sent together.
func TestRoundIsOneSequence(t *testing.T) {
	serve := uitest.InRounds(`"a":{"method":"elicitation/create","params":` + uitest.AskName + `},"b":{"method":"roots/list"},"c":{"method":"sampling/createMessage","params":{}}`)
	answeringAt(t, 120, 36, true, serve, func(t *testing.T, r *answerRoom, x *uitest.Server) {
		done := r.call()
		r.Do(host.ActAnswer)
		require.Contains(t, r.Text(), `during plan, sent by you at 0:00.00, 1 of 3: a`)
		r.Write("Ada")
		r.send()
		require.Contains(t, r.Text(), `, 2 of 3: b`)
		r.Do("answer-call")
		require.Equal(t, r.Row(`"method":"tools/call"`), r.Selected[len(r.Selected)-1])
		r.Do(host.ActAnswer)
		r.send()
		require.Contains(t, r.Text(), `, 3 of 3: c`)
		r.Do("answer-view")
		r.writeJSON(`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"x","input":{}}],"model":"m","stopReason":"toolUse"}`)
		r.send()
		require.Empty(t, r.Opened)
		var result struct {
			Got json.RawMessage `json:"got"`
		}
		require.NoError(t, json.Unmarshal((<-done).Result, &result))
		require.JSONEq(t, `{"a":{"action":"accept","content":{"name":"Ada","cups":2}},"b":{"roots":[]},"c":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"x","input":{}}],"model":"m","stopReason":"toolUse"}}`,
			string(result.Got))
	})
}

// TestTakenBack checks that a request that is no longer pending closes with a
// reason, and that another one stays open.
func TestTakenBack(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(r *answerRoom, x *uitest.Server)
		want string
	}{
		"by the server": {func(_ *answerRoom, x *uitest.Server) {
			x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`)
		}, "x not answered: elicitation/create: cancelled by the server"},
		"by the end of the server": {func(r *answerRoom, x *uitest.Server) {
			require.NoError(r.T, r.session().Kill())
		}, "x elicitation/create: this request is no longer pending"},
	} {
		t.Run(name, func(t *testing.T) {
			answeringAt(t, 120, 36, false, nil, func(t *testing.T, r *answerRoom, x *uitest.Server) {
				r.asked(x, 0, mcp.MethodElicit, uitest.AskName)
				r.asked(x, 1, mcp.MethodElicit, uitest.AskPage)
				r.Do(host.ActAnswer)
				tc.end(r, x)
				r.Pull()
				require.Empty(t, r.Opened)
				require.Contains(t, r.Said(), tc.want)
				if name == "by the server" {
					r.Do(host.ActAnswer)
					require.Contains(t, r.Text(), "you to open a URL")
				}
			})
		})
	}
}

// TestRecordingAsksNobody checks that a recording has no pending server requests.
func TestRecordingAsksNobody(t *testing.T) {
	r := newAnswerRoom(uitest.NewHost(t, uitest.NewWorkspace(t, rectest.Session(t, rectest.Started)), 100, 30))
	r.Do(host.ActAnswer)
	require.Contains(t, r.Said(), "x answer: nothing waits")
	r.Do("policies")
	require.Contains(t, r.Said(), "x policies: this is a recording")
}

// TestManyQuestions checks that neither the length nor the number of requests
// breaks a frame.
func TestManyQuestions(t *testing.T) {
	answeringAt(t, 80, 24, false, nil, func(t *testing.T, r *answerRoom, x *uitest.Server) {
		method := strings.Repeat("long/", 1000)
		require.NoError(t, r.session().SetPolicy(method, session.Policy{Mode: session.PolicyAsk}))
		for id := range 20 {
			r.asked(x, id, method, `{}`)
		}
		r.Do(host.ActAnswer)
		require.Contains(t, r.Text(), "1 of 20  waiting")
		uitest.RequireExact(t, r.Frame(), 80, 24)
		r.Do("json-answer-later", "policies")
		require.Contains(t, r.Text(), "and 15 more")
		uitest.RequireExact(t, r.Frame(), 80, 24)
	})
}

// TestObserveForgets checks that requests that ended are forgotten with the text
// typed so far, and that only an open one closes with a message.
func TestObserveForgets(t *testing.T) {
	log, err := recordings.Create(recordings.Options{NoRecord: true, Header: session.Header{Argv: []string{"server"}}})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, log.Close())
		require.NoError(t, log.Release())
	})
	ctx, cancel := context.WithCancel(t.Context())
	w := workspace.New(ctx, cancel, workspace.Opened{Session: session.New(session.Config{Log: log})}, 1)
	s := NewRequests()
	for id, method := range []string{mcp.MethodRoots, mcp.MethodElicit} {
		s.drafts[uint64(id)] = &answerView{state: s, request: session.ServerRequest{ID: uint64(id), N: 7, Method: method}}
	}
	open := s.drafts[1]
	h := uitest.NewHost(t, w, 80, 24)
	h.Opened = []host.View{&policyView{}, open}
	s.Observe(h.Context())
	require.Empty(t, s.drafts)
	require.Equal(t, []host.View{open}, h.Closed)
	require.Equal(t, []string{"elicitation/create: " + session.ErrNotPending.Error()}, h.Warnings)
}
