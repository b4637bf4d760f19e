package ui

import (
	"strings"

	"mcpdbg/session/executor"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/process"
	"mcpdbg/ui/status"
)

// headerParts returns the parts of the header line.
func (sc *sessionScreen) headerParts() []kit.Part {
	c := sc.context()
	others := status.Others{Watch: sc.watching.Part(c), Problems: problems.Parts(c)}
	if sc.ws.Host() != "" {
		others.Link = sc.linkPart()
	}
	return status.Header(c, others)
}

// linkPart is the header part for the connection to the host: its name, its state
// in a word, and the round-trip time. A failing connection is shown on any
// screen.
func (sc *sessionScreen) linkPart() kit.Part {
	p := kit.Part{Text: strings.TrimSpace("ssh " + sc.ws.Host() + " " + process.LinkText(sc.ws)), Style: process.LinkStyle(sc.context()), Priority: 62}
	switch sc.ws.LinkState() {
	case "":
		p.Style = sc.app.screen.Theme.Text // no state is known yet
	case string(executor.LinkStalled), string(executor.LinkLost):
		p.Priority = kit.Must
	default:
		p.Short = "ssh " + sc.ws.Host()
	}
	return p
}
