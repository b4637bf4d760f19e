package problems

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
)

const (
	// maxEvidence is how much of an entry is shown as evidence, in bytes.
	maxEvidence = 300
	// reportLines is how many lines of stderr a report has.
	reportLines = 20
)

// The text of the row that was read last: each frame asks for it.
type evidence struct {
	source session.Source
	row    int
	read   bool
	label  string // its kind and time
	text   string // untrusted
}

// text is empty if there is no such row.
func (e *evidence) of(c host.Context, number int) (label, text string) {
	if source := c.Workspace.Shown.Source; e.source != source || e.row != number || !e.read {
		*e = evidence{source: source, row: number, read: true}
		e.label, e.text = readRow(c, number)
	}
	return e.label, e.text
}

func readRow(c host.Context, number int) (label, text string) {
	row, ok := c.Workspace.Shown.Rows.At(number)
	if !ok || !row.Kind.IsStream() { // the text of the cause has what an event says
		return "", ""
	}
	entry, err := c.Workspace.Shown.Source.Entry(row, maxEvidence)
	if err != nil {
		return "", ""
	}
	label = row.Kind.String() + " " + string(wording.AppendClock(nil, row.T))
	return label, wording.Clip(strings.Join(strings.Fields(session.Describe(&entry)), " "), maxEvidence, wording.Dots)
}

func copyReport(c host.Context) tea.Cmd {
	text := report(c)
	return func() tea.Msg { return host.Clipboard("report", "", text, "", true) }
}

// report describes what is wrong with a session, for a person who does not see the
// screen.
func report(c host.Context) string {
	var b strings.Builder
	ws := c.Workspace
	fmt.Fprintf(&b, "server:   %s\n", kit.QuoteWords(ws.Shown.Header().Argv))
	for _, line := range []struct{ label, text string }{
		{"host:     ", ws.Host()}, {"protocol: ", ws.Shown.Lifecycle.Protocol}, {"ended:    ", ws.ExitText()},
	} {
		if line.text != "" {
			b.WriteString(line.label + line.text + "\n")
		}
	}
	for _, cause := range ws.Shown.Causes.Found {
		b.WriteString("\n" + cause.Severity.String() + ": " + title(cause) + "\n")
		if label, text := readRow(c, cause.Row); text != "" {
			b.WriteString("  " + label + "  " + text + "\n")
		}
		if cause.Advice != "" {
			b.WriteString("  " + sentence(diagnosis.WithoutPath(cause.Advice)) + "\n")
		}
	}
	b.WriteString("\n" + checkedText(c) + "\n")
	if lines := lastStderr(c); len(lines) > 0 {
		b.WriteString("\nstderr, last lines:\n  " + strings.Join(lines, "\n  ") + "\n")
	}
	return b.String()
}

func lastStderr(c host.Context) (lines []string) {
	rows := c.Workspace.Shown.Index.Stderr
	for _, number := range rows[max(len(rows)-reportLines, 0):] {
		if row, ok := c.Workspace.Shown.Rows.At(int(number)); ok {
			if entry, err := c.Workspace.Shown.Source.Entry(row, maxEvidence); err == nil {
				lines = append(lines, wording.Clip(string(entry.Payload), maxEvidence, wording.Dots))
			}
		}
	}
	return lines
}
