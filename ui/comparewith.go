package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/recordings/compare"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

// compareMenu lists what can be compared with what is shown.
type compareMenu struct {
	menu
	others []*subject
	back   *comparing
}

// comparedBefore is the comparison that there is to go back to, nil without.
func (a *App) comparedBefore() *comparing {
	if v := a.compared; v != nil && v.closed() == "" {
		return v
	}
	return nil
}

// reopen goes back to a comparison, which stays as it was left.
func (a *App) reopen(v *comparing) { a.overlays = append(a.overlays, opened{v, a.front}) }

// openCompareWith lists the other sessions, and the comparison there was.
func (a *App) openCompareWith() {
	m := &compareMenu{menu: menu{of: scopeCompareWith}}
	var names []string
	if v := a.comparedBefore(); v != nil {
		if len(a.subjects) == 1 {
			a.reopen(v)
			return
		}
		m.back = v
		names = append(names, fmt.Sprintf("back to the comparison of %s and %s", v.names[0], v.names[1]))
	}
	for _, s := range a.subjects {
		if s != a.subject {
			m.others = append(m.others, s)
			names = append(names, s.title)
		}
	}
	m.set(names)
	a.push(m)
}

func (m *compareMenu) paint(a *App) {
	m.box(a, dialogWidth, "Compare "+a.title+" with", "", func(l *paint.Line, i int, style theme.Style) {
		l.Text(style, m.items[i])
	})
}

// pickCompare compares with what is under the cursor. A is the one that was
// opened first.
func (a *App) pickCompare(m *compareMenu) tea.Cmd {
	i, ok := m.current()
	if !ok {
		return nil
	}
	a.pop()
	if m.back != nil {
		if i == 0 {
			a.reopen(m.back)
			return nil
		}
		i--
	}
	one, other := m.others[i], a.subject
	if one.number > other.number {
		one, other = other, one
	}
	return a.compareWith(one, other, compare.Options{}, nil)
}
