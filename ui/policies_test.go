package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"mcpdbg/ui/uitest"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/requests"
)

// policyOf returns the policy of a method.
func (d *driver) policyOf(method string) session.Policy {
	return d.visible.ws.Session.Policies()[method]
}

var policyTests = map[string]actionTest{
	"policies": func(t *testing.T, d *driver, _ *fakeExecutor) {
		person(t, d.visible.ws.Session)
		d.do("policies")
		require.Regexp(t, `> elicitation/create +ask +you answer; the server waits`, d.plain())
		require.Regexp(t, `ping +answer +\{\}, at once`, d.plain())
		require.Contains(t, d.plain(), "Capabilities declared at start: none.")
		require.Contains(t, d.plain(), "! The next start declares: elicitation (form, url), roots (listChanged), sampling. ctrl+r restarts it.")
	},
	"policy-down": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("policies", "policy-down")
		require.Contains(t, d.plain(), "> sampling/createMessage")
	},
	"policy-up": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("policies", "policy-down", "policy-up", "policy-up")
		require.Contains(t, d.plain(), "> elicitation/create")
	},
	"policy-next-mode": func(t *testing.T, d *driver, _ *fakeExecutor) {
		person(t, d.visible.ws.Session)
		d.do("policies")
		var seen []session.PolicyMode
		for range session.PolicyModes() {
			d.do("policy-next-mode")
			seen = append(seen, d.policyOf(mcp.MethodElicit).Mode)
		}
		require.Equal(t, []session.PolicyMode{session.PolicyCanned, session.PolicyDecline, session.PolicyRefuse, session.PolicyMalformed, session.PolicyAsk}, seen)
	},
	"policy-previous-mode": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("policies", "policy-previous-mode")
		require.Equal(t, session.PolicyDecline, d.policyOf(mcp.MethodElicit).Mode)
		require.Contains(t, d.plain(), "action decline")
	},
	"policy-later": func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do("policies", "policy-later", "policy-later", "policy-later")
		require.Equal(t, 5*time.Second, d.policyOf(mcp.MethodElicit).Delay)
		require.Regexp(t, `refuse +after 5s +error -32601`, d.plain())
		x.latest().out(`{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":%s}`, askName)
		synctest.Wait()
		d.pull()
		time.Sleep(2 * time.Second)
		d.take(tick{})
		require.Contains(t, d.plain(), "elicitation/create  its policy responds in 3 s")
		d.do("close-policies", host.ActAnswer)
		require.Contains(t, d.plain(), "its policy responds in 3 s")
		time.Sleep(4 * time.Second)
		synctest.Wait()
		d.pull()
		require.Nil(t, d.front.top())
		require.Contains(t, d.rows()[35], "x elicitation/create: answered by its policy")
	},
	"policy-sooner": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("policies", "policy-later", "policy-later", "policy-sooner")
		require.Equal(t, time.Second, d.policyOf(mcp.MethodElicit).Delay)
		d.do("policy-sooner", "policy-sooner")
		require.Zero(t, d.policyOf(mcp.MethodElicit).Delay)
	},
	"policy-edit": func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do("policies", "policy-edit")
		require.Contains(t, d.plain(), "Canned response to elicitation/create")
		d.writeJSON(`{"action":"cancel"}`)
		d.take(ctrlS)
		require.Equal(t, session.Policy{Mode: session.PolicyCanned, Answer: []byte(`{"action":"cancel"}`)}, d.policyOf(mcp.MethodElicit))
		require.Regexp(t, `> elicitation/create +canned +\{"action":"cancel"\}`, d.plain())

		d.do("policy-down", "policy-down", "policy-edit")
		k := d.answering()
		require.NoError(t, k.Form().SetJSON([]byte(`{"roots":[{"uri":"http://x"}]}`)))
		d.take(ctrlS)
		require.Contains(t, d.rows()[35], "x not sent, ctrl+s again to send anyway: /roots/0/uri: does not match ^file://")
		require.NoError(t, k.Form().SetJSON([]byte(`{"roots":[{"uri":"file:///x"}]}`)))
		d.take(ctrlS)
		require.Contains(t, d.plain(), "Notify the server that the roots have changed?")
		d.do(actYes)
		require.Equal(t, `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, d.last())
		x.latest().out(`{"jsonrpc":"2.0","id":3,"method":"roots/list"}`)
		require.Equal(t, answered(3, `{"roots":[{"uri":"file:///x"}]}`), d.last())
	},
	"policy-last-answer": func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do("policies", "policy-last-answer")
		require.Contains(t, d.rows()[35], "x no response to elicitation/create yet")
		d.do("close-policies")
		d.opened(x, mcp.MethodElicit, askName)
		d.write("Ada")
		d.take(ctrlS)
		d.do("policies", "policy-last-answer")
		require.JSONEq(t, `{"action":"accept","content":{"name":"Ada","cups":2}}`, string(d.policyOf(mcp.MethodElicit).Answer))
	},
	"policy-restart": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("policies", "policy-next-mode", "policy-next-mode", "policy-restart")
		require.Contains(t, d.plain(), "Restart the server?")
		d.do(actYes)
		d.pull()
		require.Contains(t, d.plain(), "Capabilities declared at start: elicitation (form, url).")
	},
	"policy-answer": func(t *testing.T, d *driver, x *fakeExecutor) {
		d.asked(x, 0, mcp.MethodRoots, `{}`)
		d.do("policies")
		require.Contains(t, d.plain(), "roots/list  waiting 0 s")
		d.do("policy-answer")
		require.Contains(t, d.plain(), "The server asks for roots (folders)")
	},
	"close-policies": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("policies")
		d.take(tea.KeyPressMsg{Code: 'q', Text: "q"})
		require.Nil(t, d.front.top())
		require.False(t, d.quit)
	},
}

// TestCannedIsKept checks that a canned answer and its delay return with the
// canned mode, and that mode ask has no delay.
func TestCannedIsKept(t *testing.T) {
	answeringAt(t, 120, 36, false, false, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.NoError(t, d.visible.ws.Session.SetPolicy(mcp.MethodElicit, session.Policy{Mode: session.PolicyCanned, Answer: []byte(`{"action":"cancel"}`)}))
		d.do("policies", "policy-later")
		require.Equal(t, time.Second, d.policyOf(mcp.MethodElicit).Delay)
		d.do("policy-previous-mode")
		require.Equal(t, session.Policy{Mode: session.PolicyAsk}, d.policyOf(mcp.MethodElicit))
		d.do("policy-later")
		require.Contains(t, d.rows()[35], "x mode ask has no delay")
		d.do("policy-next-mode")
		require.Equal(t, session.Policy{Mode: session.PolicyCanned, Answer: []byte(`{"action":"cancel"}`)}, d.policyOf(mcp.MethodElicit))
	})
}

// TestRootsAreTold checks that a server is notified of changed roots only if it
// supports that and the roots differ.
func TestRootsAreTold(t *testing.T) {
	for name, modern := range map[string]bool{"legacy": false, "modern": true} {
		t.Run(name, func(t *testing.T) {
			answeringAt(t, 120, 36, modern, false, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
				d.do("policies", "policy-down", "policy-down", "policy-edit", "answer-view")
				d.writeJSON(`{"roots":[]}`)
				d.take(ctrlS)
				require.JSONEq(t, `{"roots":[]}`, string(d.policyOf(mcp.MethodRoots).Answer))
				require.Equal(t, modern, d.front.dialog == nil)
				d.front.dialog = nil
				d.do("policy-edit", "answer-view")
				d.writeJSON(`{"roots": []}`)
				d.take(ctrlS)
				require.Equal(t, requests.ScopePolicies, d.visible.scope(), "the response was accepted")
				require.Nil(t, d.front.dialog, "the roots have not changed")
			})
		})
	}
}

// TestRootsAreRemembered checks that the last response to a request for roots is
// suggested for the next one.
func TestRootsAreRemembered(t *testing.T) {
	answeringAt(t, 120, 36, false, false, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		k := d.opened(x, mcp.MethodRoots, `{}`)
		require.NoError(t, k.Form().SetJSON([]byte(`{"roots":[{"uri":"file:///x"}]}`)))
		d.take(ctrlS)
		d.asked(x, 1, mcp.MethodRoots, `{}`)
		d.do(host.ActAnswer)
		require.JSONEq(t, `{"roots":[{"uri":"file:///x"}]}`, value(t, d.answering()), "remembered for the session")
	})
}

// TestPolicyFrames shows the policies, the changes that a restart would make, and
// pending requests.
func TestPolicyFrames(t *testing.T) {
	for name, size := range map[string][2]int{"120x36": {120, 36}, "80x24": {80, 24}, "60x20": {60, 20}} {
		answeringAt(t, size[0], size[1], false, size[0] == 60, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			canned := `{"role":"assistant","content":{"type":"text","text":""},"model":"mcpdbg","stopReason":"endTurn"}`
			require.NoError(t, d.visible.ws.Session.SetPolicy(mcp.MethodSample, session.Policy{Mode: session.PolicyCanned, Answer: []byte(canned)}))
			require.NoError(t, d.visible.ws.Session.SetPolicy(mcp.MethodRoots, session.Policy{}))
			d.asked(x, 0, mcp.MethodElicit, askName)
			d.do("policies", "policy-down", "policy-later")
			d.asked(x, 1, mcp.MethodSample, askModel)
			frame := d.content()
			requireExact(t, frame, size[0], size[1])
			uitest.Golden(t, "policies-"+name, frame)
		})
	}
}
