package ui

import "mcpdbg/ui/keymap"

// The actions of a watch over files.
const (
	actWatchPause  = "watch-pause"
	actWatchNow    = "watch-now"
	actWatchRest   = "watch-rest"
	actWatchAlways = "watch-always"
)

func watchActions() []action {
	return []action{
		{entry{ID: actWatchPause, Keys: []string{"Z"}, Scope: keymap.Global, Title: "hold the watch", Help: "Do not restart the server when files change, or go on with it: then with what changed meanwhile.", Enabled: canWatch, Now: watchNowTitle}, (*App).pauseWatch},
		{entry{ID: actWatchNow, Keys: []string{"ctrl+w"}, Scope: keymap.Global, Title: "restart and ask again", Help: "Do what is done when a file changes: start the server again, send the last requests once more, and compare the answers.", Enabled: canWatchNow}, (*App).watchNow},
		{entry{ID: actWatchRest, Keys: []string{"d"}, Scope: keymap.Global, Title: "send calls not re-sent", Help: "Send the calls that were not re-sent after a change because they may have side effects, and compare.", Destructive: true, Enabled: canWatchRest}, (*App).watchRest},
		{entry{ID: actWatchAlways, Keys: []string{"ctrl+y"}, Scope: keymap.Global, Title: "re-send this tool always", Help: "Re-send calls of the tool of the selected row after every change from now on, though they may have side effects; or, if the row calls none of them, of all tools that were not re-sent.", Destructive: true, Enabled: canWatchAlways}, (*App).watchAlways},
	}
}

// watchNowTitle is what the key of the pause means while there is one.
func watchNowTitle(a *App) string {
	if a.watching != nil && a.watching.paused {
		return "go on with the watch"
	}
	return ""
}
