package server

import (
	"fmt"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
)

// fileBadge marks a recording in the header, and how much of it has been read.
func fileBadge(c host.Context) string {
	if c.Workspace.Reading != nil {
		return fmt.Sprintf("READING %d %%", c.Workspace.PercentRead())
	}
	if c.Workspace.Shown.Tap() {
		return "TAP"
	}
	return "FILE"
}

// recordedState returns the state of the recorded session according to its log.
// It is empty while only the end of the log is known.
func recordedState(c host.Context) (string, paint.Style) {
	s := c.Workspace.Shown.Lifecycle
	if s.State == "" || c.Workspace.Shown.Index.Partial {
		return "", c.Host.Screen().Theme.Text
	}
	if s.Lost != nil && s.Lost.Code != "" {
		return "state unknown", c.Host.Screen().Theme.Failed
	}
	status := session.Status{State: session.State(s.State)}
	if s.Exited != nil {
		exit := s.Exited.Exit()
		status.Process.Exit = &exit
	}
	over := status.State == session.Closed || status.State == session.Failed
	if s.Exited != nil && !over {
		status.State = session.Exited // in the log the exit precedes the state
	}
	text, style := liveState(status, c.Host.Screen().Theme)
	if !over && c.Workspace.Shown.Source.Stats().Recording.Complete() {
		text, style = "was "+text, c.Host.Screen().Theme.Odd // when the recording ended
	}
	return text, style
}

// filePart returns how much is in the file, or its state and size if its recorder did not
// finish it or is still writing it.
func filePart(stats session.Stats, tap bool, th *paint.Theme) kit.Part {
	bytes := wording.Size(stats.Size)
	p := kit.Part{Text: wording.Counted(int(stats.Out+stats.In), "message"), Style: th.Text, Right: true, Priority: 65}
	switch stats.Recording {
	case session.RecordingTorn:
		p = kit.Part{Text: "TORN " + bytes + ", its recorder did not finish", Short: "TORN " + bytes, Style: th.Odd, Right: true, Priority: 85}
	case session.RecordingOn:
		if tap {
			return kit.Part{Text: "REC " + bytes, Style: th.Good, Right: true, Priority: 85}
		}
		p = kit.Part{Text: "LIVE elsewhere, following " + bytes, Short: "LIVE elsewhere", Style: th.Good, Right: true, Priority: 85}
	case session.RecordingReading:
		p.Text = "file " + bytes
	case session.RecordingParted:
		p = kit.Part{Text: "PARTS MISSING " + bytes + ", its next file is missing", Short: "PARTS MISSING", Style: th.Odd, Right: true, Priority: 85}
	case session.RecordingCut:
		return kit.Part{Text: "INCOMPLETE " + bytes + ", " + stats.RecordingError, Short: "INCOMPLETE " + bytes, Style: th.Failed, Right: true, Priority: 98}
	case session.RecordingShrunk:
		p = kit.Part{Text: "SHRUNK: file truncated, was " + bytes, Short: "SHRUNK", Style: th.Failed, Right: true, Priority: 98}
	}
	if stats.RecordingError != "" {
		p = kit.Part{Text: "NOT FULLY READ: " + stats.RecordingError, Short: "NOT FULLY READ", Style: th.Failed, Right: true, Priority: 98}
	}
	return p
}

func skippedPart(c host.Context) kit.Part {
	text := c.Workspace.Skipped()
	if text == "" || c.Workspace.Reading != nil {
		return kit.Part{}
	}
	return kit.Part{Text: "not understood: " + text, Short: "! partly understood", Style: c.Host.Screen().Theme.Odd, Right: true, Priority: 76}
}

func fileState(state session.RecordingState) string {
	switch state {
	case session.RecordingTorn:
		return "torn"
	case session.RecordingOn:
		return "followed"
	case session.RecordingReading:
		return "reading"
	case session.RecordingParted:
		return "parts missing"
	case session.RecordingCut:
		return "incomplete"
	case session.RecordingShrunk:
		return "shrunk"
	}
	return "done"
}
