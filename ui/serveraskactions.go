package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session/mcp"
	"mcpdbg/ui/form"
	"mcpdbg/ui/keymap"
)

// The actions with which a person answers a server. Those that both views of an
// answer have are called otherwise in that of JSON.
const (
	actAnswer = "answer"

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

	actAnswerText = "json-" // before the name, in the view of JSON
)

const (
	scopeAnswer     = "answer"
	scopeAnswerText = "answer-json"
)

// answerFields are the fields of an answer.
var answerFields = fields{
	scope: scopeAnswer,
	form: func(a *App) *form.Form {
		if k, ok := a.top().(*answering); ok {
			return k.form
		}
		return nil
	},
	tab: func(a *App) tea.Cmd {
		if k, ok := a.top().(*answering); ok && k.form != nil && !k.form.Suggest(1) {
			k.form.Next()
		}
		return nil
	},
	changed: func(*App) tea.Cmd { return nil },
	scroll: func(a *App, way int) {
		if k, ok := a.top().(*answering); ok {
			k.reading.move(way)
		}
	},
}

// answerActions are those with which a person answers a server.
func answerActions() []action {
	return slices.Concat([]action{
		{entry{ID: actAnswer, Keys: []string{"A"}, Scope: keymap.Global, Title: "answer", Help: "Answer what the server asks: the oldest question of this session, or else of another one.", Priority: 12, Enabled: waitsForAnswer, Now: answerNow}, (*App).answer},
	}, answeringIn("", scopeAnswer), answerFields.actions(), answeringIn(actAnswerText, scopeAnswerText))
}

// answeringIn are the actions that both views of an answer have.
func answeringIn(prefix, scope string) []action {
	return []action{
		{entry{ID: prefix + actAnswerSend, Keys: []string{"ctrl+s"}, Scope: scope, Title: "accept", Help: "Give the answer as it is. What the schema does not allow goes out when it is asked for twice.", Priority: 95}, on((*App).accept)},
		{entry{ID: prefix + actAnswerDecline, Keys: []string{"ctrl+d"}, Scope: scope, Title: "decline", Help: "Say that you do not want to: the action decline, or an error where that is how it is said.", Priority: 90, Enabled: canDecline}, on(func(a *App, k *answering) tea.Cmd { return a.giveFixed(k, k.kind.decline) })},
		{entry{ID: prefix + actAnswerCancel, Keys: []string{"f7"}, Scope: scope, Title: "cancel", Help: "Say that you closed it without a choice: the action cancel of an elicitation.", Priority: 85, Enabled: canCancelAnswer}, on(func(a *App, k *answering) tea.Cmd { return a.giveFixed(k, k.kind.cancel) })},
		{entry{ID: prefix + actAnswerLater, Keys: []string{"esc"}, Scope: scope, Title: "later", Help: "Close it, keep what is written, and let the server wait.", Priority: 88}, on(func(a *App, k *answering) tea.Cmd { a.remove(k); return nil })},
		{entry{ID: prefix + actAnswerView, Keys: []string{"ctrl+t"}, Scope: scope, Title: "view", Help: "Change between the fields and the whole answer as JSON, in which any answer can be written.", Priority: 70, Enabled: hasFields}, on((*App).otherAnswerView)},
		{entry{ID: prefix + actAnswerEditor, Keys: []string{"ctrl+e"}, Scope: scope, Title: "$EDITOR", Help: "Open the field, or all of the JSON, in your editor ($VISUAL, $EDITOR).", Priority: 40}, on((*App).editAnswer)},
		{entry{ID: prefix + actAnswerAlways, Keys: []string{"ctrl+o"}, Scope: scope, Title: "always", Help: "Give the answer, and from now on without asking: it becomes the canned answer of the method.", Priority: 35}, on((*App).acceptAlways)},
		{entry{ID: prefix + actAnswerOther, Keys: []string{"f5"}, Scope: scope, Title: "next question", Help: "Go to the next question that waits; what is written is kept.", Priority: 30, Enabled: otherQuestions}, on((*App).otherQuestion)},
		{entry{ID: prefix + actAnswerCopy, Keys: []string{"f2"}, Scope: scope, Title: "copy address", Help: "Copy the address that the server wants you to go to, to the terminal's clipboard (OSC 52).", Priority: 65, Enabled: asksAddress}, on((*App).copyAddress)},
		{entry{ID: prefix + actAnswerCall, Keys: []string{"f3"}, Scope: scope, Title: "its call", Help: "Close it, and go to our call that it belongs to.", Priority: 28, Enabled: hasParent}, on((*App).jumpToCall)},
		{entry{ID: prefix + actAnswerDown, Keys: []string{"ctrl+down", "alt+down"}, Scope: scope, Title: "scroll", Help: "Scroll down in what the server says.", Priority: 25, Enabled: scrollsWords}, scrollWords(pageDown)},
		{entry{ID: prefix + actAnswerUp, Keys: []string{"ctrl+up", "alt+up"}, Scope: scope, Title: "scroll up", Help: "Scroll up in what the server says.", Enabled: scrollsWords}, scrollWords(pageUp)},
	}
}

func scrollWords(way int) func(*App) tea.Cmd {
	return on(func(_ *App, k *answering) tea.Cmd {
		k.reading.move(way)
		return nil
	})
}

// answeringIs tells whether the overlay with the keys is a question of a kind.
func answeringIs(a *App, is func(*answering) bool, reason string) (bool, string) {
	k, ok := a.top().(*answering)
	return ok && is(k), reason
}

func canDecline(a *App) (bool, string) {
	return answeringIs(a, func(k *answering) bool { return k.ask.ID != 0 }, "nobody waits for this answer")
}

func canCancelAnswer(a *App) (bool, string) {
	return answeringIs(a, func(k *answering) bool { return k.ask.ID != 0 && k.kind.cancel != nil }, "only an elicitation can be cancelled")
}

func hasFields(a *App) (bool, string) {
	return answeringIs(a, func(k *answering) bool { return k.kind.wrap != nil }, "it is only JSON")
}

func otherQuestions(a *App) (bool, string) {
	return answeringIs(a, func(k *answering) bool { return k.ask.ID != 0 && len(a.questions()) > 1 }, "there is no other one")
}

func asksAddress(a *App) (bool, string) {
	return answeringIs(a, func(k *answering) bool { return k.method == mcp.MethodElicit && k.form == nil && k.kind.wrap != nil }, "it is no address")
}

func hasParent(a *App) (bool, string) {
	return answeringIs(a, func(k *answering) bool { return k.ask.Parent != 0 }, "the server does not say to which call it belongs")
}

func scrollsWords(a *App) (bool, string) {
	return answeringIs(a, func(k *answering) bool { return !k.reading.all() }, "all of it is on the screen")
}
