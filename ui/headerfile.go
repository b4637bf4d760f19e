package ui

import (
	"fmt"

	"mcpdbg/session"
	"mcpdbg/ui/theme"
)

// fileBadge says in the header that a recording is looked at, and how much of it
// is known.
func (a *App) fileBadge() string {
	if a.reading != nil {
		return fmt.Sprintf("READING %d %%", a.percentRead())
	}
	return "FILE"
}

// recordedState says in what state the session was, as far as its log tells. It
// is empty while only the end of that is known.
func (a *App) recordedState() (string, theme.Style) {
	s := a.story
	if s.state == "" || a.index.partial {
		return "", a.theme.Text
	}
	if s.lost != nil && s.lost.Code != "" {
		return "state unknown", a.theme.Error
	}
	status := session.Status{State: session.State(s.state)}
	if s.exited != nil {
		exit := s.exited.Exit()
		status.Process.Exit = &exit
	}
	over := status.State == session.Closed || status.State == session.Failed
	if s.exited != nil && !over {
		status.State = session.Exited // the log has the exit before the state
	}
	text, style := liveState(status, a.theme)
	if !over && a.source.Stats().Recording.Complete() {
		text, style = "was "+text, a.theme.Warn // when the recording ended
	}
	return text, style
}

// filePart says what the file is: whether its recorder finished it, or is still
// at work, and how large it is.
func filePart(stats session.Stats, th *theme.Theme) part {
	bytes := size(stats.Size)
	p := part{text: "REC DONE " + bytes, style: th.Text, group: 2, priority: 65}
	switch stats.Recording {
	case session.RecordingTorn:
		p = part{text: "TORN " + bytes + ", its recorder did not finish", short: "TORN " + bytes, style: th.Warn, group: 2, priority: 85}
	case session.RecordingOn:
		p = part{text: "LIVE elsewhere, followed " + bytes, short: "LIVE elsewhere", style: th.OK, group: 2, priority: 85}
	case session.RecordingReading:
		p.text = "file " + bytes
	case session.RecordingParted:
		p = part{text: "PARTS MISSING " + bytes + ", it goes on in a file that is not there", short: "PARTS MISSING", style: th.Warn, group: 2, priority: 85}
	case session.RecordingCut:
		return part{text: "INCOMPLETE " + bytes + ", " + stats.RecordingError, short: "INCOMPLETE " + bytes, style: th.Error, group: 2, priority: 98}
	case session.RecordingShrunk:
		p = part{text: "SHRUNK: the file got shorter, it was " + bytes, short: "SHRUNK", style: th.Error, group: 2, priority: 98}
	}
	if stats.RecordingError != "" {
		p = part{text: "NOT READ TO ITS END: " + stats.RecordingError, short: "NOT READ TO ITS END", style: th.Error, group: 2, priority: 98}
	}
	return p
}

// skippedPart counts what was not understood in a file.
func (a *App) skippedPart() part {
	text := a.skipped()
	if text == "" || a.reading != nil {
		return part{}
	}
	return part{text: "not understood: " + text, short: "! not all understood", style: a.theme.Warn, group: 2, priority: 76}
}

// fileState is the state of a recording in the list of sessions.
func fileState(state session.RecordingState) string {
	switch state {
	case session.RecordingTorn:
		return "torn"
	case session.RecordingOn:
		return "followed"
	case session.RecordingReading:
		return "being read"
	case session.RecordingParted:
		return "parts missing"
	case session.RecordingCut:
		return "incomplete"
	case session.RecordingShrunk:
		return "shrunk"
	}
	return "done"
}
