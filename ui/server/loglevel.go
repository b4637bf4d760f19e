package server

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
)

// ScopeLogLevel is the scope of the menu.
const ScopeLogLevel = "log-level"

const actLogLevel = "set-log-level"

// levelOff ends log messages in the modern era, where they are sent only on request.
const levelOff = "off"

// LogLevelActions are those on the least severe level of the log messages that the server
// should send. How it is sent depends on the era: see session.SetLogLevel.
func LogLevelActions() []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: actLogLevel, Scope: keymap.Global, Title: "log level", Help: "Choose the least severe level of the log messages that the server sends.", Synonyms: []string{"level", "logging", "verbose", "debug"}, Words: mcp.LogLevels(), Enabled: canSetLevel}, Do: openLevels},
		{Entry: host.Entry{ID: "log-level-set", Keys: []string{"enter"}, Scope: ScopeLogLevel, Title: "set", Help: "Set the selected level.", Priority: 90}, Do: host.On(setPickedLevel)},
		host.Override(host.Entry{Name: host.CloseName, Scope: ScopeLogLevel, Help: "Close, and change nothing."}),
	}
}

func canSetLevel(c host.Context) (bool, string) {
	if ok, why := host.CanSend(c); !ok {
		return false, why
	}
	return c.Workspace.Status.Server.Logs(), "the server does not declare logging"
}

type levelMenu struct {
	host.Menu
	levels []string
}

// A level that was typed is set at once.
func openLevels(c host.Context) tea.Cmd {
	if c.Word != "" {
		return setLevel(c, c.Word)
	}
	m := &levelMenu{Menu: host.Menu{Of: ScopeLogLevel}, levels: mcp.LogLevels()}
	if c.Workspace.Status.Server.Era == mcp.Modern {
		m.levels = append(m.levels, levelOff)
	}
	m.Set(m.levels)
	m.By(max(slices.Index(m.levels, c.Workspace.Status.LogLevel), 0))
	c.Host.Open(c.Workspace, m)
	return nil
}

// levelWidth is the width of the menu, including its border.
const levelWidth = 48

func (m *levelMenu) Draw(c host.Context) {
	m.Box(c, levelWidth, "Log level", func(l *paint.Line, i int) {
		l.Text(paint.Style{}, m.levels[i])
		if m.levels[i] == c.Workspace.Status.LogLevel {
			l.Text(c.Host.Screen().Theme.Dim, "  current")
		}
	})
}

func setPickedLevel(c host.Context, m *levelMenu) tea.Cmd {
	i, ok := m.Current()
	if !ok {
		return nil
	}
	c.Host.Close(m)
	return setLevel(c, m.levels[i])
}

func setLevel(c host.Context, level string) tea.Cmd {
	s, ctx, sent := c.Workspace.Session, c.Host.Lifetime(), level
	if level == levelOff {
		sent = ""
	}
	return func() tea.Msg {
		return host.Result{What: "log level", Err: s.SetLogLevel(ctx, sent), Text: "log level " + level, Then: func(c host.Context) tea.Cmd {
			return c.Panes().Refresh()
		}}
	}
}
