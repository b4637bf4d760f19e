package watch

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/keymap"
)

// The actions on a watch over files.
const (
	actPause  = "watch-pause"
	actNow    = "watch-now"
	actRest   = "watch-rest"
	actAlways = "watch-always"
)

// Actions returns the actions on a watch. of returns the state of the session that a
// context is about.
func Actions(of func(host.Context) *State) []host.Action {
	do := func(do func(*State, host.Context) tea.Cmd) func(host.Context) tea.Cmd {
		return func(c host.Context) tea.Cmd { return do(of(c), c) }
	}
	can := func(can func(*State, host.Context) (bool, string)) func(host.Context) (bool, string) {
		return func(c host.Context) (bool, string) { return can(of(c), c) }
	}
	title := func(c host.Context) string { return of(c).pauseTitle() }
	return []host.Action{
		{Entry: host.Entry{ID: actPause, Keys: []string{"Z"}, Scope: keymap.Global, Title: "pause watching", Help: "Pause restarts on file changes, or resume them: then also for files changed meanwhile.", Enabled: can((*State).canWatch), CurrentTitle: title}, Do: do((*State).pause)},
		{Entry: host.Entry{ID: actNow, Keys: []string{"ctrl+w"}, Scope: keymap.Global, Title: "restart and re-send", Help: "Do the same as after a file change: restart the server, re-send the last requests, and compare the responses.", Enabled: can((*State).canRunNow)}, Do: do((*State).runNow)},
		{Entry: host.Entry{ID: actRest, Keys: []string{"d"}, Scope: keymap.Global, Title: "send calls not re-sent", Help: "Send the calls that were not re-sent after a change because they may have side effects, and compare.", Destructive: true, Enabled: can((*State).canSendUnsent)}, Do: do((*State).sendUnsent)},
		{Entry: host.Entry{ID: actAlways, Keys: []string{"ctrl+y"}, Scope: keymap.Global, Title: "always re-send this tool", Help: "Re-send calls of the tool in the selected row after every change from now on, even if they may have side effects; if the row calls none of them, calls of all tools that were not re-sent.", Destructive: true, Enabled: can((*State).canSendAlways)}, Do: do((*State).sendAlways)},
	}
}

// pauseTitle is the title of the pause action while the watch is paused.
func (s *State) pauseTitle() string {
	if s.paused {
		return "resume watching"
	}
	return ""
}
