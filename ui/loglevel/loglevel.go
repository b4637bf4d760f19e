// Package loglevel chooses the least severe level of the log messages that a server
// should send. How it is sent depends on the era: see session.SetLogLevel.
package loglevel

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/theme"
)

// Scope is the scope of the menu.
const Scope = "log-level"

// off ends log messages in the modern era, where they are sent only on request.
const off = "off"

// Actions are those on the log level.
func Actions() []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: "set-log-level", Scope: keymap.Global, Title: "log level", Help: "Choose the least severe level of the log messages that the server sends.", Synonyms: []string{"level", "logging", "verbose", "debug"}, Words: mcp.LogLevels(), Enabled: canSet}, Do: open},
		{Entry: host.Entry{ID: "log-level-set", Keys: []string{"enter"}, Scope: Scope, Title: "set", Help: "Set the selected level.", Priority: 90}, Do: host.On(setPicked)},
		host.Override(host.Entry{Name: host.CloseName, Scope: Scope, Help: "Close, and change nothing."}),
	}
}

// canSet reports whether the server has log messages, and if not, why.
func canSet(c host.Context) (bool, string) {
	if ok, why := host.CanSend(c); !ok {
		return false, why
	}
	return c.Workspace.Status.Server.Logs(), "the server does not declare logging"
}

type menu struct {
	host.Menu
	levels []string
}

// A level that was typed is set at once.
func open(c host.Context) tea.Cmd {
	if c.Word != "" {
		return set(c, c.Word)
	}
	m := &menu{Menu: host.Menu{Of: Scope}, levels: mcp.LogLevels()}
	if c.Workspace.Status.Server.Era == mcp.Modern {
		m.levels = append(m.levels, off)
	}
	m.Set(m.levels)
	m.By(max(slices.Index(m.levels, c.Workspace.Status.LogLevel), 0))
	c.Host.Open(c.Workspace, m)
	return nil
}

// menuWidth is the width of the menu, including its border.
const menuWidth = 48

func (m *menu) Draw(c host.Context) {
	m.Box(c.Host.Screen(), menuWidth, "Log level", "enter: set, esc: cancel", func(l *paint.Line, i int, style theme.Style) {
		l.Text(style, m.levels[i])
		if m.levels[i] == c.Workspace.Status.LogLevel {
			l.Text(c.Host.Screen().Theme.Dim, "  current")
		}
	})
}

func setPicked(c host.Context, m *menu) tea.Cmd {
	i, ok := m.Current()
	if !ok {
		return nil
	}
	c.Host.Close(m)
	return set(c, m.levels[i])
}

// set sends the level to the server, or with all further requests.
func set(c host.Context, level string) tea.Cmd {
	s, ctx, sent := c.Workspace.Session, c.Host.Lifetime(), level
	if level == off {
		sent = ""
	}
	return func() tea.Msg {
		return host.Result{What: "log level", Err: s.SetLogLevel(ctx, sent), Text: "log level " + level, Then: func(c host.Context) tea.Cmd {
			return c.Panes().Refresh()
		}}
	}
}
