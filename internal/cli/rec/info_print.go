package rec

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/ui/widget/termsafe"
)

const shownMethods = 40

// Text from the server is sanitized.
func (info *Info) print(w io.Writer) error {
	var out bytes.Buffer
	line := func(format string, args ...any) {
		out.WriteString(termsafe.String(fmt.Sprintf(format, args...)))
		out.WriteByte('\n')
	}
	info.printFacts(line)
	info.printCauses(line)
	info.printCalls(line)
	info.printNotified(line)
	info.printUnread(line)
	info.printProblems(line)
	_, err := w.Write(out.Bytes())
	return err
}

type linePrinter func(format string, args ...any)

func (info *Info) printFacts(line linePrinter) {
	h, c := info.Header, info.Counts
	place := h.Placement
	if h.Host != "" {
		place += " " + h.Host
	}
	line("file       %s", info.File)
	line("           %s, %d entries, %s", wording.Bytes(info.Size), info.Entries, cmp.Or(info.Stopped, stateWords[info.State]))
	line("command    %s", strings.Join(h.Argv, " "))
	place = wording.Join(" ", place, h.ExecServer)
	if len(h.Via) > 0 {
		line("through    %s", wording.CommandLine(h.Via))
	}
	line("           %s%s", place, wording.IfAny(", in ", h.Cwd))
	if h.Mode == session.ModeTap {
		line("tap        %s%s", h.Name, wording.IfAny(", under ", info.Client))
	}
	for i := range info.Servers {
		line("server     %s", &info.Servers[i])
	}
	if h.Mode != session.ModeTap && info.Client != "" && info.Client != h.Tool {
		line("client     %s", info.Client)
	}
	long := wording.Took(info.Duration) + " long"
	if info.Untimed {
		long = "without times: all entries have the same"
	}
	line("recorded   %s, %s, by %s", h.Recorded(), long, h.Tool)
	line("sent       %s, %s", wording.Plural(c.Sent, "message"), wording.Bytes(int64(c.SentBytes)))
	line("received   %s, %s%s%s", wording.Plural(c.Received, "message"), wording.Bytes(int64(c.Bytes)),
		withError(c.Errors), wording.IfAny(", ", strayLines(c.Stray)))
	line("stderr     %s, %s", wording.Plural(c.StderrLines, "line"), wording.Bytes(int64(c.StderrBytes)))
	if c.Runs > 1 {
		line("processes  %d", c.Runs)
	}
	if c.Lagged+c.Held+c.Gaps > 0 {
		line("flow       %s", strings.TrimPrefix(wording.IfCounted(c.Lagged, ", %s", "lag")+wording.IfCounted(c.Held, ", %s", "stall")+
			wording.IfCounted(c.Gaps, ", %s", "gap")+wording.IfCounted(c.LostBytes, ", %s lost", "byte"), ", "))
	}
	if h.Imported != nil {
		line("imported   from %s%s", h.Imported.From, wording.IfAny(", ", h.Imported.File))
	}
	if h.Redacted != nil {
		line("redacted   a copy, with %s removed", wording.Plural(redactions(h.Redacted), "value"))
	}
	if info.Skipped != "" {
		line("skipped    %s", info.Skipped)
	}
}

// printUnread prints the lines that are not messages, or not readable.
func (info *Info) printUnread(line linePrinter) {
	if len(info.Stray)+len(info.Unread) > 0 {
		line("")
	}
	for i, s := range info.Stray {
		title := ""
		if i == 0 {
			title = "noise"
		}
		more := ""
		if s.Size > int64(len(s.Text)) {
			more = fmt.Sprintf(" … (%d bytes)", s.Size)
		}
		line("%-10s entry %d%s: %s%s", title, s.N, wording.IfAny(", seq ", seqText(s.Seq)), s.Text, more)
	}
	if n := uint64(len(info.Stray)); n > 0 && info.Counts.Stray > n {
		line("           and %d more", info.Counts.Stray-n)
	}
	for i, u := range info.Unread {
		title := ""
		if i == 0 {
			title = "unreadable"
		}
		line("%-10s entry %d: %s", title, u.N, u.Why)
	}
	if info.moreUnread > 0 {
		line("           and %d more", info.moreUnread)
	}
}

