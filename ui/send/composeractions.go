package send

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/workspace"
)

// The scopes of the composer.
const (
	ScopeComposerForm = "form"     // while it shows fields
	ScopeComposerText = "composer" // while it shows a text
	ScopePresets      = "presets"  // of the malformed messages
)

// The actions of the composer; those of the form have names of their own.
const (
	actSend         = "send"
	actClose        = "close-composer"
	actView         = "compose-view"
	actNewline      = "compose-newline"
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

// inComposerForm is the prefix of the composer's common actions in the form view.
const inComposerForm = "form-"

// ComposerActions are those of the composer and of forms, but for those that open it.
func ComposerActions() []host.Action {
	var all []host.Action
	for _, of := range []struct{ prefix, scope string }{{"", ScopeComposerText}, {inComposerForm, ScopeComposerForm}} {
		all = append(all, composerActionsIn(of.prefix, of.scope)...)
	}
	return slices.Concat(all, []host.Action{
		{Entry: host.Entry{ID: actCompleteWord, Keys: []string{"tab"}, Scope: ScopeComposerText, Title: "complete", Help: "Complete the method, or the name of a tool, a prompt or a resource, before the cursor of a message.", Priority: 50, Enabled: inMessageView}, Do: onComposer((*Composer).completeText)},
		{Entry: host.Entry{ID: actPresets, Keys: []string{"ctrl+g"}, Scope: ScopeComposerText, Title: "malformed messages", Help: "Pick a deliberately malformed message: truncated, bad UTF-8, a batch, a long line.", Priority: 55, Enabled: inRawView}, Do: onComposer((*Composer).openPresets)},
		{Entry: host.Entry{ID: actNewline, Keys: []string{"f4"}, Scope: ScopeComposerText, Title: "newline", Help: "Add a newline at the end of the raw bytes.", Priority: 54, Yields: true, Enabled: inRawView}, Do: onComposer(endLine)},

		{Entry: host.Entry{ID: inComposerForm + actTask, Keys: []string{"f7"}, Scope: ScopeComposerForm, Title: "as a task", Synonyms: []string{"background", "long"}, Help: "Call the tool as a task, which is polled to its end, or as usual again. A tool that requires it always is; one that does not support it should refuse.", Enabled: canBeTask, Now: taskTitle}, Do: onComposer(toggleTask)},

		{Entry: host.Entry{ID: actPresetTake, Keys: []string{"enter"}, Scope: ScopePresets, Title: "use", Help: "Copy the message into the composer, to edit and send it.", Priority: 90}, Do: host.On(takePreset)},
		host.Override(host.Entry{Name: host.CloseName, ID: "preset-close", Scope: ScopePresets, Help: "Close without choosing."}),
	}, fieldActions())
}

func composerActionsIn(prefix, scope string) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: prefix + actSend, Keys: []string{"ctrl+s"}, Scope: scope, Title: "send", Help: "Send the message. Line breaks inside it are removed; raw bytes are sent unchanged.", Priority: 90, Enabled: host.CanReach}, Do: onComposer((*Composer).send)},
		host.Override(host.Entry{Name: host.CloseName, ID: prefix + actClose, Scope: scope, Title: "close, draft kept", Help: "Close the composer and keep the draft."}),
		{Entry: host.Entry{ID: prefix + actView, Keys: []string{"ctrl+t"}, Scope: scope, Title: "other view", Help: "Go to the next view: form, its JSON, message, raw bytes.", Priority: 70, Now: otherViewTitle}, Do: onComposer((*Composer).otherView)},
		{Entry: host.Entry{ID: prefix + actEditor, Keys: []string{"ctrl+e"}, Scope: scope, Title: "$EDITOR", Help: "Open the field, or the whole text, in your editor ($VISUAL, $EDITOR).", Priority: 65}, Do: onComposer((*Composer).editElsewhere)},
		{Entry: host.Entry{ID: prefix + actOlder, Keys: []string{"ctrl+r"}, Scope: scope, Title: "earlier", Help: "Recall earlier text sent from this field.", Priority: 58}, Do: onComposer(func(p *Composer, c host.Context) tea.Cmd { return p.recall(c, 1) })},
		{Entry: host.Entry{ID: prefix + actNewer, Keys: []string{"ctrl+y"}, Scope: scope, Title: "later", Help: "Recall later text sent from this field, and finally the draft."}, Do: onComposer(func(p *Composer, c host.Context) tea.Cmd { return p.recall(c, -1) })},
		{Entry: host.Entry{ID: prefix + actClear, Keys: []string{"f6"}, Scope: scope, Title: "clear", Synonyms: []string{"reset", "defaults"}, Help: "Empty the text, or give the form its defaults again; earlier text can be recalled.", Priority: 30}, Do: onComposer((*Composer).clear)},
		{Entry: host.Entry{ID: prefix + actCopy, Keys: []string{"f2"}, Scope: scope, Title: "copy command", Help: "Copy the mcpdbg command line that makes this call."}, Do: onComposer((*Composer).copyCall)},
	}
}

// canBeTask allows tasks that the server does not offer, too: it should refuse them.
func canBeTask(c host.Context) (bool, string) {
	p, ok := c.View.(*Composer)
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
	p, ok := c.View.(*Composer)
	if possible, _ := canBeTask(c); !ok || !possible || !p.target.asTask && p.target.taskSupport(c.Workspace) != session.TaskOptional {
		return "", 0
	}
	if p.target.asTask {
		return "not as a task", 62
	}
	return "as a task", 62
}

func onComposer(do func(*Composer, host.Context) tea.Cmd) func(host.Context) tea.Cmd {
	return host.On(func(c host.Context, p *Composer) tea.Cmd { return do(p, c) })
}

func otherViewTitle(c host.Context) (title string, priority int) {
	p, ok := c.View.(*Composer)
	if !ok {
		return "", 0
	}
	views := viewsOf(p.target)
	return "as " + viewNames[views[(slices.Index(views, p.view)+1)%len(views)]], 0
}

func inMessageView(c host.Context) (bool, string) {
	p, ok := c.View.(*Composer)
	return ok && p.view == messageView, "completion works only in a message"
}

func inRawView(c host.Context) (bool, string) {
	p, ok := c.View.(*Composer)
	return ok && p.view == rawView, "works only in raw bytes: ctrl+t goes there"
}
