package ui

import (
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// policyOf is what becomes of a method.
func (d *driver) policyOf(method string) session.Policy { return d.session.Policies()[method] }

var policyTests = map[string]actionTest{
	actPolicies: func(t *testing.T, d *driver, _ *fakeExecutor) {
		person(t, d.session)
		d.do(actPolicies)
		require.Regexp(t, `> elicitation/create +ask +you answer; the server waits`, d.plain())
		require.Regexp(t, `ping +answer +\{\}, at once`, d.plain())
		require.Contains(t, d.plain(), "The server was told at its start: no capabilities.")
		require.Contains(t, d.plain(), "! The next start tells it: elicitation (form, url), roots (listChanged), sampling. ctrl+r restarts it.")
	},
	actPolicyDown: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actPolicies, actPolicyDown)
		require.Contains(t, d.plain(), "> sampling/createMessage")
	},
	actPolicyUp: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actPolicies, actPolicyDown, actPolicyUp, actPolicyUp)
		require.Contains(t, d.plain(), "> elicitation/create")
	},
	actPolicyNext: func(t *testing.T, d *driver, _ *fakeExecutor) {
		person(t, d.session)
		d.do(actPolicies)
		var seen []session.PolicyMode
		for range session.PolicyModes() {
			d.do(actPolicyNext)
			seen = append(seen, d.policyOf(mcp.MethodElicit).Mode)
		}
		require.Equal(t, []session.PolicyMode{session.PolicyCanned, session.PolicyDecline, session.PolicyRefuse, session.PolicyMalformed, session.PolicyAsk}, seen)
	},
	actPolicyPrevious: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actPolicies, actPolicyPrevious)
		require.Equal(t, session.PolicyDecline, d.policyOf(mcp.MethodElicit).Mode)
		require.Contains(t, d.plain(), "action decline")
	},
	actPolicyLater: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actPolicies, actPolicyLater, actPolicyLater, actPolicyLater)
		require.Equal(t, 5*time.Second, d.policyOf(mcp.MethodElicit).Delay)
		require.Regexp(t, `refuse +after 5s +error -32601`, d.plain())
		x.latest().out(`{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":%s}`, askName)
		synctest.Wait()
		d.pull()
		time.Sleep(2 * time.Second)
		d.take(tick{})
		require.Contains(t, d.plain(), "elicitation/create  its policy answers in 3 s")
		d.do(actPolicyClose, actAnswer)
		require.Contains(t, d.plain(), "its policy answers in 3 s")
		time.Sleep(4 * time.Second)
		synctest.Wait()
		d.pull()
		require.Nil(t, d.top())
		require.Contains(t, d.rows()[35], "x elicitation/create: its policy has answered")
	},
	actPolicySooner: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actPolicies, actPolicyLater, actPolicyLater, actPolicySooner)
		require.Equal(t, time.Second, d.policyOf(mcp.MethodElicit).Delay)
		d.do(actPolicySooner, actPolicySooner)
		require.Zero(t, d.policyOf(mcp.MethodElicit).Delay)
	},
	actPolicyEdit: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actPolicies, actPolicyEdit)
		require.Contains(t, d.plain(), "What to answer to elicitation/create")
		d.answering().json.SetValue(`{"action":"cancel"}`)
		d.take(ctrlS)
		require.Equal(t, session.Policy{Mode: session.PolicyCanned, Answer: []byte(`{"action":"cancel"}`)}, d.policyOf(mcp.MethodElicit))
		require.Regexp(t, `> elicitation/create +canned +\{"action":"cancel"\}`, d.plain())

		d.do(actPolicyDown, actPolicyDown, actPolicyEdit)
		k := d.answering()
		require.NoError(t, k.form.SetJSON([]byte(`{"roots":[{"uri":"http://x"}]}`)))
		d.take(ctrlS)
		require.Contains(t, d.rows()[35], "x not sent, ctrl+s again sends it: /roots/0/uri: does not match ^file://")
		require.NoError(t, k.form.SetJSON([]byte(`{"roots":[{"uri":"file:///x"}]}`)))
		d.take(ctrlS)
		require.Contains(t, d.plain(), "Tell the server that the roots have changed?")
		d.do(actYes)
		require.Equal(t, `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, d.last())
		x.latest().out(`{"jsonrpc":"2.0","id":3,"method":"roots/list"}`)
		require.Equal(t, answered(3, `{"roots":[{"uri":"file:///x"}]}`), d.last())
	},
	actPolicyLast: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actPolicies, actPolicyLast)
		require.Contains(t, d.rows()[35], "x nothing was answered to elicitation/create yet")
		d.do(actPolicyClose)
		d.opened(x, mcp.MethodElicit, askName)
		d.write("Ada")
		d.take(ctrlS)
		d.do(actPolicies, actPolicyLast)
		require.JSONEq(t, `{"action":"accept","content":{"name":"Ada","cups":2}}`, string(d.policyOf(mcp.MethodElicit).Answer))
	},
	actPolicyRestart: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actPolicies, actPolicyNext, actPolicyNext, actPolicyRestart)
		require.Contains(t, d.plain(), "Restart the server?")
		d.do(actYes)
		d.pull()
		require.Contains(t, d.plain(), "The server was told at its start: elicitation (form, url).")
	},
	actPolicyAnswer: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.asked(x, 0, mcp.MethodRoots, `{}`)
		d.do(actPolicies)
		require.Contains(t, d.plain(), "roots/list  waits for you 0 s")
		d.do(actPolicyAnswer)
		require.Equal(t, mcp.MethodRoots, d.answering().method)
	},
	actPolicyClose: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actPolicies)
		d.take(tea.KeyPressMsg{Code: 'q', Text: "q"})
		require.Nil(t, d.top())
		require.False(t, d.quit)
	},
}

// TestCannedIsKept: a canned answer is there again when the mode comes back to
// it, and so is its delay, but for a person.
func TestCannedIsKept(t *testing.T) {
	answeringAt(t, 120, 36, false, false, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.setCanned(mcp.MethodElicit, []byte(`{"action":"cancel"}`))
		d.do(actPolicies, actPolicyLater)
		require.Equal(t, time.Second, d.policyOf(mcp.MethodElicit).Delay)
		d.do(actPolicyPrevious)
		require.Equal(t, session.Policy{Mode: session.PolicyAsk}, d.policyOf(mcp.MethodElicit))
		d.do(actPolicyLater)
		require.Contains(t, d.rows()[35], "x you answer when you like")
		d.do(actPolicyNext)
		require.Equal(t, session.Policy{Mode: session.PolicyCanned, Answer: []byte(`{"action":"cancel"}`)}, d.policyOf(mcp.MethodElicit))
	})
}

// TestRootsAreTold: a server is told of other roots only where it can be, and
// where there are others.
func TestRootsAreTold(t *testing.T) {
	for name, modern := range map[string]bool{"legacy": false, "modern": true} {
		t.Run(name, func(t *testing.T) {
			answeringAt(t, 120, 36, modern, false, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
				d.setCanned(mcp.MethodRoots, []byte(`{"roots":[]}`))
				require.Equal(t, modern, d.dialog == nil)
				d.dialog = nil
				d.setCanned(mcp.MethodRoots, []byte(`{"roots": []}`))
				require.Nil(t, d.dialog, "they are the same")
			})
		})
	}
}

// TestRootsAreProposed: the folder that the server was started in at first, then
// what was answered last.
func TestRootsAreProposed(t *testing.T) {
	require.JSONEq(t, `{"roots":[]}`, string(rootsQuestion(nil, "").value))
	require.JSONEq(t, `{"roots":[{"uri":"file:///home/a%20b","name":"a b"}]}`, string(rootsQuestion(nil, "/home/a b").value))
	require.JSONEq(t, `{"roots":[]}`, string(rootsQuestion([]byte(`{"roots":[]}`), "/home").value))
	require.Contains(t, string(rootsQuestion([]byte(`{"error":{}}`), "/home").value), "file:///home")
	answeringAt(t, 120, 36, false, false, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		k := d.opened(x, mcp.MethodRoots, `{}`)
		require.NoError(t, k.form.SetJSON([]byte(`{"roots":[{"uri":"file:///x"}]}`)))
		d.take(ctrlS)
		d.asked(x, 1, mcp.MethodRoots, `{}`)
		d.do(actAnswer)
		require.JSONEq(t, `{"roots":[{"uri":"file:///x"}]}`, value(t, d.answering()), "remembered for the session")
	})
}

// TestPolicyFrames shows who answers, with what a restart would change and what
// waits.
func TestPolicyFrames(t *testing.T) {
	for name, size := range map[string][2]int{"120x36": {120, 36}, "80x24": {80, 24}, "60x20": {60, 20}} {
		answeringAt(t, size[0], size[1], false, size[0] == 60, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			d.setCanned(mcp.MethodSample, d.cannedFor(mcp.MethodSample))
			require.NoError(t, d.session.SetPolicy(mcp.MethodRoots, session.Policy{}))
			d.asked(x, 0, mcp.MethodElicit, askName)
			d.do(actPolicies, actPolicyDown, actPolicyLater)
			d.asked(x, 1, mcp.MethodSample, askModel)
			frame := d.screen()
			requireExact(t, frame, size[0], size[1])
			golden(t, "policies-"+name, frame)
		})
	}
}
