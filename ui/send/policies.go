package send

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
)

// The actions on policies, which define how server requests are answered.
const (
	actPolicies       = "policies"
	actPolicyNext     = "policy-next-mode"
	actPolicyPrevious = "policy-previous-mode"
	actPolicyLater    = "policy-later"
	actPolicySooner   = "policy-sooner"
	actPolicyEdit     = "policy-edit"
	actPolicyLast     = "policy-last-answer"
	actPolicyRestart  = "policy-restart"
	actPolicyAnswer   = "policy-answer"
)

var policyDelays = []time.Duration{0, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute}

func policyActions(of func(host.Context) *Requests) []host.Action {
	in := func(id, title, help string, priority int, do func(host.Context, *policyView) tea.Cmd, keys ...string) host.Action {
		return host.Action{Entry: host.Entry{ID: id, Keys: keys, Scope: ScopePolicies, Title: title, Help: help, Priority: priority}, Do: host.On(do)}
	}
	mode := func(by int) func(host.Context, *policyView) tea.Cmd {
		return func(c host.Context, p *policyView) tea.Cmd { return p.changeMode(c, by) }
	}
	delay := func(by int) func(host.Context, *policyView) tea.Cmd {
		return func(c host.Context, p *policyView) tea.Cmd { return p.changeDelay(c, by) }
	}
	next := in(actPolicyNext, "mode", "Select the next mode: ask, canned, decline, refuse, malformed.", 80, mode(1), "right", "l", "space")
	next.Hint = key.Help{Key: "left/right", Desc: "mode"}
	later := in(actPolicyLater, "later", "Increase the delay before the response, to see what the server does meanwhile; mode ask has no delay.", 60, delay(1), "+", "=")
	later.Hint = key.Help{Key: "+/-", Desc: "delay"}
	restart := in(actPolicyRestart, "restart", "Restart the server to declare the new client capabilities.", 55, func(c host.Context, _ *policyView) tea.Cmd { return c.Host.Do(c.Workspace, host.ActRestart, "") }, "ctrl+r")
	restart.Asks, restart.Enabled = "while a call is pending", hasStarted
	answer := in(actPolicyAnswer, "answer now", "Answer a pending server request, including one that its rule delays.", 85, func(c host.Context, _ *policyView) tea.Cmd { return openOldest(c, of) }, "A")
	answer.Enabled = canAnswer
	return []host.Action{
		{Entry: host.Entry{ID: actPolicies, Scope: keymap.Global, Title: "policies", Synonyms: []string{"responses", "rules", "canned", "policy", "elicitation", "sampling", "roots"}, Help: "Choose for each server request (elicitation, sampling, roots, ping): answer it yourself, or send a canned response, a refusal or a malformed response, each with an optional delay.", Enabled: hasServer}, Do: func(c host.Context) tea.Cmd { return openPolicies(c, of) }},
		next, later,
		host.Override(host.Entry{Name: kit.Down, ID: "policy-down", Scope: ScopePolicies, Help: "Go to the next method.", Priority: 50, Hint: key.Help{Key: "j/k", Desc: "method"}}),
		restart, answer,
		host.Override(host.Entry{Name: kit.Up, ID: "policy-up", Scope: ScopePolicies, Help: "Go to the previous method."}),
		in(actPolicyPrevious, "previous mode", "Select the previous mode.", 0, mode(-1), "left", "h"),
		in(actPolicySooner, "sooner", "Decrease the delay.", 0, delay(-1), "-"),
		in(actPolicyEdit, "edit response", "Edit the canned response.", 75, editCanned, "enter", "e"),
		in(actPolicyLast, "use last response", "Use the last response to this method as its canned response.", 70, useLast, "u"),
		host.Override(host.Entry{Name: host.CloseName, ID: "close-policies", Scope: ScopePolicies, Keys: []string{"esc", "q"}, Help: "Close the policies.", Priority: 90}),
	}
}

func openPolicies(c host.Context, of func(host.Context) *Requests) tea.Cmd {
	c.Host.Open(c.Workspace, &policyView{state: of(c)})
	return nil
}

func hasServer(c host.Context) (bool, string) {
	return c.Workspace.Session != nil, host.NoServer(c)
}

func hasStarted(c host.Context) (bool, string) {
	return !c.Workspace.Starting, "the server is starting"
}

type policyView struct {
	state *Requests
	at    int // the method under the cursor
	block paint.Lines
}

func (p *policyView) Scope() string { return ScopePolicies }

func (p *policyView) Move(c host.Context, way string) tea.Cmd {
	by, _ := kit.LinesOf(way, 1)
	p.at = kit.Between(0, p.at+by, len(p.methods(c))-1)
	return nil
}

func (p *policyView) Update(host.Context, tea.Msg) tea.Cmd { return nil }

// methods returns the methods that have a policy, the known ones first.
func (p *policyView) methods(c host.Context) []string {
	known := session.ServerRequestMethods()
	all := c.Workspace.Session.Policies()
	for _, method := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(known, method) {
			known = append(known, method)
		}
	}
	p.at = kit.Between(0, p.at, len(known)-1)
	return known
}

func (p *policyView) current(c host.Context) (string, session.Policy) {
	method := p.methods(c)[p.at]
	return method, c.Workspace.Session.Policies()[method]
}

