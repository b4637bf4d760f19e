package ui

import (
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
)

const actLogPanes = "log-panes"

func logActions(of finder) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: actLogPanes, Keys: []string{"v"}, Scope: scopeLog, Title: "together, or two panes", Synonyms: []string{"log", "merge", "split"}, Help: "Show stderr and events together in time order, or in two panes. The settings keep the choice.", Priority: 48, Enabled: of.can(canDivideLog), CurrentTitle: of.title(otherLog)}, Do: of.run(func(s *sessionScreen) { s.app.divideLog() })},
	}
}

func canDivideLog(s *sessionScreen) (bool, string) {
	screen := &s.app.screen
	return screen.Width >= bothWidth && screen.Height >= kit.PanesHeight, "the screen is too small for two panes"
}

// otherLog returns the arrangement of stderr and events that is not shown.
func otherLog(s *sessionScreen) string {
	if s.app.panes.arranged.twoPanes() {
		return "together"
	}
	return "two panes"
}

// divideLog shows stderr and events together, or in two panes.
func (a *App) divideLog() {
	a.opts.Log = LogInPanes
	if a.panes.arranged.twoPanes() {
		a.opts.Log = LogTogether
	}
	a.panes.alone = false
	a.arrange()
	if a.opts.Keep == nil {
		return
	}
	if err := a.opts.Keep("log", string(a.opts.Log)); err != nil {
		a.Warn("the choice is not kept: " + err.Error())
	}
}
