package rec

import (
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/recordings/digest"
	"mcpdbg/session"
	"mcpdbg/ui/widget/termsafe"
)

const (
	shownCauses   = 8
	shownMessages = 20
	shownOpen     = 20
	// messageCells of a message and callCells of a call fit a line of a terminal.
	messageCells = 100
	callCells    = 60
)

func (info *Info) printCauses(line linePrinter) {
	for i, c := range info.Causes[:min(len(info.Causes), shownCauses)] {
		title := ""
		if i == 0 {
			title = "cause"
		}
		at := ""
		if c.N > 0 {
			at = fmt.Sprintf(" (entry %d)", c.N)
		}
		line("%-10s %s%s", title, termsafe.String(c.Text), at)
		for _, text := range c.Evidence {
			line("           %s", text)
		}
		if c.Advice != "" {
			line("           try: %s", c.Advice)
		}
	}
}

// printCalls prints what failed before everything else.
func (info *Info) printCalls(line linePrinter) {
	info.printFailures(line)
	info.printOpen(line)
	info.printLines(line)
	if len(info.Slowest) > 0 {
		line("")
		line("slowest")
		for i := range info.Slowest {
			c := &info.Slowest[i]
			line("  %8s  %s", wording.Took(c.Took), called(c))
		}
	}
}

// printFailures prints a line for each message, and one with its calls.
func (info *Info) printFailures(line linePrinter) {
	if info.failed == 0 {
		return
	}
	line("")
	order := ""
	if len(info.Failures) > 1 {
		order = "; by message, the most frequent first"
	}
	line("failed     %s%s", wording.Plural(uint64(info.failed), "call"), order)
	all := digest.Failures{Groups: info.Failures}
	earliest, _ := all.First()
	for i := range info.Failures[:min(len(info.Failures), shownMessages)] {
		f := &info.Failures[i]
		mark := ""
		if i+1 == earliest && len(info.Failures) > 1 {
			mark = " (the first failure)"
		}
		line("%5dx  %s%s", f.Count, clipped(f.Message, messageCells), mark)
		first := called(&f.Calls[0])
		if f.Count == 1 {
			line("        %s", first)
			continue
		}
		line("        %s; first %s, last entry %d", clipped(f.ByTool(), messageCells), first, f.Last)
	}
	if more := info.failed - countOf(info.Failures[:min(len(info.Failures), shownMessages)]); more > 0 {
		line("%5dx  with other messages (--json lists more)", more)
	}
}

func countOf(failures []digest.Failure) int {
	n := 0
	for i := range failures {
		n += failures[i].Count
	}
	return n
}

// printOpen prints the calls without a response.
func (info *Info) printOpen(line linePrinter) {
	if len(info.Open) == 0 {
		return
	}
	line("")
	line("unanswered %s", wording.Plural(uint64(len(info.Open)+info.MoreOpen), "request"))
	for i := range info.Open[:min(len(info.Open), shownOpen)] {
		c := &info.Open[i]
		end := "no response in " + wording.Took(c.Took)
		if c.State == session.ReqTimedOut.String() {
			end = "timed out"
		}
		name := called(c)
		if c.ID != "" {
			name += fmt.Sprintf(" (request id %s)", c.ID)
		}
		if info.Untimed {
			line("  %s: %s", name, strings.TrimSuffix(end, " in "+wording.Took(c.Took)))
			continue
		}
		line("  %s, at %s: %s", name, wording.Took(c.T), wording.Join("; ", end, c.WentOn()))
	}
	if more := len(info.Open) + info.MoreOpen - shownOpen; more > 0 {
		line("  and %d more: --filter is:unanswered lists them", more)
	}
}

// called names a call with its number and the words of its row.
func called(c *digest.Call) string {
	return fmt.Sprintf("entry %s %s", c.Entry(), clipped(c.Words(), callCells))
}

// clipped returns a text in at most that many cells.
func clipped(text string, cells int) string {
	text = termsafe.String(text)
	if termsafe.Width(text) <= cells {
		return text
	}
	return strings.TrimRight(string(termsafe.AppendAligned(nil, []byte(text), cells, termsafe.Left, termsafe.Options{})), " ")
}

// printLines prints the requests by method and tool.
func (info *Info) printLines(line linePrinter) {
	if len(info.lines) == 0 {
		return
	}
	shown := info.lines[:min(len(info.lines), shownMethods)]
	wide := len("tool or method")
	for i := range shown {
		wide = methodWidth(wide, shown[i].Name())
	}
	line("")
	line("%-6s  %-*s  %8s  %6s  %10s  %7s  %7s  %7s  %7s", "from", wide, "tool or method", "requests", "failed", "unanswered", "p50", "p95", "p99", "max")
	for i := range shown {
		l := &shown[i]
		name := termsafe.AppendAligned(nil, []byte(l.Name()), wide, termsafe.Left, termsafe.Options{})
		line("%-6s  %s  %8d  %6d  %10d  %7s  %7s  %7s  %7s", l.From, name, l.Requests, l.Errors, l.Unanswered, micros(l.P50), micros(l.P95), micros(l.P99), micros(l.Max))
	}
	if more := len(info.lines) - len(shown); more > 0 {
		line("and %d more tools and methods (--json lists all)", more)
	}
}
