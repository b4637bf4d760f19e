package problems

import (
	"errors"
	"strings"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
)

// StartFailed returns the dialog about a server that could not be started.
func StartFailed(c host.Context, what string, err error) *host.Dialog {
	d := &host.Dialog{About: host.AboutStart, Title: "The server could not be started", Lines: []string{wording.Clip(what+": "+err.Error(), kit.MaxServerText, wording.Dots)}}
	var start *executor.StartError
	if errors.As(err, &start) {
		d.Lines = []string{wording.Clip(err.Error(), kit.MaxServerText, wording.Dots), startFacts(start)}
	}
	var open *session.OpenError
	switch {
	case errors.As(err, &open):
		d.Add("Hint:", diagnosis.WithoutPath(open.Hint))
		d.Add(saidLabel(open.SaidBy), open.Said)
		d.Add("stdout lines that are not messages:", open.Stray...)
		d.Add("stderr:", open.Stderr...)
	case start != nil:
		d.Add("Hint:", diagnosis.WithoutPath(start.Hint))
		d.Add(saidLabel(start.SaidBy), start.Said)
	}
	d.Lines = append(d.Lines, "", "Then: "+c.Host.Key(host.ActCauses)+" what to do, "+c.Host.Key(host.ActRestart)+" start it again")
	return d
}

// saidLabel names the speaker of the text that follows.
func saidLabel(by executor.Speaker) string {
	label := by.String() + " said:"
	return strings.ToUpper(label[:1]) + label[1:]
}

// startFacts returns the facts of a failed start apart from its error, in one
// line.
func startFacts(e *executor.StartError) string {
	text := string(e.Code)
	if e.Phase != "" {
		text += ", during " + e.Phase
	}
	if e.Elapsed >= time.Millisecond {
		text += ", after " + e.Elapsed.Round(time.Millisecond).String()
	}
	return text
}
