package send

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
)

// policyOf returns the policy of a method.
func (r *answerRoom) policyOf(method string) session.Policy {
	return r.session().Policies()[method]
}

var policyTests = map[string]answerTest{
	"policies": func(t *testing.T, r *answerRoom, x *uitest.Server) {
		uitest.Person(t, r.session())
		r.Do("policies")
		require.Regexp(t, `> elicitation/create +ask +you answer; the server waits`, r.Text())
		require.Regexp(t, `ping +answer +\{\}, at once`, r.Text())
		require.Contains(t, r.Text(), "Capabilities declared at start: none.")
		require.Contains(t, r.Text(), "! The next start declares: elicitation (form, url), roots (listChanged), sampling. ctrl+r restarts it.")
	},
	"policy-down": func(t *testing.T, r *answerRoom, x *uitest.Server) {
		r.Do("policies", "policy-down")
		require.Contains(t, r.Text(), "> sampling/createMessage")
	},
	"policy-up": func(t *testing.T, r *answerRoom, x *uitest.Server) {
		r.Do("policies", "policy-down", "policy-up", "policy-up")
		require.Contains(t, r.Text(), "> elicitation/create")
	},
	"policy-next-mode": func(t *testing.T, r *answerRoom, x *uitest.Server) {
		uitest.Person(t, r.session())
		r.Do("policies")
		var seen []session.PolicyMode
		for range session.PolicyModes() {
			r.Do("policy-next-mode")
			seen = append(seen, r.policyOf(mcp.MethodElicit).Mode)
		}
		require.Equal(t, []session.PolicyMode{session.PolicyCanned, session.PolicyDecline, session.PolicyRefuse, session.PolicyMalformed, session.PolicyAsk}, seen)
	},
	"policy-previous-mode": func(t *testing.T, r *answerRoom, x *uitest.Server) {
		r.Do("policies", "policy-previous-mode")
		require.Equal(t, session.PolicyDecline, r.policyOf(mcp.MethodElicit).Mode)
		require.Contains(t, r.Text(), "action decline")
	},
	"policy-later": func(t *testing.T, r *answerRoom, x *uitest.Server) {
		r.Do("policies", "policy-later", "policy-later", "policy-later")
		require.Equal(t, 5*time.Second, r.policyOf(mcp.MethodElicit).Delay)
		require.Regexp(t, `refuse +after 5s +error -32601`, r.Text())
		x.Latest().Out(`{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":%s}`, uitest.AskName)
		r.Pull()
		time.Sleep(2 * time.Second)
		r.Pull()
		require.Contains(t, r.Text(), "elicitation/create  its rule answers in 3 s")
		r.Do("close-policies", host.ActAnswer)
		require.Contains(t, r.Text(), "its rule answers in 3 s")
		time.Sleep(4 * time.Second)
		r.Pull()
		require.Empty(t, r.Opened)
		require.Contains(t, r.Said(), "x elicitation/create: answered by its rule")
	},
	"policy-sooner": func(t *testing.T, r *answerRoom, x *uitest.Server) {
		r.Do("policies", "policy-later", "policy-later", "policy-sooner")
		require.Equal(t, time.Second, r.policyOf(mcp.MethodElicit).Delay)
		r.Do("policy-sooner", "policy-sooner")
		require.Zero(t, r.policyOf(mcp.MethodElicit).Delay)
	},
	"policy-edit": func(t *testing.T, r *answerRoom, x *uitest.Server) {
		r.Do("policies", "policy-edit")
		require.Contains(t, r.Text(), "Canned response to elicitation/create")
		r.writeJSON(`{"action":"cancel"}`)
		r.send()
		require.Equal(t, session.Policy{Mode: session.PolicyCanned, Answer: []byte(`{"action":"cancel"}`)}, r.policyOf(mcp.MethodElicit))
		require.Regexp(t, `> elicitation/create +canned +\{"action":"cancel"\}`, r.Text())

		r.Do("policy-down", "policy-down", "policy-edit")
		k := r.answering()
		require.NoError(t, k.Form().SetJSON([]byte(`{"roots":[{"uri":"http://x"}]}`)))
		r.send()
		require.Contains(t, r.Said(), "x not sent, ctrl+s again to send anyway: /roots/0/uri: does not match ^file://")
		require.NoError(t, k.Form().SetJSON([]byte(`{"roots":[{"uri":"file:///x"}]}`)))
		r.send()
		require.Equal(t, `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, r.Last())
		x.Latest().Out(`{"jsonrpc":"2.0","id":3,"method":"roots/list"}`)
		require.Equal(t, answeredLine(3, `{"roots":[{"uri":"file:///x"}]}`), r.Last())
	},
	"policy-last-answer": func(t *testing.T, r *answerRoom, x *uitest.Server) {
		r.Do("policies", "policy-last-answer")
		require.Contains(t, r.Said(), "x no response to elicitation/create yet")
		r.Do("close-policies")
		r.open(x, mcp.MethodElicit, uitest.AskName)
		r.Write("Ada")
		r.send()
		r.Do("policies", "policy-last-answer")
		require.JSONEq(t, `{"action":"accept","content":{"name":"Ada","cups":2}}`, string(r.policyOf(mcp.MethodElicit).Answer))
	},
	"policy-restart": func(t *testing.T, r *answerRoom, x *uitest.Server) {
		r.Do("policies", "policy-next-mode", "policy-next-mode", "policy-restart")
		require.Equal(t, []string{host.ActRestart}, r.Done)
		require.NoError(t, r.session().Restart(t.Context()))
		r.Pull()
		require.Contains(t, r.Text(), "Capabilities declared at start: elicitation (form, url).")
	},
	"policy-answer": func(t *testing.T, r *answerRoom, x *uitest.Server) {
		r.asked(x, 0, mcp.MethodRoots, `{}`)
		r.Do("policies")
		require.Contains(t, r.Text(), "roots/list  waiting 0 s")
		r.Do("policy-answer")
		require.Contains(t, r.Text(), "asks for roots (folders)")
	},
	"close-policies": func(t *testing.T, r *answerRoom, x *uitest.Server) {
		r.Do("policies")
		r.Press(tea.KeyPressMsg{Code: 'q', Text: "q"})
		require.Empty(t, r.Opened)
	},
}

// TestCannedIsKept checks that a canned answer and its delay return with the
// canned mode, and that mode ask has no delay.
func TestCannedIsKept(t *testing.T) {
	answeringAt(t, 120, 36, false, nil, func(t *testing.T, r *answerRoom, x *uitest.Server) {
		require.NoError(t, r.session().SetPolicy(mcp.MethodElicit, session.Policy{Mode: session.PolicyCanned, Answer: []byte(`{"action":"cancel"}`)}))
		r.Do("policies", "policy-later")
		require.Equal(t, time.Second, r.policyOf(mcp.MethodElicit).Delay)
		r.Do("policy-previous-mode")
		require.Equal(t, session.Policy{Mode: session.PolicyAsk}, r.policyOf(mcp.MethodElicit))
		r.Do("policy-later")
		require.Contains(t, r.Said(), "x mode ask has no delay")
		r.Do("policy-next-mode")
		require.Equal(t, session.Policy{Mode: session.PolicyCanned, Answer: []byte(`{"action":"cancel"}`)}, r.policyOf(mcp.MethodElicit))
	})
}

// TestRootsAreTold checks that a server is notified of changed roots only if it
// supports that and the roots differ.
func TestRootsAreTold(t *testing.T) {
	for name, modern := range map[string]bool{"legacy": false, "modern": true} {
		t.Run(name, func(t *testing.T) {
			answeringAt(t, 120, 36, modern, nil, func(t *testing.T, r *answerRoom, x *uitest.Server) {
				r.Do("policies", "policy-down", "policy-down", "policy-edit", "answer-view")
				r.writeJSON(`{"roots":[]}`)
				r.send()
				require.JSONEq(t, `{"roots":[]}`, string(r.policyOf(mcp.MethodRoots).Answer))
				told := r.Last() == `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`
				require.Equal(t, !modern, told)
				sent := r.Context().Workspace.Shown.Source.Stats().Out
				r.Do("policy-edit", "answer-view")
				r.writeJSON(`{"roots": []}`)
				r.send()
				require.Equal(t, ScopePolicies, r.Context().View.Scope(), "the response was accepted")
				require.Equal(t, sent, r.Context().Workspace.Shown.Source.Stats().Out, "the roots have not changed")
			})
		})
	}
}

// TestRootsAreRemembered checks that the last response to a request for roots is
// suggested for the next one.
func TestRootsAreRemembered(t *testing.T) {
	answeringAt(t, 120, 36, false, nil, func(t *testing.T, r *answerRoom, x *uitest.Server) {
		k := r.open(x, mcp.MethodRoots, `{}`)
		require.NoError(t, k.Form().SetJSON([]byte(`{"roots":[{"uri":"file:///x"}]}`)))
		r.send()
		r.asked(x, 1, mcp.MethodRoots, `{}`)
		r.Do(host.ActAnswer)
		require.JSONEq(t, `{"roots":[{"uri":"file:///x"}]}`, answerValue(t, r.answering()), "remembered for the session")
	})
}

// TestPolicyFrames shows the policies, the changes that a restart would make, and
// pending requests.
func TestPolicyFrames(t *testing.T) {
	for name, size := range map[string][2]int{"120x36": {120, 36}, "80x24": {80, 24}, "60x20": {60, 20}} {
		answeringAt(t, size[0], size[1], false, nil, func(t *testing.T, r *answerRoom, x *uitest.Server) {
			if size[0] != 60 {
				r.Colours()
			}
			canned := `{"role":"assistant","content":{"type":"text","text":""},"model":"mcpdbg","stopReason":"endTurn"}`
			require.NoError(t, r.session().SetPolicy(mcp.MethodSample, session.Policy{Mode: session.PolicyCanned, Answer: []byte(canned)}))
			require.NoError(t, r.session().SetPolicy(mcp.MethodRoots, session.Policy{}))
			r.asked(x, 0, mcp.MethodElicit, uitest.AskName)
			r.Do("policies", "policy-down", "policy-later")
			r.asked(x, 1, mcp.MethodSample, uitest.AskModel)
			frame := r.Frame()
			uitest.RequireExact(t, frame, size[0], size[1])
			uitest.Golden(t, "policies-"+name, frame)
		})
	}
}
