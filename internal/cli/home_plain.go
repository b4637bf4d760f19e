package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"mcpdbg/session/target"
	"mcpdbg/ui/termsafe"
)

// firstStart is what is said when there is nothing to be listed.
const firstStart = `mcpdbg shows all that passes between an MCP server on stdio and its client, and records it.
No config file of an MCP client was found here or in your home, and nothing is recorded yet.
Look around with "mcpdbg demo", or debug a server with "mcpdbg -- COMMAND [ARG...]".
`

// plain is the list of what there is, as text.
func (h *home) plain() string {
	if len(h.files) == 0 && len(h.recent) == 0 && len(h.notes) == 0 {
		return firstStart
	}
	var p page
	for i := range h.files {
		p.file(&h.files[i])
	}
	if h.servers() == 0 {
		p.line("no servers were found in the config files of MCP clients")
	}
	p.recordings(h)
	for _, note := range h.notes {
		p.line("note: " + note)
	}
	if h.servers() > 0 {
		p.line("start one:  mcpdbg --config FILE --server NAME")
	}
	p.line("the demo:   mcpdbg demo")
	return p.String()
}

// A page is text of lines, each made safe.
type page struct{ strings.Builder }

func (p *page) line(text string) { p.WriteString(strings.TrimRight(termsafe.String(text), " ") + "\n") }

// columns is a line of texts in columns of some width, the last one as it is.
func (p *page) columns(widths []int, texts ...string) {
	var line []byte
	for i, text := range texts {
		width := termsafe.Width(text)
		if i < len(widths) {
			width = max(width, widths[i])
		}
		line = append(line, "  "...)
		line = termsafe.AppendAligned(line, []byte(text), width, termsafe.Left, termsafe.Options{})
	}
	p.WriteString(strings.TrimRight(string(line), " ") + "\n")
}

// Widths of the columns: name and place of a server; time, size and state of a
// recording.
var (
	serverWidths    = []int{20, 12}
	recordingWidths = []int{16, 10, 20, 12}
)

// file is a config file with its servers.
func (p *page) file(f *target.File) {
	title := shortPath(f.Path)
	if f.Client != "" {
		title += fmt.Sprintf("  %s, %s", f.Client, f.Scope)
	}
	p.line(title)
	var broken *target.Problem
	if errors.As(f.Err, &broken) {
		p.columns(nil, placed(broken))
	}
	for i := range f.Unread {
		p.columns(nil, placed(&f.Unread[i]))
	}
	for i := range f.Entries {
		p.server(f, &f.Entries[i])
	}
	p.line("")
}

// placed is a problem with its place in the file.
func placed(problem *target.Problem) string {
	switch {
	case problem.Line == 0:
		return problem.Text
	case problem.Server != "":
		return fmt.Sprintf("line %d, column %d: server %q %s", problem.Line, problem.Column, problem.Server, problem.Text)
	}
	return fmt.Sprintf("line %d, column %d: %s", problem.Line, problem.Column, problem.Text)
}

// server is one server: where it would run and what, or why it can't be run.
func (p *page) server(f *target.File, e *target.Entry) {
	why, try := e.Why()
	if why != "" {
		if try != "" {
			why += " (try: " + try + ")"
		}
		p.columns(serverWidths, e.Name, "can't run", why)
		return
	}
	p.columns(serverWidths, e.Name, where(e.SSH), commandText(e))
	if e.Project != f.Project {
		p.columns(serverWidths, "", "", "in "+shortPath(e.Project))
	}
	for _, in := range e.Inputs {
		p.columns(serverWidths, "", "", "needs --input "+in.ID+"=..."+describeInput(in))
	}
	for i := range e.Problems {
		p.columns(serverWidths, "", "", "note: "+e.Problems[i].Text)
	}
}

// recordings are the recent ones.
func (p *page) recordings(h *home) {
	if h.total == 0 {
		return
	}
	title := fmt.Sprintf("recordings in %s", shortPath(h.folder))
	if h.total > len(h.recent) {
		title += fmt.Sprintf(", the newest %d of %d", len(h.recent), h.total)
	}
	p.line(title)
	for i := range h.recent {
		r := &h.recent[i]
		state := ""
		if !r.whole {
			state = "  not finished"
		}
		p.columns(recordingWidths, r.when.Format("2006-01-02 15:04"), byteCount(r.size), r.name(), where(r.header.Host), filepath.Base(r.path)+state)
	}
	p.line("")
}
