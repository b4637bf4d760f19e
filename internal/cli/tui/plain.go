package tui

import (
	"errors"
	"fmt"
	"path/filepath"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings/store"
	"mcpdbg/session"
	"mcpdbg/session/target"
	"mcpdbg/session/via"
)

// FirstStart is printed for an empty list.
const FirstStart = `mcpdbg shows and records everything that passes between an MCP server on stdio and its client.
No config file of an MCP client was found here or in your home, and nothing is recorded yet.
Try the demo with "mcpdbg demo", or debug a server with "mcpdbg -- COMMAND [ARG...]".
`

func homeText(h *home) string {
	if len(h.Files) == 0 && len(h.Recordings) == 0 && len(h.Notes) == 0 {
		return FirstStart
	}
	var p console.Page
	for i := range h.Files {
		addFile(&p, &h.Files[i])
	}
	if h.Servers() == 0 {
		p.Line("no servers found in the config files of MCP clients")
	}
	addRecordings(&p, h)
	for _, note := range h.Notes {
		p.Line("note: " + note)
	}
	if h.Servers() > 0 {
		p.Line("start one:  mcpdbg --config FILE --server NAME")
	}
	p.Line("the demo:   mcpdbg demo")
	return p.String()
}

// Widths: name and place of a server; time, size, messages, state and file of a
// recording.
var (
	serverWidths    = []int{20, 12}
	recordingWidths = []int{16, 10, 14, 12, 44}
)

// addFile adds a config file with its servers.
func addFile(p *console.Page, f *target.File) {
	title := wording.Path(f.Path)
	if f.Client != "" {
		title += fmt.Sprintf("  %s, %s", f.Client, f.Scope)
	}
	p.Line(title)
	if broken, ok := errors.AsType[*target.Problem](f.Err); ok {
		p.Columns(nil, withPlace(broken))
	}
	for i := range f.Unread {
		p.Columns(nil, withPlace(&f.Unread[i]))
	}
	for i := range f.Entries {
		addServer(p, f, &f.Entries[i])
	}
	p.Line("")
}

func withPlace(problem *target.Problem) string {
	switch {
	case problem.Line == 0:
		return problem.Text
	case problem.Server != "":
		return fmt.Sprintf("line %d, column %d: server %q %s", problem.Line, problem.Column, problem.Server, problem.Text)
	}
	return fmt.Sprintf("line %d, column %d: %s", problem.Line, problem.Column, problem.Text)
}

// Where it runs and its command, or why it can't be run.
func addServer(p *console.Page, f *target.File, e *target.Entry) {
	why, try := e.Why()
	if why != "" {
		if try != "" {
			why += " (try: " + try + ")"
		}
		p.Columns(serverWidths, e.Name, "can't run", why)
		return
	}
	p.Columns(serverWidths, e.Name, wording.Place(via.Where(e.ExecServer, e.Prefix(), e.SSH)), commandText(e))
	if e.Project != f.Project {
		p.Columns(serverWidths, "", "", "in "+wording.Path(e.Project))
	}
	for _, in := range e.Inputs {
		p.Columns(serverWidths, "", "", "needs --input "+in.ID+"=..."+flags.DescribeInput(in))
	}
	for i := range e.Problems {
		p.Columns(serverWidths, "", "", "note: "+e.Problems[i].Text)
	}
}

func addRecordings(p *console.Page, h *home) {
	if len(h.Recordings) == 0 {
		return
	}
	recent := h.Recent()
	title := fmt.Sprintf("recordings in %s", wording.Paths(h.Folders))
	if total := len(h.Recordings); total > len(recent) {
		title += fmt.Sprintf(", the newest %d of %d", len(recent), total)
	}
	p.Line(title)
	for i := range recent {
		r := &recent[i]
		p.Columns(recordingWidths, r.When.Format("2006-01-02 15:04"), wording.Bytes(r.Size), messages(r), state(r), filepath.Base(r.Path), r.Command())
	}
	p.Line("")
}

// "-" if the last entry lacks the number.
func messages(r *store.Recording) string {
	if r.Counts == nil {
		return "-"
	}
	return wording.Plural(r.Counts.Out+r.Counts.In, "message")
}

// The number of errors in a whole recording, or its state.
func state(r *store.Recording) string {
	switch {
	case r.State == session.RecordingOn:
		return "LIVE"
	case !r.Whole():
		return "not finished"
	case r.Counts != nil && r.Counts.Errors > 0:
		return wording.Plural(r.Counts.Errors, "error")
	}
	return "done"
}
