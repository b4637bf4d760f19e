package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"mcpdbg/internal/smoke"
	"mcpdbg/session/lint"
	"mcpdbg/ui/termsafe"
)

// shownMethods is how many rows of the table of methods are printed as text.
const shownMethods = 40

// print prints the information as text. Whatever a server wrote is made safe.
func (info *recordingInfo) print(w io.Writer) error {
	var out bytes.Buffer
	line := func(format string, args ...any) {
		out.WriteString(termsafe.String(fmt.Sprintf(format, args...)))
		out.WriteByte('\n')
	}
	info.printFacts(line)
	info.printMethods(line)
	info.printNotified(line)
	info.printFindings(line)
	_, err := w.Write(out.Bytes())
	return err
}

type linePrinter func(format string, args ...any)

func (info *recordingInfo) printFacts(line linePrinter) {
	h, c := info.Header, info.Counts
	place := h.Placement
	if h.Host != "" {
		place += " " + h.Host
	}
	line("file       %s", info.File)
	line("           %s, %d entries, %s", byteCount(info.Size), info.Entries, cmp.Or(info.Stopped, stateWords[info.State]))
	line("command    %s", strings.Join(h.Argv, " "))
	line("           %s%s", place, ifAny(", in ", h.Cwd))
	for _, s := range info.Servers {
		line("server     %s", strings.Join(strings.Fields(s.Server+" "+s.Protocol+" "+s.Era), " "))
	}
	line("recorded   %s, %v long, by %s", h.Start.UTC().Format("2006-01-02 15:04:05 UTC"), roundTime(info.Duration), h.Tool)
	line("sent       %s, %s", plural(c.Sent, "message"), byteCount(int64(c.SentBytes)))
	line("received   %s, %s%s%s", plural(c.Received, "message"), byteCount(int64(c.Bytes)),
		withError(c.Errors), ifAny(", ", strayLines(c.Stray)))
	line("stderr     %s, %s", plural(c.StderrLines, "line"), byteCount(int64(c.StderrBytes)))
	if c.Runs > 1 {
		line("processes  %d", c.Runs)
	}
	if c.Lagged+c.Held+c.Gaps > 0 {
		line("flow       %s", strings.TrimPrefix(count(c.Lagged, ", %s", "lag")+count(c.Held, ", %s", "hold")+
			count(c.Gaps, ", %s", "gap")+count(c.LostBytes, ", %s lost", "byte"), ", "))
	}
	if h.Imported != nil {
		line("imported   from %s%s", h.Imported.From, ifAny(", ", h.Imported.File))
	}
	if h.Redacted != nil {
		line("redacted   a copy, with %s removed", plural(redactions(h.Redacted), "value"))
	}
	if info.Skipped != "" {
		line("skipped    %s", info.Skipped)
	}
	for i, s := range info.Stray {
		title := ""
		if i == 0 {
			title = "no message"
		}
		more := ""
		if s.Size > int64(len(s.Text)) {
			more = fmt.Sprintf(" … (%d bytes)", s.Size)
		}
		line("%-10s entry %d%s: %s%s", title, s.N, ifAny(", seq ", seqText(s.Seq)), s.Text, more)
	}
	if n := uint64(len(info.Stray)); n > 0 && c.Stray > n {
		line("           and %d more", c.Stray-n)
	}
}

// withError counts the responses that were errors or had isError, "" if there are
// none. They are results of requests, and not problems.
func withError(n uint64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d with an error", n)
}

// strayLines counts lines of stdout that are no messages, "" if there are none.
func strayLines(n uint64) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 line that is no message"
	}
	return fmt.Sprintf("%d lines that are no messages", n)
}

var stateWords = map[string]string{
	"done": "done", "live": "live: it is being recorded", "torn": "torn: its recorder did not finish: it was ended, or could not write",
	"parts missing": "parts missing: it goes on in a part that is not here",
}

