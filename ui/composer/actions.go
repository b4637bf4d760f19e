package composer

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/fields"
	"mcpdbg/ui/host"
	"mcpdbg/ui/workspace"
)

// The scopes of the composer.
const (
	ScopeForm    = "form"     // while it shows fields
	ScopeText    = "composer" // while it shows a text
	ScopePresets = "presets"  // of the malformed messages
)

// The actions of the composer; those of the form have names of their own.
const (
	actSend         = "send"
	actClose        = "close-composer"
	actView         = "compose-view"
	actWhole        = "compose-whole"
	actEditor       = "compose-editor"
	actOlder        = "compose-older"
	actNewer        = "compose-newer"
	actCopy         = "compose-copy"
	actTask         = "compose-task"
	actClear        = "compose-clear"
	actCompleteWord = "complete-word"
	actPresets      = "presets"
	actPresetTake   = "preset-take"
)

// inForm is the prefix of the composer's common actions in the form view.
const inForm = "form-"

// Actions are those of the composer and of forms, but for those that open it.
func Actions() []host.Action {
	var all []host.Action
	for _, of := range []struct{ prefix, scope string }{{"", ScopeText}, {inForm, ScopeForm}} {
		all = append(all, actionsIn(of.prefix, of.scope)...)
	}
	return slices.Concat(all, []host.Action{
		{Entry: host.Entry{ID: actCompleteWord, Keys: []string{"tab"}, Scope: ScopeText, Title: "complete", Help: "Complete the method, or the name of a tool, a prompt or a resource, before the cursor of a message.", Priority: 50, Enabled: inMessage}, Do: on((*Pane).completeText)},
		{Entry: host.Entry{ID: actPresets, Keys: []string{"ctrl+g"}, Scope: ScopeText, Title: "malformed messages", Help: "Pick a deliberately malformed message: truncated, bad UTF-8, a batch, a long line.", Priority: 55, Enabled: inRaw}, Do: on((*Pane).openPresets)},

		{Entry: host.Entry{ID: inForm + actTask, Keys: []string{"f7"}, Scope: ScopeForm, Title: "as a task", Synonyms: []string{"background", "long"}, Help: "Call the tool as a task, which is polled to its end, or as usual again. A tool that requires it always is; one that does not support it should refuse.", Enabled: canBeTask, Now: taskTitle}, Do: on((*Pane).toggleTask)},

		{Entry: host.Entry{ID: actPresetTake, Keys: []string{"enter"}, Scope: ScopePresets, Title: "use", Help: "Copy the message into the composer, to edit and send it.", Priority: 90}, Do: host.On(takePreset)},
		host.Override(host.Entry{Name: host.CloseName, ID: "preset-close", Scope: ScopePresets, Help: "Close without choosing."}),
	}, fields.Actions())
}

func actionsIn(prefix, scope string) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: prefix + actSend, Keys: []string{"ctrl+s"}, Scope: scope, Title: "send", Help: "Send the message. Line breaks inside it are removed; raw bytes are sent unchanged.", Priority: 90, Enabled: host.CanSend}, Do: on((*Pane).send)},
		host.Override(host.Entry{Name: host.CloseName, ID: prefix + actClose, Scope: scope, Title: "close (draft kept)", Help: "Close the composer and keep the draft."}),
		{Entry: host.Entry{ID: prefix + actView, Keys: []string{"ctrl+t"}, Scope: scope, Title: "other view", Help: "Switch between the form and its JSON, or between a message and raw bytes.", Priority: 70, Now: viewTitle}, Do: on((*Pane).otherView)},
		{Entry: host.Entry{ID: prefix + actWhole, Keys: []string{"ctrl+o"}, Scope: scope, Title: "form or message", Help: "Turn the form into a whole message, in which anything can be changed; from a message, go back to the form.", Priority: 40}, Do: on((*Pane).toMessage)},
		{Entry: host.Entry{ID: prefix + actEditor, Keys: []string{"ctrl+e"}, Scope: scope, Title: "$EDITOR", Help: "Open the field, or the whole text, in your editor ($VISUAL, $EDITOR).", Priority: 65}, Do: on((*Pane).editElsewhere)},
		{Entry: host.Entry{ID: prefix + actOlder, Keys: []string{"ctrl+r"}, Scope: scope, Title: "earlier", Help: "Recall earlier text sent from this field.", Priority: 58}, Do: on(func(p *Pane, c host.Context) tea.Cmd { return p.recall(c, 1) })},
		{Entry: host.Entry{ID: prefix + actNewer, Keys: []string{"ctrl+y"}, Scope: scope, Title: "later", Help: "Recall later text sent from this field, and finally the draft."}, Do: on(func(p *Pane, c host.Context) tea.Cmd { return p.recall(c, -1) })},
		{Entry: host.Entry{ID: prefix + actClear, Keys: []string{"f6"}, Scope: scope, Title: "clear", Synonyms: []string{"reset", "defaults"}, Help: "Empty the text, or give the form its defaults again; earlier text can be recalled.", Priority: 30}, Do: on((*Pane).clear)},
		{Entry: host.Entry{ID: prefix + actCopy, Keys: []string{"f2"}, Scope: scope, Title: "copy command", Help: "Copy the mcpdbg command line that makes this call."}, Do: on((*Pane).copyCall)},
	}
}

// canBeTask allows tasks that the server does not offer, too: it should refuse them.
func canBeTask(c host.Context) (bool, string) {
	p, ok := c.View.(*Pane)
	switch {
	case !ok || p.target == nil || p.target.item.Member != workspace.MemberTools:
		return false, "only a tool can be called as a task"
	case c.Workspace.Status.Server.Era == mcp.Modern:
		return false, "in this revision the server decides which calls are tasks"
	case p.target.taskSupport(c.Workspace) == session.TaskRequired:
		return false, "this tool is always called as a task"
	}
	return true, ""
}

// taskTitle shows the action in the footer where the server offers it.
func taskTitle(c host.Context) (title string, priority int) {
	p, ok := c.View.(*Pane)
	if possible, _ := canBeTask(c); !ok || !possible || !p.target.asTask && p.target.taskSupport(c.Workspace) != session.TaskOptional {
		return "", 0
	}
	if p.target.asTask {
		return "not as a task", 62
	}
	return "as a task", 62
}

func on(do func(*Pane, host.Context) tea.Cmd) func(host.Context) tea.Cmd {
	return host.On(func(c host.Context, p *Pane) tea.Cmd { return do(p, c) })
}

func viewTitle(c host.Context) (title string, priority int) {
	p, ok := c.View.(*Pane)
	if !ok {
		return "", 0
	}
	return [...]string{messageView: "as raw bytes", formView: "as JSON", jsonView: "as form", rawView: "as message"}[p.view], 0
}

func inMessage(c host.Context) (bool, string) {
	p, ok := c.View.(*Pane)
	return ok && p.view == messageView, "completion works only in a message"
}

func inRaw(c host.Context) (bool, string) {
	p, ok := c.View.(*Pane)
	return ok && p.view == rawView, "works only in raw bytes: press ctrl+t in a message"
}
