package traffic

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/workspace"
)

// only shows only the messages of the selected row's tool or method, or again all.
func (r *Lists) only(c host.Context) tea.Cmd { return r.Only(c, onlyText(c.Workspace)) }

// Only shows only the messages that a filter keeps, or again all.
func (r *Lists) Only(c host.Context, text string) tea.Cmd {
	f, err := filter.Parse(text)
	if err != nil { // a name may be longer than a filter
		c.Host.Warn("only these: " + err.Error())
		return nil
	}
	if shown := r.Traffic.Shown; shown != nil && shown.String() == f.String() {
		f = nil
	}
	return c.Panes().SetFilter(f)
}

// onlyText returns the filter for the tool or the method of the selected row.
func onlyText(w *workspace.Workspace) string {
	row, source := w.Selected.Row, w.Shown.Source
	method := source.Method(row.Method)
	if method != mcp.MethodToolsCall {
		return filter.Word("method", method)
	}
	if partner, ok := w.Shown.Rows.PartnerOf(row); ok && row.Kind == session.KindStdout {
		row = partner
	}
	if name := workspace.ToolOf(source, row); name != "" {
		return filter.Word("tool", name)
	}
	return filter.Word("method", method)
}

// hasMethod reports whether the selected row has a method, and if not, why.
func hasMethod(c host.Context) (bool, string) {
	s := &c.Workspace.Selected
	return s.OK && s.Traffic && s.Row.Method != 0, "the row has no tool or method"
}
