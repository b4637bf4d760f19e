package compare

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	diff "mcpdbg/recordings/compare"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

type menu struct {
	host.Menu
	state  *State
	others []*workspace.Workspace
	back   *view // to reopen with the first item; nil without one
}

// Nil if there is none.
func (s *State) previous() *view {
	if v := s.latest; v != nil && v.closed() == "" {
		return v
	}
	return nil
}

// openMenu lists the other sessions, and the previous comparison. It reopens that
// if there are no others.
func openMenu(of func(host.Context) *State) func(host.Context) tea.Cmd {
	return func(c host.Context) tea.Cmd {
		m := &menu{Menu: host.Menu{Of: ScopeMenu}, state: of(c)}
		all := c.Host.Workspaces()
		var names []string
		if v := m.state.previous(); v != nil {
			if len(all) == 1 {
				c.Host.Open(c.Workspace, v)
				return nil
			}
			m.back = v
			of := [2]string{v.a.Title, v.b.Title}
			if v.round {
				of = v.names
			}
			names = append(names, fmt.Sprintf("reopen the comparison of %s and %s", of[0], of[1]))
		}
		for _, ws := range all {
			if ws != c.Workspace {
				m.others = append(m.others, ws)
				names = append(names, ws.Title)
			}
		}
		m.Set(names)
		c.Host.Open(c.Workspace, m)
		return nil
	}
}

func (m *menu) Draw(c host.Context) {
	m.Box(c, kit.DialogWidth, "Compare "+c.Workspace.Title+" with", func(l *paint.Line, i int) {
		l.Text(paint.Style{}, m.Items[i])
	})
}

// A is the session that was opened first
func (m *menu) pick(c host.Context) tea.Cmd {
	i, ok := m.Current()
	if !ok {
		return nil
	}
	c.Host.Close(m)
	if m.back != nil {
		if i == 0 {
			c.Host.Open(c.Workspace, m.back)
			return nil
		}
		i--
	}
	one, other := m.others[i], c.Workspace
	if one.Number > other.Number {
		one, other = other, one
	}
	return m.state.Show(c, one, other, diff.Options{}, nil)
}
