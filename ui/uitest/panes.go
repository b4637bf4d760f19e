package uitest

import (
	tea "charm.land/bubbletea/v2"
	"mcpdbg/ui/kit"

	"mcpdbg/session"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/workspace"
)

// A Value is the one under the cursor of the detail, with its paths.
type Value struct{ Text, Pointer, JQ string }

// panes are fakes of host.Panes for the workspace of a Host, which records what a
// screen has asked for.
type panes struct{ f *Host }

func (p panes) Refresh() tea.Cmd {
	pull(p.f.ws)
	return nil
}

func (p panes) Turn(shown *workspace.Projection) tea.Cmd {
	p.f.ws.Shown = shown
	return p.Refresh()
}

func (p panes) Changed()       { p.f.Changes++ }
func (p panes) Select(row int) { p.f.Selected = append(p.f.Selected, row) }

func (p panes) GoTo(row int) {
	p.f.GoneTo = append(p.f.GoneTo, row)
	p.f.SelectRow(row)
}

func (p panes) GoToMoment(row int) tea.Cmd {
	p.f.Moments = append(p.f.Moments, row)
	return nil
}

func (p panes) Passing() (rows *table.Folded, shown *filter.Filter, all bool) {
	return p.f.Passing, p.f.Filter, true
}

func (p panes) SetFilter(f *filter.Filter) tea.Cmd {
	if p.f.Filter = f; p.f.Filtered != nil {
		p.f.Filtered(f)
	}
	return nil
}

func (p panes) Relist()           {}
func (p panes) FollowFrom(int)    {}
func (p panes) OpenDetail()       {}
func (p panes) Signs() []kit.Sign { return nil }

func (p panes) Value() (value, pointer, jq string, ok bool) {
	if v := p.f.Value; v != nil {
		return v.Text, v.Pointer, v.JQ, true
	}
	return "", "", "", false
}

func (p panes) Following() bool { return p.f.Follows }
func (p panes) Follow()         { p.f.Follows = true }
func (p panes) FollowTraffic()  { p.f.Follows = true }

func (p panes) FollowKind(k session.Kind) {
	p.f.Kinds, p.f.Follows = append(p.f.Kinds, k.String()), true
}

func (p panes) Part() (name, text string, ok bool) { return "", "", false }