// Errors and isError are results, not problems. "" if there are none.
func withError(n uint64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d with an error", n)
}

// "" if there are none.
func strayLines(n uint64) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 line that is not a message"
	}
	return fmt.Sprintf("%d lines that are not messages", n)
}

var stateWords = map[string]string{
	"done": "done", "live": "live: still being recorded", "torn": "torn: the recorder was killed or could not write",
	"parts missing": "parts missing: at least one part was not found", damaged: "damaged: lines of it cannot be read",
}

func (info *Info) printNotified(line linePrinter) {
	if len(info.Notified) == 0 {
		return
	}
	wide := len("notification")
	for _, n := range info.Notified[:min(len(info.Notified), shownMethods)] {
		wide = methodWidth(wide, n.Method)
	}
	line("")
	line("%-6s  %-*s  %6s", "from", wide, "notification", "count")
	for i, n := range info.Notified {
		if i == shownMethods {
			line("and %d more notifications (--json lists all)", len(info.Notified)-i)
			break
		}
		name := termsafe.AppendAligned(nil, []byte(n.Method), wide, termsafe.Left, termsafe.Options{})
		line("%-6s  %s  %6d", n.From, name, n.Count)
	}
}

// methodWidth fits this method too. Longer names are cut.
func methodWidth(wide int, method string) int {
	const widest = 40
	return min(max(wide, termsafe.Width(termsafe.String(method))), widest)
}

func redactions(by map[string]uint64) uint64 {
	total := uint64(0)
	for _, n := range by {
		total += n
	}
	return total
}

func (info *Info) printProblems(line linePrinter) {
	line("")
	line("checked    %s", info.Checked)
	found := diagnosis.CountGroups(info.groups)
	limit := ""
	if info.damaged {
		limit = " in the lines that could be read"
	}
	line("           %s%s%s", found, limit, wording.IfCounted(uint64(info.Missed), "; %s could not be read", "entry"))
	shown := map[string]bool{}
	for i := range info.groups {
		g := &info.groups[i]
		if g.End == nil {
			info.printProblem(line, "", info.Problems[g.Items[0]].Flood(g), shown)
			continue
		}
		info.printCause(line, g)
		for _, item := range g.Items[:min(len(g.Items), shownConsequences)] {
			info.printProblem(line, "  ", info.Problems[item], shown)
		}
		if more := len(g.Items) - shownConsequences; more > 0 {
			line("           and %s (--json lists them)", wording.Plural(more, "further consequence"))
		}
	}
}

const shownConsequences = 10

func (info *Info) printCause(line linePrinter, g *diagnosis.Group) {
	cause := info.Problems[g.Items[0]].Cause
	at := ""
	if cause.N > 0 {
		at = fmt.Sprintf("  entry %d", cause.N)
	}
	line("%s cause%s  %s", g.Severity.Letter(), at, cause.Text)
	if cause.Advice != "" {
		line("         try: %s", cause.Advice)
	}
}

// The first problem of a rule is followed by its consequences for people.
func (info *Info) printProblem(line linePrinter, indent string, f verify.Problem, shown map[string]bool) {
	line("%s%s %s  entry %d%s  %s", indent, strings.ToUpper(f.Severity[:1]), f.ID, f.N, wording.IfAny(", seq ", seqText(f.Seq)), f.Message())
	if !shown[f.ID] {
		shown[f.ID] = true
		line("%s         breaks: %s", indent, f.Breaks)
	}
}

func seqText(seq uint64) string {
	if seq == 0 {
		return ""
	}
	return fmt.Sprint(seq)
}

// micros formats a response time, "-" for nil.
func micros(us *int64) string {
	if us == nil {
		return "-"
	}
	return wording.Took(*us)
}
