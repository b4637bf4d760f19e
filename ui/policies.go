package ui

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/keymap"
	"mcpdbg/ui/paint"
)

// The actions of the policies: what becomes of what a server asks.
const (
	actPolicies       = "policies"
	actPolicyDown     = "policy-down"
	actPolicyUp       = "policy-up"
	actPolicyNext     = "policy-next-mode"
	actPolicyPrevious = "policy-previous-mode"
	actPolicyLater    = "policy-later"
	actPolicySooner   = "policy-sooner"
	actPolicyEdit     = "policy-edit"
	actPolicyLast     = "policy-last-answer"
	actPolicyRestart  = "policy-restart"
	actPolicyAnswer   = "policy-answer"
	actPolicyClose    = "close-policies"
)

const scopePolicies = "policies"

const methodRootsChanged = "notifications/roots/list_changed"

// policyDelays are the delays that an answer without a person can have.
var policyDelays = []time.Duration{0, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute}

func policyActions() []action {
	in := func(id, title, help string, priority int, do func(*App, *policyPane) tea.Cmd, keys ...string) action {
		return action{entry{ID: id, Keys: keys, Scope: scopePolicies, Title: title, Help: help, Priority: priority}, on(do)}
	}
	move := func(by int) func(*App, *policyPane) tea.Cmd {
		return func(a *App, p *policyPane) tea.Cmd {
			p.at = between(0, p.at+by, len(p.methods(a))-1)
			return nil
		}
	}
	mode := func(by int) func(*App, *policyPane) tea.Cmd {
		return func(a *App, p *policyPane) tea.Cmd { return p.turnMode(a, by) }
	}
	delay := func(by int) func(*App, *policyPane) tea.Cmd {
		return func(a *App, p *policyPane) tea.Cmd { return p.turnDelay(a, by) }
	}
	down := in(actPolicyDown, "down", "Go to the next method.", 50, move(1), "j", "down")
	down.Hint = keymap.Hint{Keys: "j/k", Title: "method"}
	next := in(actPolicyNext, "mode", "Take the next way to answer: ask, canned, decline, refuse, malformed.", 80, mode(1), "right", "l", "space")
	next.Hint = keymap.Hint{Keys: "left/right", Title: "who answers"}
	later := in(actPolicyLater, "later", "Answer later, to see what the server does meanwhile; a person has no such delay.", 60, delay(1), "+", "=")
	later.Hint = keymap.Hint{Keys: "+/-", Title: "delay"}
	restart := in(actPolicyRestart, "restart", "Restart the server, which is told then what the client can do.", 55, func(a *App, _ *policyPane) tea.Cmd { return a.restart() }, "ctrl+r")
	restart.Destructive, restart.Enabled = true, canRestart
	answer := in(actPolicyAnswer, "answer now", "Answer what waits, for you or for the delay of its policy.", 85, func(a *App, _ *policyPane) tea.Cmd { return a.answer() }, "A")
	answer.Enabled = waitsForAnswer
	return []action{
		{entry{ID: actPolicies, Keys: []string{"w"}, Scope: keymap.Global, Title: "who answers", Help: "Choose what becomes of what the server asks (elicitation, sampling, roots, ping): you answer, or a canned answer, a refusal, one that is wrong on purpose, each with a delay.", Priority: 5, Enabled: hasServer}, nothing((*App).openPolicies)},
		next, later, down, restart, answer,
		in(actPolicyUp, "up", "Go to the method before.", 0, move(-1), "k", "up"),
		in(actPolicyPrevious, "previous mode", "Take the way to answer before.", 0, mode(-1), "left", "h"),
		in(actPolicySooner, "sooner", "Answer sooner.", 0, delay(-1), "-"),
		in(actPolicyEdit, "edit answer", "Write the canned answer.", 75, func(a *App, p *policyPane) tea.Cmd { return p.edit(a) }, "enter", "e"),
		in(actPolicyLast, "last answer", "Take the answer that was given last to this method for the canned one.", 70, func(a *App, p *policyPane) tea.Cmd { return p.takeLast(a) }, "u"),
		in(actPolicyClose, "close", "Close it.", 90, func(a *App, p *policyPane) tea.Cmd { a.remove(p); return nil }, "esc", "q", "w"),
	}
}

func hasServer(a *App) (bool, string) { return a.session != nil, noServer(a) }

// A policyPane is an overlay that shows who answers what a server asks.
type policyPane struct {
	at    int // the method under the cursor
	block paint.Lines
}

func (p *policyPane) scope() string { return scopePolicies }

func (p *policyPane) typed(*App, tea.Msg) tea.Cmd { return nil }

func (a *App) openPolicies() { a.push(&policyPane{}) }

// methods are those that have a policy: the known ones first.
func (p *policyPane) methods(a *App) []string {
	known := session.AskMethods()
	all := a.session.Policies()
	for _, method := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(known, method) {
			known = append(known, method)
		}
	}
	p.at = between(0, p.at, len(known)-1)
	return known
}

// current is the method under the cursor, with its policy.
func (p *policyPane) current(a *App) (string, session.Policy) {
	method := p.methods(a)[p.at]
	return method, a.session.Policies()[method]
}

