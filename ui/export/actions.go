package export

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/workspace"
)

// Scope is the scope of the dialog.
const Scope = "export"

// The actions of the dialog that other texts mention.
const (
	actWrite = "export-write"
	actOther = "export-toggle"
)

// Actions returns the actions of exporting.
func Actions() []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: "export", Scope: keymap.Global, Title: "export", Synonyms: []string{"save", "share", "html", "web page", "report", "markdown", "md", "har", "txtar", "jsonl", "redact", "secrets"}, Help: "Write the session or recording to a file, as a page, a report or messages, without secrets.", Hint: keymap.Hint{Keys: ":export", Title: "share"}, Enabled: canExport, Now: inRecording}, Do: open},
		{Entry: host.Entry{ID: actWrite, Keys: []string{"enter"}, Scope: Scope, Title: "write the file", Help: "Write the file.", Priority: 90, Enabled: canWrite}, Do: host.On(func(c host.Context, v *view) tea.Cmd { return v.write(c, false) })},
		{Entry: host.Entry{ID: actOther, Keys: []string{"space"}, Scope: Scope, Title: "change", Help: "Take the next format, or turn redaction on or off; in the file name, type a space.", Priority: 70}, Do: host.On(func(_ host.Context, v *view) tea.Cmd { v.toggle(); return nil })},
		{Entry: host.Entry{ID: "export-next", Keys: []string{"right"}, Scope: Scope, Title: "next", Help: "Take the next format, or turn redaction on or off.", Priority: 55, Hint: keymap.Hint{Keys: "left/right", Title: "change"}}, Do: host.On(func(_ host.Context, v *view) tea.Cmd { v.change(1); return nil })},
		{Entry: host.Entry{ID: "export-previous", Keys: []string{"left"}, Scope: Scope, Title: "previous", Help: "Take the previous format, or turn redaction on or off."}, Do: host.On(func(_ host.Context, v *view) tea.Cmd { v.change(-1); return nil })},
		{Entry: host.Entry{ID: "export-clear", Keys: []string{"ctrl+u"}, Scope: Scope, Title: "clear", Help: "Clear the file name."}, Do: host.On(func(_ host.Context, v *view) tea.Cmd { v.path.Wipe(); return nil })},
		host.Override(host.Entry{Name: kit.Down, Scope: Scope, Keys: []string{"down", "tab"}, Help: "Go to the next line.", Priority: 60, Hint: keymap.Hint{Keys: "up/down", Title: "choose"}}),
		host.Override(host.Entry{Name: kit.Up, Scope: Scope, Keys: []string{"up", "shift+tab"}, Help: "Go to the previous line."}),
		host.Override(host.Entry{Name: host.CloseName, Scope: Scope, Title: "cancel", Help: "Cancel writing, then close without writing anything."}),
	}
}

// inRecording brings the action into the footer of a recording.
func inRecording(c host.Context) (title string, priority int) {
	if c.Workspace.Session == nil && !c.Workspace.Empty() {
		return "", 56
	}
	return "", 0
}

func canExport(c host.Context) (bool, string) {
	return !c.Workspace.Empty(), workspace.ErrNoSession.Error()
}

func canWrite(c host.Context) (bool, string) {
	v, ok := c.View.(*view)
	return ok && v.job == nil, "the file is being written"
}
