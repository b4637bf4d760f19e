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
func (r *Lists) only(c host.Context) tea.Cmd {
	if r.narrowed() {
		return c.Panes().SetFilter(nil)
	}
	return r.Only(c, r.onlyText(c.Workspace))
}

// narrowed reports whether the filter is that of Only.
func (r *Lists) narrowed() bool { return r.these != nil && r.these == r.Traffic.Shown }

// onlyNow names the action by what it does now.
func (r *Lists) onlyNow(c host.Context) (title string, priority int) {
	_, priority = host.Ranks{Recording: 71, None: -1}.Now(c)
	if r.narrowed() {
		title, priority = "all again", max(priority, 0)
	}
	return title, priority
}

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
	r.these = f
	return c.Panes().SetFilter(f)
}

// onlyText returns the filter for the tool or the method of the selected row.
func (r *Lists) onlyText(w *workspace.Workspace) string {
	row, source := w.Selected.Row, w.Shown.Source
	method := source.Method(row.Method)
	if r.Traffic.view == Exchanges && workspace.IsHandshake(method) { // one row for both
		return filter.Word("method", mcp.MethodInitialize) + " or " + filter.Word("method", mcp.MethodDiscover)
	}
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

// canOnly reports whether the selected row has a method, or all are shown again, and if
// not, why.
func (r *Lists) canOnly(c host.Context) (bool, string) {
	s := &c.Workspace.Selected
	return r.narrowed() || s.OK && s.Traffic && s.Row.Method != 0, "the row has no tool or method"
}