// turnMode takes another mode, in a circle.
func (p *policyPane) turnMode(a *App, by int) tea.Cmd {
	method, policy := p.current(a)
	modes := session.PolicyModes()
	n := len(modes)
	policy.Mode = modes[(slices.Index(modes, policy.Mode)+by+n)%n]
	if policy.Mode == session.PolicyCanned {
		policy.Answer = a.cannedFor(method)
	}
	return a.setPolicy(method, policy)
}

// turnDelay takes a longer delay, or a shorter one.
func (p *policyPane) turnDelay(a *App, by int) tea.Cmd {
	method, policy := p.current(a)
	if policy.Mode == session.PolicyAsk {
		a.complain("you answer when you like: only other answers have a delay")
		return nil
	}
	at := 0
	for i, d := range policyDelays {
		if d <= policy.Delay {
			at = i
		}
	}
	policy.Delay = policyDelays[between(0, at+by, len(policyDelays)-1)]
	return a.setPolicy(method, policy)
}

// takeLast makes the answer that was given last the canned one.
func (p *policyPane) takeLast(a *App) tea.Cmd {
	method, _ := p.current(a)
	last := a.asks.given[method]
	if last == nil {
		a.complain("nothing was answered to " + method + " yet")
		return nil
	}
	return a.setCanned(method, last)
}

// edit opens the canned answer of the method under the cursor.
func (p *policyPane) edit(a *App) tea.Cmd {
	method, _ := p.current(a)
	answer := a.cannedFor(method)
	k := &answering{method: method}
	kind := anyQuestion(method, nil)
	switch method {
	case mcp.MethodRoots:
		kind = rootsQuestion(answer, "")
	case mcp.MethodSample:
		kind = sampleQuestion(json.RawMessage(answerEmpty))
		kind.words = nil
		kind.value, _ = kind.unwrap(answer)
	}
	k.begin(a, kind)
	if k.kind.unwrap != nil {
		if _, ok := k.kind.unwrap(answer); !ok {
			k.asText = true
		}
	}
	if k.asText {
		k.json.SetValue(spread(answer))
		k.focus()
	}
	a.push(k)
	return nil
}

// cannedFor is the answer that is canned for a method, else what was given last,
// else one to begin with. It is kept while the mode is another one.
func (a *App) cannedFor(method string) json.RawMessage {
	if answer := a.session.Policies()[method].Answer; answer != nil {
		return answer
	}
	if answer := a.asks.canned[method]; answer != nil {
		return answer
	}
	if answer := a.asks.given[method]; answer != nil {
		return answer
	}
	switch method {
	case mcp.MethodElicit:
		return json.RawMessage(answerDecline)
	case mcp.MethodSample:
		return json.RawMessage(`{"role":"assistant","content":{"type":"text","text":""},"model":"mcpdbg","stopReason":"endTurn"}`)
	case mcp.MethodRoots:
		return json.RawMessage(`{"roots":[]}`)
	}
	return json.RawMessage(answerEmpty)
}

// setCanned answers a method so from now on.
func (a *App) setCanned(method string, answer json.RawMessage) tea.Cmd {
	return a.setPolicy(method, session.Policy{Mode: session.PolicyCanned, Answer: answer, Delay: a.session.Policies()[method].Delay})
}

// setPolicy changes what becomes of a method. The canned answer is kept for when
// it is wanted again. A server that was told that roots change is told of it, if
// the person wants that.
func (a *App) setPolicy(method string, p session.Policy) tea.Cmd {
	if p.Mode == session.PolicyAsk {
		p.Delay = 0
	}
	before := a.session.Policies()[method]
	if err := a.session.SetPolicy(method, p); err != nil {
		a.complain(err.Error())
		return nil
	}
	if before.Mode == session.PolicyCanned {
		a.asks.canned[method] = before.Answer
	}
	after := a.session.Policies()[method]
	if after.Mode == session.PolicyCanned {
		a.asks.canned[method] = after.Answer
	}
	running, _ := canSend(a)
	if method == mcp.MethodRoots && after.Mode == session.PolicyCanned && string(before.Answer) != string(after.Answer) && running && a.status.Server.Era != mcp.Modern {
		a.dialog = &dialog{
			title: "Tell the server that the roots have changed?",
			lines: []string{"It gets " + methodRootsChanged + ", and may ask for them again."},
			yes:   (*App).tellRoots,
		}
	}
	return a.refresh()
}

func (a *App) tellRoots() tea.Cmd {
	s, ctx := a.session, a.ctx
	return func() tea.Msg {
		return result{what: methodRootsChanged, err: s.Notify(ctx, methodRootsChanged, nil), text: "the server is told"}
	}
}

// policySays is what a mode means for a method.
func policySays(method string, p session.Policy) string {
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
		return "a result that is a string, to see how the server takes it"
	}
	if method == mcp.MethodPing {
		return "{}, at once"
	}
	return "error -32601"
}

// delayText is a delay in a few cells, "" if there is none.
func delayText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("after %v", d)
}
