package host

// The names of actions that more than one screen mentions or carries out.
const (
	ActAnswer    = "answer" // a request of the server
	ActBack      = "back"
	ActCatalog   = "catalog"
	ActCauses    = "what-is-wrong" // the likely causes
	ActCompare   = "compare"
	ActInterrupt = "interrupt"
	ActKill      = "kill"
	ActOpen      = "open"
	ActPartner   = "partner"
	ActProblems  = "findings"
	ActProcess   = "info"
	ActReplay    = "replay"
	ActRestart   = "restart"
	ActWhole     = "whole" // the whole recording, not a moment of it
)
