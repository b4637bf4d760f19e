package formats

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings/digest"
	"mcpdbg/session"
	"mcpdbg/session/summary"
)

const (
	// maxMarkdown is the approximate size, in bytes, that fits in an issue.
	maxMarkdown = 60_000
	// maxTables is how much of it the tables may take.
	maxTables   = 40_000
	maxTable    = 500
	maxRemarks  = 10
	maxFailures = 20
	maxLines    = 30
	maxBlock    = 4000
)

// writeMarkdown writes a report on a selection of at most about maxMarkdown bytes: first
// what failed in the recording, then the calls of the selection. Omissions are counted.
func writeMarkdown(ctx context.Context, to io.Writer, s Selection) error {
	var b strings.Builder
	f, d := factsOf(ctx, s.Source), digest.Read(ctx, s.Source)
	b.WriteString("## MCP session" + outcome(d) + "\n\n| | |\n|---|---|\n")
	for _, row := range f.Rows {
		fmt.Fprintf(&b, "| %s | %s |\n", row[0], inline(wording.Clip(row[1], 1000, wording.Ellipsis)))
	}
	remarks(&b, "Likely causes", f.Causes, 0)
	failures(&b, &d.Failures)
	if len(d.Unanswered) > 0 {
		calls(&b, "Requests without a response", d.Unanswered[:min(len(d.Unanswered), maxFailures)])
		omitted(&b, "", len(d.Unanswered)+d.MoreUnanswered-maxFailures)
	}
	tools(&b, d.Lines)
	if len(d.Slowest) > 0 {
		calls(&b, "Slowest calls", d.Slowest)
	}
	remarks(&b, "Problems", f.Problems, f.More)
	if err := s.table(ctx, &b, d); err != nil {
		return err
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// outcome says in the title how many calls failed.
func outcome(d *digest.Digest) string {
	text := wording.Join(", ", wording.IfCounted(uint64(d.Failures.Count()), "%s failed", "call"),
		wording.IfCounted(uint64(len(d.Unanswered)+d.MoreUnanswered), "%s without a response", "request"))
	return wording.IfAny(": ", text)
}

// omitted says that n more of a table are not in it.
func omitted(b *strings.Builder, hint string, n int) {
	if n > 0 {
		fmt.Fprintf(b, "\nand %d more%s\n", n, hint)
	}
}

func failures(b *strings.Builder, all *digest.Failures) {
	if len(all.Groups) == 0 {
		return
	}
	b.WriteString("\n### Failed calls by message\n\n| count | message | tool | first entries |\n|--:|---|---|---|\n")
	shown := 0
	for i := range all.Groups[:min(len(all.Groups), maxFailures)] {
		g := &all.Groups[i]
		shown += g.Count
		var numbers []string
		for i := range g.Calls {
			numbers = append(numbers, fmt.Sprint(g.Calls[i].N))
		}
		if g.Count > len(numbers) {
			numbers = append(numbers, "…", fmt.Sprint(g.Last))
		}
		fmt.Fprintf(b, "| %d | %s | %s | %s |\n", g.Count, inline(g.Message), inline(wording.List(g.Tools)), strings.Join(numbers, ", "))
	}
	omitted(b, " with other messages", all.Count()-shown)
}

// calls adds a table of calls with their times.
func calls(b *strings.Builder, title string, all []digest.Call) {
	fmt.Fprintf(b, "\n### %s\n\n| entry | at | call | took |\n|--:|--:|---|--:|\n", title)
	for i := range all {
		c := &all[i]
		took := wording.Took(c.Took)
		if c.State == session.ReqTimedOut.String() || c.State == session.ReqPending.String() || c.State == session.ReqLost.String() {
			took = "no response in " + took
		}
		fmt.Fprintf(b, "| %d | %s | %s | %s |\n", c.N, wording.Took(c.T), inline(wording.Clip(c.Name()+" "+c.Arguments, 100, wording.Ellipsis)), took)
	}
}

func tools(b *strings.Builder, all []digest.Line) {
	if len(all) == 0 {
		return
	}
	b.WriteString("\n### Requests by tool and method\n\n| from | tool or method | requests | failed | unanswered | p50 | p95 | max |\n|---|---|--:|--:|--:|--:|--:|--:|\n")
	took := func(us *int64) string {
		if us == nil {
			return ""
		}
		return wording.Took(*us)
	}
	for i := range all[:min(len(all), maxLines)] {
		l := &all[i]
		fmt.Fprintf(b, "| %s | %s | %d | %d | %d | %s | %s | %s |\n", l.From, inline(wording.Clip(l.Name(), 100, wording.Ellipsis)),
			l.Requests, l.Errors, l.Unanswered, took(l.P50), took(l.P95), took(l.Max))
	}
	omitted(b, "", len(all)-maxLines)
}

func remarks(b *strings.Builder, title string, all []remark, more int) {
	if len(all) == 0 {
		return
	}
	if listed := all[:min(len(all), maxRemarks)]; len(listed) < len(all) {
		more, all = more+len(all)-len(listed), listed
	}
	fmt.Fprintf(b, "\n### %s\n\n", title)
	for _, r := range all {
		fmt.Fprintf(b, "- **%s** %s", r.Severity, inline(wording.Clip(r.Text, 300, wording.Ellipsis)))
		if r.Try != "" {
			fmt.Fprintf(b, "; %s", inline(wording.Clip(r.Try, 300, wording.Ellipsis)))
		}
		b.WriteByte('\n')
	}
	if more > 0 {
		fmt.Fprintf(b, "- and %d more\n", more)
	}
}

func arrow(row session.Row) string {
	switch row.Kind {
	case session.KindStdin:
		return "→"
	case session.KindStdout:
		return "←"
	case session.KindStderr:
		return "stderr"
	}
	return "event"
}

func (s Selection) what(it item) string {
	method := s.Source.Method(it.row.Method)
	switch {
	case !it.row.Kind.IsStream():
		return it.row.Kind.String() + " " + session.Describe(&it.entry)
	case it.row.Kind == session.KindStderr, it.row.Msg == framing.NotJSON:
		return string(it.entry.Payload)
	case it.row.Msg == framing.Batch:
		return "batch: " + summary.Batch(it.entry.Payload)
	case isError(it.row) && it.row.Msg != framing.Request:
		return "error " + method
	case it.row.Msg == framing.Response:
		return "result " + method
	case method != "":
		return method
	}
	return it.row.Msg.String()
}

// fenced formats the bytes of an entry as code: a message as JSON, anything else as text.
func fenced(e *session.Entry) string {
	text, kind := string(e.Payload), ""
	var pretty bytes.Buffer
	if isMessage(e) && !e.Cut && json.Indent(&pretty, e.Payload, "", "  ") == nil {
		text, kind = pretty.String(), "json"
	}
	rest := int64(0)
	if len(text) > maxBlock {
		cut := wording.Clip(text, maxBlock, wording.Ellipsis)
		rest, text = int64(len(text)-len(cut)), cut
	}
	if e.Cut {
		rest = e.FullSize - int64(len(text))
	}
	text = wording.Visible(text)
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	out := fmt.Sprintf("%s%s\n%s\n%s\n", fence, kind, text, fence)
	if rest > 0 {
		out += fmt.Sprintf("\n%d more bytes are omitted.\n", rest)
	}
	return out
}

func longestRun(text string, c byte) (longest int) {
	run := 0
	for i := range len(text) {
		run++
		if text[i] != c {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// inline escapes a text as one line of Markdown without markup, HTML, mentions or links.
func inline(text string) string {
	var b strings.Builder
	for _, r := range wording.Visible(text) {
		switch {
		case r == '\n', r == '\t':
			b.WriteByte(' ')
		case r < utf8.RuneSelf && strings.ContainsRune("\\`*_[]<>#!|&@~$", r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(unlinked.Replace(b.String()))
}

var unlinked = strings.NewReplacer("://", ":&#47;/", "www.", "www&#46;", "WWW.", "WWW&#46;")
