package ui

import (
	"strings"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// linkPart is the connection to the host: whose it is, how it does in a word,
// and the time of a round trip. Trouble with it stays on any screen.
func (a *App) linkPart() part {
	p := part{text: strings.TrimSpace("ssh " + a.host() + " " + a.linkText()), style: a.linkStyle(), priority: 62}
	switch a.linkState() {
	case "":
		p.style = a.theme.Text // nothing is known yet
	case string(executor.LinkStalled), string(executor.LinkLost):
		p.priority = must
	default:
		p.short = "ssh " + a.host()
	}
	return p
}

// lostLink tells whether the connection to the process was lost.
func (a *App) lostLink() bool {
	return a.story.lost != nil && a.story.lost.Code != ""
}

// linkState is the state of the connection to the host, empty on this machine.
func (a *App) linkState() string {
	if a.story.link == nil {
		return ""
	}
	if link := a.status.Process.Link; link != nil && a.session != nil && a.status.State != session.Starting {
		return string(link.State)
	}
	return a.story.link.State
}

// linkRTT is the round trip time to the host, 0 if it is not known.
func (a *App) linkRTT() time.Duration {
	switch link := a.status.Process.Link; {
	case link != nil && a.session != nil:
		return link.RTT
	case a.story.link != nil:
		return time.Duration(a.story.link.RTT) * time.Microsecond
	}
	return 0
}

// subjectTitle is what is looked at, without the host behind it in brackets
// where that stands beside it anyway.
func (a *App) subjectTitle() string {
	if host := a.host(); host != "" {
		return strings.TrimSuffix(a.title, " ("+host+")")
	}
	return a.title
}
