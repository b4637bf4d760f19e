package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/form"
)

// scopeForm is the composer's part of the action table while it shows fields.
const scopeForm = "form"

// The actions of the composer; those of the form have names of their own.
const (
	actSend          = "send"
	actCloseComposer = "close-composer"
	actComposeView   = "compose-view"
	actComposeWhole  = "compose-whole"
	actComposeEditor = "compose-editor"
	actComposeOlder  = "compose-older"
	actComposeNewer  = "compose-newer"
	actComposeCopy   = "compose-copy"
	actCompleteWord  = "complete-word"
	actPresets       = "presets"
	actPresetTake    = "preset-take"
	actPresetClose   = "preset-close"

	actFormNext     = inForm + fieldNext
	actFormPrev     = inForm + fieldPrev
	actFormTab      = inForm + fieldTab
	actFormPageDown = inForm + fieldPageDown
	actFormPageUp   = inForm + fieldPageUp
	actFormAdd      = inForm + fieldAdd
	actFormRemove   = inForm + fieldRemove
	actFormClear    = inForm + fieldClear
	actFormNull     = inForm + fieldNull
)

// inForm is how actions that all views of the composer have are called in that
// of fields.
const inForm = "form-"

// composing are the actions of the composer.
func composing() []action {
	var all []action
	for _, of := range []struct{ prefix, scope string }{{"", scopeComposer}, {inForm, scopeForm}} {
		all = append(all, composingIn(of.prefix, of.scope)...)
	}
	return slices.Concat(all, []action{
		{entry{ID: actCompleteWord, Keys: []string{"tab"}, Scope: scopeComposer, Title: "complete", Help: "Complete the method, or the name of a tool, a prompt or a resource, before the cursor of a message.", Priority: 50, Enabled: inMessage}, (*App).completeText},
		{entry{ID: actPresets, Keys: []string{"ctrl+g"}, Scope: scopeComposer, Title: "wrong on purpose", Help: "Pick a message that is wrong in some way: half of one, bad UTF-8, a batch, a long line.", Priority: 55, Enabled: inRaw}, nothing((*App).openPresets)},

		{entry{ID: actPresetTake, Keys: []string{"enter"}, Scope: scopePresets, Title: "take", Help: "Take it into the composer, to be changed and sent.", Priority: 90},
			on(func(a *App, p *presetList) tea.Cmd { return p.take(a) })},
		{entry{ID: actPresetClose, Keys: []string{"esc"}, Scope: scopePresets, Title: "close", Help: "Take none.", Priority: 80},
			on(func(a *App, p *presetList) tea.Cmd { a.remove(p); return nil })},
	}, composerFields.actions(), pickerActions(scopePresets))
}

// composerFields are the fields of the composer.
var composerFields = fields{
	scope:   scopeForm,
	form:    func(a *App) *form.Form { return a.composer.form },
	tab:     (*App).formTab,
	changed: func(a *App) tea.Cmd { return tea.Batch(a.suggestLater(), a.keepLater()) },
}

// composingIn are the actions that all views of the composer have.
func composingIn(prefix, scope string) []action {
	return []action{
		{entry{ID: prefix + actSend, Keys: []string{"ctrl+s"}, Scope: scope, Title: "send", Help: "Send it. Line breaks inside of a message are taken out; raw bytes go as they are.", Priority: 90, Enabled: canSend}, (*App).send},
		{entry{ID: prefix + actCloseComposer, Keys: []string{"esc"}, Scope: scope, Title: "close (draft kept)", Help: "Close the composer and keep what is written.", Priority: 80}, func(a *App) tea.Cmd { a.closeComposer(); return a.saveDrafts() }},
		{entry{ID: prefix + actComposeView, Keys: []string{"ctrl+t"}, Scope: scope, Title: "view", Help: "Change between the form and its JSON, or between a message and raw bytes.", Priority: 70}, (*App).otherView},
		{entry{ID: prefix + actComposeWhole, Keys: []string{"ctrl+o"}, Scope: scope, Title: "form or message", Help: "Make a whole message of the form, to change anything about it; from a message go back to the form.", Priority: 40}, (*App).toMessage},
		{entry{ID: prefix + actComposeEditor, Keys: []string{"ctrl+e"}, Scope: scope, Title: "$EDITOR", Help: "Open the field, or all of the text, in your editor ($VISUAL, $EDITOR).", Priority: 65}, (*App).editElsewhere},
		{entry{ID: prefix + actComposeOlder, Keys: []string{"ctrl+r"}, Scope: scope, Title: "earlier", Help: "Take what was sent earlier from here, in this field.", Priority: 58}, func(a *App) tea.Cmd { return a.recall(1) }},
		{entry{ID: prefix + actComposeNewer, Keys: []string{"ctrl+y"}, Scope: scope, Title: "later", Help: "Take what was sent after that, at last what was written here."}, func(a *App) tea.Cmd { return a.recall(-1) }},
		{entry{ID: prefix + actComposeCopy, Keys: []string{"f2"}, Scope: scope, Title: "copy command", Help: "Copy the command line of ours that makes this call."}, (*App).copyCall},
	}
}

// formTab takes a suggestion, or goes on.
func (a *App) formTab() tea.Cmd {
	f := a.composer.form
	if f == nil {
		return nil
	}
	a.mark(composerID)
	if f.Suggest(1) {
		text, _ := f.Text(f.Path())
		a.composer.completing.asked = f.Path() + "\x00" + text // it is the server's own word
		return a.keepLater()
	}
	f.Next()
	return a.suggestLater()
}

func inMessage(a *App) (bool, string) {
	return a.composer.view == composeMessage, "only a message is completed"
}

func inRaw(a *App) (bool, string) {
	return a.composer.view == composeRaw, "raw bytes only: ctrl+t in a message"
}
