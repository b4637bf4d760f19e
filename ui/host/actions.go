package host

import (
	"mcpdbg/session"
	"mcpdbg/ui/workspace"
)

// The names of actions that more than one screen mentions or carries out.
const (
	ActAnswer       = "answer" // a request of the server
	ActBack         = "back"
	ActCatalog      = "catalog"
	ActCompose      = "compose"
	ActCauses       = "what-is-wrong" // the likely causes
	ActCompare      = "compare"
	ActCompareCalls = "compare-calls"
	ActDetail       = "detail"
	ActGridPalette  = "grid-commands" // the palette, over a smoke run
	ActHelp         = "help"
	ActInterrupt    = "interrupt"
	ActKill         = "kill"
	ActOpen         = "open"
	ActPalette      = "palette"
	ActProblems     = "findings"
	ActProcess      = "info"
	ActReplay       = "replay"
	ActRestart      = "restart"
	ActSessions     = "sessions"
	ActWhole        = "whole" // the whole recording, not a moment of it
)

// NoServer returns why a workspace has no server to act on, and which key helps. The text
// is made once: every frame asks for it.
func NoServer(c Context) string {
	if t := c.Workspace.Tap; t != nil && !t.Over {
		return "not in the session of a client"
	}
	if c.Workspace.NoServer == "" {
		c.Workspace.NoServer = noServer(c)
	}
	return c.Workspace.NoServer
}

func noServer(c Context) string {
	switch {
	case c.Workspace.Empty():
		return workspace.ErrNoSession.Error()
	case c.Workspace.OfTarget():
		return "this is a recording: there is no server; " + c.Host.Key(ActRestart) + " starts one on its host"
	}
	return "this is a recording: there is no server; " + c.Host.Key(ActReplay) + " replays it"
}

// CanSend reports whether there is a server to send to, and if not, why.
func CanSend(c Context) (bool, string) {
	if c.Workspace.Session == nil {
		return false, NoServer(c)
	}
	switch c.Workspace.Status.State {
	case session.Handshaking, session.Ready, session.Running, session.Stopping:
		return true, ""
	}
	return false, "no server is running"
}

// HasPartner reports whether the selected row is a request with a response, or a response
// with a request, and if not, why.
func HasPartner(c Context) (bool, string) {
	return c.Workspace.Viewed.OK && c.Workspace.Viewed.Row.Paired(), "the selected row has no partner"
}

// HasSession reports whether a session or recording is open, and if not, why.
func HasSession(c Context) (bool, string) {
	return !c.Workspace.Empty(), workspace.ErrNoSession.Error()
}

// AnyMark reports whether a row is marked, and if not, why.
func AnyMark(c Context) (bool, string) {
	return len(c.Workspace.Notes.Marks) > 0, "no row is marked"
}

// HasTraffic reports whether a row of the traffic is selected, and if not, why.
func HasTraffic(c Context) (bool, string) {
	return c.Workspace.Selected.OK && c.Workspace.Selected.Traffic, "no row of the traffic is selected"
}

// HasSelection reports whether a row is selected, and if not, why.
func HasSelection(c Context) (bool, string) { return c.Workspace.Selected.OK, "no row is selected" }

// Reveal selects a row of the traffic, which keeps following if the cursor is there
// anyway.
func Reveal(c Context, row int) {
	c.Workspace.Overview = false
	if c.Workspace.AtRow != row {
		c.Panes().Select(row)
	}
}

// CanRestart reports whether there is a server to restart, and if not, why.
func CanRestart(c Context) (bool, string) {
	switch {
	case c.Workspace.Session == nil:
		return false, NoServer(c)
	case c.Workspace.Starting:
		return false, "the server is starting"
	}
	return true, ""
}