func (p *policyView) changeMode(c host.Context, by int) tea.Cmd {
	method, policy := p.current(c)
	modes := session.PolicyModes()
	n := len(modes)
	policy.Mode = modes[(slices.Index(modes, policy.Mode)+by+n)%n]
	if policy.Mode == session.PolicyCanned {
		policy.Answer = p.state.cannedFor(c, method)
	}
	return p.state.setPolicy(c, method, policy)
}

func (p *policyView) changeDelay(c host.Context, by int) tea.Cmd {
	method, policy := p.current(c)
	if policy.Mode == session.PolicyAsk {
		c.Host.Warn("mode ask has no delay: you answer when you are ready")
		return nil
	}
	at := 0
	for i, d := range policyDelays {
		if d <= policy.Delay {
			at = i
		}
	}
	policy.Delay = policyDelays[kit.Between(0, at+by, len(policyDelays)-1)]
	return p.state.setPolicy(c, method, policy)
}

func useLast(c host.Context, p *policyView) tea.Cmd {
	method, _ := p.current(c)
	last := p.state.sent[method]
	if last == nil {
		c.Host.Warn("no response to " + method + " yet")
		return nil
	}
	return p.state.setCanned(c, method, last)
}

func editCanned(c host.Context, p *policyView) tea.Cmd {
	method, _ := p.current(c)
	response := p.state.cannedFor(c, method)
	v := &answerView{state: p.state, method: method}
	kind := anyRequest(method, nil)
	switch method {
	case mcp.MethodRoots:
		kind = rootsRequest(response, "")
	case mcp.MethodSample:
		kind = samplingRequest(json.RawMessage(emptyObject))
		kind.write = nil
		kind.value, _ = kind.unwrap(response)
	}
	v.begin(c, kind)
	if v.kind.unwrap != nil {
		if _, ok := v.kind.unwrap(response); !ok {
			v.asText = true
		}
	}
	if v.asText {
		v.json.SetValue(spreadJSON(response))
		v.focus()
	}
	c.Host.Open(c.Workspace, v)
	return nil
}

// The canned response, else the last one sent, else a template. A canned response is kept
// while another mode is selected.
func (s *Requests) cannedFor(c host.Context, method string) json.RawMessage {
	if response := c.Workspace.Session.Policies()[method].Answer; response != nil {
		return response
	}
	if response := s.canned[method]; response != nil {
		return response
	}
	if response := s.sent[method]; response != nil {
		return response
	}
	switch method {
	case mcp.MethodElicit:
		return json.RawMessage(declined)
	case mcp.MethodSample:
		return json.RawMessage(`{"role":"assistant","content":{"type":"text","text":""},"model":"mcpdbg","stopReason":"endTurn"}`)
	case mcp.MethodRoots:
		return json.RawMessage(`{"roots":[]}`)
	}
	return json.RawMessage(emptyObject)
}

func (s *Requests) setCanned(c host.Context, method string, response json.RawMessage) tea.Cmd {
	return s.setPolicy(c, method, session.Policy{Mode: session.PolicyCanned, Answer: response, Delay: c.Workspace.Session.Policies()[method].Delay})
}

// The canned response is kept for later. If the roots of a running server change, the
// user is asked whether to notify the server.
func (s *Requests) setPolicy(c host.Context, method string, p session.Policy) tea.Cmd {
	if p.Mode == session.PolicyAsk {
		p.Delay = 0
	}
	before := c.Workspace.Session.Policies()[method]
	if err := c.Workspace.Session.SetPolicy(method, p); err != nil {
		c.Host.Warn(err.Error())
		return nil
	}
	if before.Mode == session.PolicyCanned {
		s.canned[method] = before.Answer
	}
	after := c.Workspace.Session.Policies()[method]
	if after.Mode == session.PolicyCanned {
		s.canned[method] = after.Answer
	}
	running, _ := host.CanSend(c)
	if method == mcp.MethodRoots && after.Mode == session.PolicyCanned && string(before.Answer) != string(after.Answer) && running && c.Workspace.Status.Server.Era != mcp.Modern {
		return tea.Batch(notifyRoots(c), c.Panes().Refresh())
	}
	return c.Panes().Refresh()
}

func notifyRoots(c host.Context) tea.Cmd {
	s, ctx := c.Workspace.Session, c.Host.Lifetime()
	return func() tea.Msg {
		return host.Result{What: mcp.MethodRootsChanged, Err: s.Notify(ctx, mcp.MethodRootsChanged, nil), Text: "Server notified"}
	}
}

func policyText(method string, p session.Policy) string {
	switch p.Mode {
	case session.PolicyAsk:
		return "you answer; the server waits"
	case session.PolicyCanned:
		return string(p.Answer)
	case session.PolicyDecline:
		switch method {
		case mcp.MethodElicit:
			return "action decline"
		case mcp.MethodSample:
			return "error -1, rejected by the user"
		}
		return "error -32601"
	case session.PolicyMalformed:
		return "a string as the result, to test the server"
	}
	if method == mcp.MethodPing {
		return "{}, at once"
	}
	return "error -32601"
}

// "" for none.
func delayText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("after %v", d)
}
