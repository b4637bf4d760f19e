package send

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
)

// The actions for answering a server request. Those of both views have another
// name in the JSON view.
const (
	actAnswerSend    = "answer-send"
	actAnswerAlways  = "answer-always"
	actAnswerDecline = "answer-decline"
	actAnswerCancel  = "answer-cancel"
	actAnswerView    = "answer-view"
	actAnswerEditor  = "answer-editor"
	actAnswerCall    = "answer-call"
	actAnswerCopy    = "answer-copy"
	actAnswerOther   = "answer-other"
	actAnswerDown    = "answer-words-down"
	actAnswerUp      = "answer-words-up"
	actAnswerLater   = "answer-later"

	inJSON = "json-" // the prefix of names in the JSON view
)

// The scopes of a request, by how its response is shown, and of the policies.
const (
	ScopeAnswer     = "answer"
	ScopeAnswerJSON = "answer-json"
	ScopePolicies   = "policies"
)

// RequestActions are those on server requests and their policies. of finds the state of a
// session.
func RequestActions(of func(host.Context) *Requests) []host.Action {
	return slices.Concat([]host.Action{
		{Entry: host.Entry{ID: host.ActAnswer, Keys: []string{"A"}, Scope: keymap.Global, Title: "answer", Help: "Answer a server request: the oldest one of this session, or else of another session.", Enabled: canAnswer, CurrentTitle: answerNow}, Do: func(c host.Context) tea.Cmd {
			if ok, _ := host.CanSteer(c); ok {
				return takeOver(c, of(c))
			}
			return openOldest(c, of)
		}},
	}, answerActionsIn("", ScopeAnswer), answerActionsIn(inJSON, ScopeAnswerJSON), policyActions(of))
}

func answerActionsIn(prefix, scope string) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: prefix + actAnswerSend, Keys: []string{"ctrl+s"}, Scope: scope, Title: "accept", Help: "Send the response as it is. One that the schema does not allow is sent when you press this twice.", Priority: 95}, Do: host.On(acceptAnswer)},
		{Entry: host.Entry{ID: prefix + actAnswerDecline, Keys: []string{"ctrl+x"}, Scope: scope, Title: "decline", Help: "Decline the request: with the action decline, or with an error for methods without that action.", Priority: 90, Enabled: answerIf("the request is no longer pending", func(v *answerView) bool { return v.request.ID != 0 })}, Do: host.On(func(c host.Context, v *answerView) tea.Cmd { return v.sendFixed(c, v.kind.decline) })},
		{Entry: host.Entry{ID: prefix + actAnswerCancel, Keys: []string{"f7"}, Scope: scope, Title: "dismiss", Help: "Dismiss the request without a choice: the action cancel of an elicitation.", Priority: 85, Enabled: answerIf("only an elicitation can be cancelled", func(v *answerView) bool { return v.request.ID != 0 && v.kind.cancel != nil })}, Do: host.On(func(c host.Context, v *answerView) tea.Cmd { return v.sendFixed(c, v.kind.cancel) })},
		host.Override(host.Entry{Name: host.CloseName, ID: prefix + actAnswerLater, Scope: scope, Title: "later", Help: "Close, keep the draft, and leave the request pending.", Priority: 88}),
		{Entry: host.Entry{ID: prefix + actAnswerView, Keys: []string{"ctrl+t"}, Scope: scope, Title: "other view", Now: answerViewTitle, Help: "Switch between the form and the whole response as JSON, where any response can be written.", Priority: 70, Enabled: answerIf("this request has no form", func(v *answerView) bool { return v.kind.wrap != nil })}, Do: host.On(switchView)},
		{Entry: host.Entry{ID: prefix + actAnswerEditor, Keys: []string{"ctrl+e"}, Scope: scope, Title: "$EDITOR", Help: "Open the field, or the whole JSON, in your editor ($VISUAL, $EDITOR).", Priority: 40}, Do: host.On(editAnswer)},
		{Entry: host.Entry{ID: prefix + actAnswerAlways, Keys: []string{"ctrl+o"}, Scope: scope, Title: "always", Help: "Send the response now and for all later requests of the method: it becomes the method's canned response.", Priority: 35, Enabled: answerIf("the answers of a client have no rules", func(v *answerView) bool { return v.deliver == nil })}, Do: host.On(acceptAlways)},
		{Entry: host.Entry{ID: prefix + actAnswerOther, Keys: []string{"f5"}, Scope: scope, Title: "next request", Help: "Go to the next pending request; the draft is kept.", Priority: 30, Enabled: hasOthers}, Do: host.On(nextRequest)},
		{Entry: host.Entry{ID: prefix + actAnswerCopy, Keys: []string{"f2"}, Scope: scope, Title: "copy URL", Help: "Copy the URL that the server asks you to open to the terminal's clipboard (OSC 52).", Priority: 75, Enabled: answerIf("the request has no URL", func(v *answerView) bool { return v.method == mcp.MethodElicit && v.form == nil && v.kind.wrap != nil })}, Do: host.On(copyURL)},
		{Entry: host.Entry{ID: prefix + actAnswerCall, Keys: []string{"f3"}, Scope: scope, Title: "parent call", Help: "Close, and go to the call during which the server sent the request.", Priority: 28, Enabled: answerIf("the server does not name a parent call", func(v *answerView) bool { return v.request.Parent != 0 })}, Do: host.On(goToCall)},
		{Entry: host.Entry{ID: prefix + actAnswerDown, Keys: []string{"ctrl+down", "alt+down"}, Scope: scope, Title: "scroll", Help: "Scroll down in the text from the server.", Priority: 25, Enabled: answerIf("the whole text is visible", func(v *answerView) bool { return !v.words.All() })}, Do: scrollText(kit.PageDown)},
		{Entry: host.Entry{ID: prefix + actAnswerUp, Keys: []string{"ctrl+up", "alt+up"}, Scope: scope, Title: "scroll up", Help: "Scroll up in the text from the server.", Enabled: answerIf("the whole text is visible", func(v *answerView) bool { return !v.words.All() })}, Do: scrollText(kit.PageUp)},
	}
}

func answerViewTitle(c host.Context) (title string, priority int) {
	v, ok := c.View.(*answerView)
	switch {
	case !ok:
		return "", 0
	case v.asText:
		return "as form", 0
	}
	return "as JSON", 0
}

// Move moves between the fields and the buttons; without fields it scrolls the server's text.
func (v *answerView) Move(c host.Context, way string) tea.Cmd {
	by := map[string]int{kit.Down: 1, kit.Up: -1}[way]
	switch {
	case !v.hasFields():
		v.words.Move(way)
	case v.button != noButton || by > 0 && v.form.AtEnd() && !v.form.Down(by):
		v.step(c, by)
		return nil
	case by > 0 && v.form.AtEnd():
		c.Host.Redraw()
		return nil
	}
	return moveField(c, way)
}

func scrollText(way string) func(host.Context) tea.Cmd {
	return host.On(func(_ host.Context, v *answerView) tea.Cmd {
		v.words.Move(way)
		return nil
	})
}

// answerIf enables an action of questions for which is holds, else reason is why not.
func answerIf(reason string, is func(*answerView) bool) func(host.Context) (bool, string) {
	return func(c host.Context) (bool, string) {
		v, ok := c.View.(*answerView)
		return ok && is(v), reason
	}
}

func hasOthers(c host.Context) (bool, string) {
	v, ok := c.View.(*answerView)
	return ok && v.request.ID != 0 && len(c.Workspace.Requests()) > 1, "there is no other pending request"
}
