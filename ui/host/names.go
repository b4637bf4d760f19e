package host

// The names of actions that more than one screen mentions or carries out.
const (
	ActAnswer      = "answer" // a request of the server
	ActBack        = "back"
	ActCatalog     = "catalog"
	ActCauses      = "what-is-wrong" // the likely causes
	ActCompare     = "compare"
	ActDetail      = "detail"
	ActGridPalette = "grid-commands" // the palette, over a smoke run
	ActHelp        = "help"
	ActInterrupt   = "interrupt"
	ActKill        = "kill"
	ActOpen        = "open"
	ActPalette     = "palette"
	ActPartner     = "partner"
	ActProblems    = "findings"
	ActProcess     = "info"
	ActReplay      = "replay"
	ActRestart     = "restart"
	ActSessions    = "sessions"
	ActWhole       = "whole" // the whole recording, not a moment of it
)