func (info *recordingInfo) printMethods(line linePrinter) {
	if len(info.Methods) == 0 {
		return
	}
	wide := len("method")
	for _, m := range info.Methods[:min(len(info.Methods), shownMethods)] {
		wide = methodWidth(wide, m.Method)
	}
	line("")
	line("%-6s  %-*s  %8s  %6s  %10s  %7s  %7s  %7s  %7s", "from", wide, "method", "requests", "errors", "unanswered", "p50", "p95", "p99", "max")
	for i, m := range info.Methods {
		if i == shownMethods {
			line("and %d more methods (--json has all)", len(info.Methods)-i)
			break
		}
		name := termsafe.AppendAligned(nil, []byte(m.Method), wide, termsafe.Left, termsafe.Options{})
		line("%-6s  %s  %8d  %6d  %10d  %7s  %7s  %7s  %7s", m.From, name, m.Requests, m.Errors, m.Unanswered, micros(m.P50), micros(m.P95), micros(m.P99), micros(m.Max))
	}
}

func (info *recordingInfo) printNotified(line linePrinter) {
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
			line("and %d more notifications (--json has all)", len(info.Notified)-i)
			break
		}
		name := termsafe.AppendAligned(nil, []byte(n.Method), wide, termsafe.Left, termsafe.Options{})
		line("%-6s  %s  %6d", n.From, name, n.Count)
	}
}

// methodWidth is how wide a column of methods is with this one in it, too. The
// longest names are cut.
func methodWidth(wide int, method string) int {
	const widest = 40
	return min(max(wide, termsafe.Width(termsafe.String(method))), widest)
}

// redactions adds up what was removed.
func redactions(by map[string]uint64) uint64 {
	total := uint64(0)
	for _, n := range by {
		total += n
	}
	return total
}

func (info *recordingInfo) printFindings(line linePrinter) {
	line("")
	line("checked    %s", info.Checked)
	found := lint.Count{Errors: info.Errors, Warnings: info.Warnings, Remarks: info.Infos}
	line("           %s%s", found, count(uint64(info.Unread), "; %s could not be read", "entry"))
	told := map[string]bool{}
	for _, f := range info.Findings {
		line("%s %s  entry %d%s  %s", strings.ToUpper(f.Severity[:1]), f.ID, f.N, ifAny(", seq ", seqText(f.Seq)), findingText(&f))
		if !told[f.ID] {
			told[f.ID] = true
			line("         breaks: %s", f.Breaks)
		}
	}
}

// findingText is what was found, in one line.
func findingText(f *smoke.Finding) string {
	text := f.Title + ifAny(": ", f.Detail)
	if f.Count > 1 {
		text += fmt.Sprintf(" (%d times)", f.Count)
	}
	return text
}

func seqText(seq uint64) string {
	if seq == 0 {
		return ""
	}
	return fmt.Sprint(seq)
}

// ifAny is text behind prefix, or nothing.
func ifAny(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// count puts a number of things into a format, or is nothing if there are none.
func count(n uint64, format, thing string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(format, plural(n, thing))
}

func plural(n uint64, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(thing, "y"))
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// byteCount is a size as people read it.
func byteCount(n int64) string {
	const kib, mib, gib = 1 << 10, 1 << 20, 1 << 30
	switch {
	case n >= gib:
		return fmt.Sprintf("%.1f GiB", float64(n)/gib)
	case n >= mib:
		return fmt.Sprintf("%.1f MiB", float64(n)/mib)
	case n >= kib:
		return fmt.Sprintf("%.1f KiB", float64(n)/kib)
	}
	return plural(uint64(n), "byte")
}

// micros is a time of an answer, "-" without one.
func micros(us *int64) string {
	if us == nil {
		return "-"
	}
	return roundTime(*us).String()
}

// roundTime keeps three digits or so.
func roundTime(us int64) time.Duration {
	d := time.Duration(us) * time.Microsecond
	switch {
	case d >= time.Minute:
		return d.Round(time.Second)
	case d >= time.Second:
		return d.Round(10 * time.Millisecond)
	case d >= 10*time.Millisecond:
		return d.Round(100 * time.Microsecond)
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond)
	}
	return d
}
