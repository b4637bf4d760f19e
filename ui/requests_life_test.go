package ui

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
)

// TestRoundIsOneSequence checks that the requests of one result are answered one
// after the other, and that the answers are sent together.
func TestRoundIsOneSequence(t *testing.T) {
	serve := inRounds(`"a":{"method":"elicitation/create","params":` + askName + `},"b":{"method":"roots/list"},"c":{"method":"sampling/createMessage","params":{}}`)
	answeringAt(t, 120, 36, true, false, serve, func(t *testing.T, d *driver, _ *fakeExecutor) {
		done := d.call()
		d.do(host.ActAnswer)
		require.Contains(t, d.plain(), `fake (local) sent elicitation/create, 1 of 3 that tools/call plan needs: a`)
		d.write("Ada")
		d.take(ctrlS)
		require.Contains(t, d.plain(), `fake (local) sent roots/list, 2 of 3 that tools/call plan needs: b`)
		d.do("answer-call")
		require.Equal(t, d.row(`"method":"tools/call"`), d.cursor())
		d.do(host.ActAnswer)
		d.take(ctrlS)
		require.Contains(t, d.plain(), `, 3 of 3 that tools/call plan needs: c`)
		d.do("answer-view")
		d.writeJSON(`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"x","input":{}}],"model":"m","stopReason":"toolUse"}`)
		d.take(ctrlS)
		require.Nil(t, d.front.top())
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
		end  func(d *driver, x *fakeExecutor)
		want string
	}{
		"by the server": {func(_ *driver, x *fakeExecutor) {
			x.latest().out(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`)
		}, "x not answered: elicitation/create: cancelled by the server"},
		"by the end of the server": {func(d *driver, _ *fakeExecutor) {
			require.NoError(d.t, d.visible.ws.Session.Kill())
		}, "x elicitation/create: this request is no longer pending"},
	} {
		t.Run(name, func(t *testing.T) {
			answeringAt(t, 120, 36, false, false, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
				d.asked(x, 0, mcp.MethodElicit, askName)
				d.asked(x, 1, mcp.MethodElicit, askPage)
				d.do(host.ActAnswer)
				tc.end(d, x)
				synctest.Wait()
				d.pull()
				require.Nil(t, d.front.top())
				require.Contains(t, d.rows()[35], tc.want)
				if name == "by the server" {
					d.do(host.ActAnswer)
					require.Contains(t, d.plain(), "you to open a URL")
				}
			})
		})
	}
}

// TestQuestionOfAnotherSession checks that a request of another session is
// answered there.
func TestQuestionOfAnotherSession(t *testing.T) {
	answeringAt(t, 120, 36, false, false, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		here := d.visible
		other := d.another("other (local)")
		there := d.visible
		person(t, there.ws.Session)
		d.show(here)
		other.latest().out(`{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":%s}`, askName)
		synctest.Wait()
		d.take(addressed{there, changed{}})
		require.Contains(t, d.rows()[35], "A answer the server")
		d.do(host.ActAnswer)
		require.Same(t, there, d.visible)
		require.Contains(t, d.plain(), "other (local) sent elicitation/create")
		d.take(ctrlS)
		d.take(ctrlS)
		require.Empty(t, there.ws.Session.ServerRequests())
	})
}

// TestRecordingAsksNobody checks that a recording has no pending server requests.
func TestRecordingAsksNobody(t *testing.T) {
	d := drive(t, Options{Source: hostileLog(t, "x"), Title: "demo.rec"}, 100, 30)
	d.do(host.ActAnswer)
	require.Contains(t, d.rows()[29], "x answer: no pending server request: this is a recording")
	d.do("policies")
	require.Contains(t, d.rows()[29], "x policies: this is a recording")
}

// TestManyQuestions checks that neither the length nor the number of requests
// breaks a frame.
func TestManyQuestions(t *testing.T) {
	answeringAt(t, 80, 24, false, false, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		method := strings.Repeat("long/", 1000)
		require.NoError(t, d.visible.ws.Session.SetPolicy(method, session.Policy{Mode: session.PolicyAsk}))
		for id := range 20 {
			d.asked(x, id, method, `{}`)
		}
		d.do(host.ActAnswer)
		require.Contains(t, d.plain(), "1 of 20  waiting")
		requireExact(t, d.content(), 80, 24)
		d.do("json-answer-later", "policies")
		require.Contains(t, d.plain(), "and 15 more")
		requireExact(t, d.content(), 80, 24)
	})
}

// TestDelayedTicks checks that a delayed answer of a policy has a clock.
func TestDelayedTicks(t *testing.T) {
	answeringAt(t, 120, 36, true, false, inRounds(`"a":{"method":"roots/list"}`), func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.NoError(t, d.visible.ws.Session.SetPolicy(mcp.MethodRoots, session.Policy{Mode: session.PolicyCanned, Answer: []byte(`{"roots":[]}`), Delay: 5 * time.Minute}))
		done := d.call()
		time.Sleep(time.Minute)
		d.pull()
		time.Sleep(time.Minute)
		d.take(tick{})
		require.Equal(t, time.Second, d.pace())
		d.do(host.ActAnswer)
		require.Contains(t, d.plain(), "its policy responds in 180 s")
		d.take(ctrlS)
		<-done
		d.pull()
		require.Empty(t, d.visible.ws.Requests())
	})
}
