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
)

// TestRoundIsOneSequence: all that one result asks for is answered one after the
// other, and goes out as one.
func TestRoundIsOneSequence(t *testing.T) {
	serve := inRounds(`"a":{"method":"elicitation/create","params":` + askName + `},"b":{"method":"roots/list"},"c":{"method":"sampling/createMessage","params":{}}`)
	answeringAt(t, 120, 36, true, false, serve, func(t *testing.T, d *driver, _ *fakeExecutor) {
		done := d.call()
		d.do(actAnswer)
		require.Contains(t, d.plain(), `fake (local) asks elicitation/create, 1 of 3 that tools/call plan needs: a`)
		d.write("Ada")
		d.take(ctrlS)
		require.Contains(t, d.plain(), `fake (local) asks roots/list, 2 of 3 that tools/call plan needs: b`)
		d.do(actAnswerCall)
		require.Equal(t, d.row(`"method":"tools/call"`), d.cursor())
		d.do(actAnswer)
		d.take(ctrlS)
		require.Contains(t, d.plain(), `, 3 of 3 that tools/call plan needs: c`)
		d.do(actAnswerView)
		d.answering().json.SetValue(`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"x","input":{}}],"model":"m","stopReason":"toolUse"}`)
		d.take(ctrlS)
		require.Nil(t, d.top())
		require.JSONEq(t, `{"a":{"action":"accept","content":{"name":"Ada","cups":2}},"b":{"roots":[]},"c":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"x","input":{}}],"model":"m","stopReason":"toolUse"}}`,
			string(member((<-done).Result, "got")))
	})
}

// TestTakenBack: a question that nobody waits for any more closes, and says why;
// another one stays.
func TestTakenBack(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(d *driver, x *fakeExecutor)
		want string
	}{
		"by the server": {func(_ *driver, x *fakeExecutor) {
			x.latest().out(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`)
		}, "x not answered: elicitation/create: cancelled by the server"},
		"by its end": {func(d *driver, _ *fakeExecutor) {
			require.NoError(d.t, d.session.Kill())
		}, "x elicitation/create: nobody waits for this answer any more"},
	} {
		t.Run(name, func(t *testing.T) {
			answeringAt(t, 120, 36, false, false, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
				d.asked(x, 0, mcp.MethodElicit, askName)
				d.asked(x, 1, mcp.MethodElicit, askPage)
				d.do(actAnswer)
				tc.end(d, x)
				synctest.Wait()
				d.pull()
				require.Nil(t, d.top())
				require.Contains(t, d.rows()[35], tc.want)
				require.Empty(t, d.asks.open)
				if name == "by the server" {
					d.do(actAnswer)
					require.Contains(t, d.plain(), "you to go to an address")
				}
			})
		})
	}
}

// TestQuestionOfAnotherSession: what another session asks is answered there.
func TestQuestionOfAnotherSession(t *testing.T) {
	answeringAt(t, 120, 36, false, false, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		here := d.front
		other := d.another("other (local)")
		there := d.front
		person(t, there.session)
		d.show(here)
		other.latest().out(`{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":%s}`, askName)
		synctest.Wait()
		d.take(about{there, changed{}})
		require.Contains(t, d.rows()[35], "A answer the server")
		d.do(actAnswer)
		require.Same(t, there, d.front)
		require.Contains(t, d.plain(), "other (local) asks elicitation/create")
		d.take(ctrlS)
		d.take(ctrlS)
		require.Empty(t, there.session.Asks())
	})
}

// TestRecordingAsksNobody: in a recording nobody waits.
func TestRecordingAsksNobody(t *testing.T) {
	d := drive(t, Options{Source: hostileLog(t, "x"), Title: "demo.rec"}, 100, 30)
	d.do(actAnswer)
	require.Contains(t, d.rows()[29], "x answer: nobody waits, this is a recording")
	d.do(actPolicies)
	require.Contains(t, d.rows()[29], "x who answers: this is a recording")
}

// TestAnswersThereAndBack: fields hold exactly the answers that they can make.
func TestAnswersThereAndBack(t *testing.T) {
	for name, tc := range map[string]struct {
		kind  questionKind
		value string
		not   []string
	}{
		"form":     {elicitQuestion(json.RawMessage(askName)), `{"name":"x","more":1.0}`, []string{`{"action":"decline"}`, `{"action":"accept"}`, `{"action":"accept","content":{},"_meta":{}}`, `{"error":{}}`, `[]`, `{`}},
		"address":  {elicitQuestion(json.RawMessage(askPage)), ``, []string{`{"action":"cancel"}`, `{"action":"accept","content":{}}`}},
		"sampling": {sampleQuestion(json.RawMessage(askModel)), `{"text":"a \u001b","model":"m","stopReason":"endTurn","x":[1.0]}`, []string{`{}`, `{"error":{}}`, `{"role":"user","content":{"type":"text","text":""}}`, `{"role":"assistant","content":[]}`, `{"role":"assistant","content":{"type":"image","data":""}}`, `{"role":"assistant","content":{"type":"text","text":"","x":1}}`, `{"role":"assistant","text":"x"}`}},
		"roots":    {rootsQuestion(nil, ""), `{"roots":[{"uri":"file:///a"}],"_meta":{}}`, []string{`{"error":{}}`, `[]`}},
	} {
		answer := tc.kind.wrap([]byte(tc.value))
		require.True(t, json.Valid(answer), name)
		back, ok := tc.kind.unwrap(answer)
		require.True(t, ok, name)
		require.Equal(t, tc.value, string(back), name)
		for _, other := range tc.not {
			_, ok := tc.kind.unwrap([]byte(other))
			require.False(t, ok, "%s: %s", name, other)
		}
	}
}

// TestManyQuestions: no question is too long for a frame, nor are there too many.
func TestManyQuestions(t *testing.T) {
	answeringAt(t, 80, 24, false, false, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		method := strings.Repeat("long/", 1000)
		require.NoError(t, d.session.SetPolicy(method, session.Policy{Mode: session.PolicyAsk}))
		for id := range 20 {
			d.asked(x, id, method, `{}`)
		}
		d.do(actAnswer)
		require.Contains(t, d.plain(), "1 of 20  waits for you")
		requireExact(t, d.screen(), 80, 24)
		d.do(actAnswerText+actAnswerLater, actPolicies)
		require.Contains(t, d.plain(), "and 15 more")
		requireExact(t, d.screen(), 80, 24)
	})
}

// TestDelayedTicks: what a policy answers later has a clock, too.
func TestDelayedTicks(t *testing.T) {
	answeringAt(t, 120, 36, true, false, inRounds(`"a":{"method":"roots/list"}`), func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.NoError(t, d.session.SetPolicy(mcp.MethodRoots, session.Policy{Mode: session.PolicyCanned, Answer: []byte(`{"roots":[]}`), Delay: 5 * time.Minute}))
		done := d.call()
		time.Sleep(time.Minute)
		d.pull()
		time.Sleep(time.Minute)
		d.take(tick{})
		require.Equal(t, time.Second, d.pace())
		d.do(actAnswer)
		require.Contains(t, d.plain(), "its policy answers in 180 s")
		d.take(ctrlS)
		<-done
		d.pull()
		require.Empty(t, d.questions())
	})
}
