package formats

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings/digest"
	"mcpdbg/session"
	"mcpdbg/session/elements"
	"mcpdbg/session/exchange"
	"mcpdbg/session/summary"
)

const (
	// maxMarkdown is the approximate size, in bytes, that fits in an issue.
	maxMarkdown = 60_000
	// maxExamples and maxTables are how large it may be after the examples and the tables.
	maxExamples = 25_000
	maxTables   = 45_000
	maxTable    = 500
	maxRemarks  = 10
	maxFailures = 20
	maxLines    = 30
	maxBlock    = 4000
	oneLine     = 200 // the longest message that is shown as it is
)

// writeMarkdown writes a report on a selection of at most about maxMarkdown bytes: first
// what failed in the recording, then the calls of the selection. Omissions are counted.
func writeMarkdown(ctx context.Context, to io.Writer, s Selection) error {
	source := elements.New(s.Source).Own()
	r := report{Selection{Source: source, Include: s.Include, Omits: s.Omits}, source, strings.Builder{}, exchange.NewTable(source), map[int]bool{}, map[int]bool{}, nil, 0}
	b := &r.b
	found := make(chan facts, 1)
	go func() { found <- factsOf(ctx, s.Source) }() // it reads all messages
	d := digest.Read(ctx, s.Source)
	f := <-found
	f.addCauses(s.Source, d)
	r.failures = &d.Failures
	c, err := r.choose(ctx, d, f.Causes)
	if err != nil {
		return err
	}
	b.WriteString("## MCP session" + outcome(d) + "\n\n")
	if n, first := d.Failures.First(); n > 0 {
		fmt.Fprintf(b, "First failure (%s): entry %s, at %s: %s\n\n", failureName(n), first.Entry(), wording.Took(first.T), inline(wording.Clip(first.Words(), maxMessage, wording.Ellipsis)))
	}
	b.WriteString("| | |\n|---|---|\n")
	for _, row := range f.Rows {
		fmt.Fprintf(b, "| %s | %s |\n", row[0], inline(wording.Clip(row[1], 1000, wording.Ellipsis)))
	}
	r.earliest, _ = d.Failures.First()
	r.causes(f.Causes)
	if err := r.failed(); err != nil {
		return err
	}
	if err := r.unanswered(d); err != nil {
		return err
	}
	tools(b, d.Lines)
	if len(d.Slowest) > 0 && c.all > maxWhole {
		slowest(b, d.Slowest)
	}
	r.problems(f.byRule())
	if err := r.table(ctx, c); err != nil {
		return err
	}
	_, err = io.WriteString(to, b.String())
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

// slowest adds a table of calls with their times.
func slowest(b *strings.Builder, all []digest.Call) {
	b.WriteString("\n### Slowest calls\n\n| entry | at | call | took |\n|--:|--:|---|--:|\n")
	for i := range all {
		c := &all[i]
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", c.Entry(), wording.Took(c.T), inline(wording.Clip(c.Words(), maxMessage, wording.Ellipsis)), wording.Took(c.Took))
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

// fenced formats at most limit bytes of an entry as code: a message as JSON, in one line if
// it is short, and anything else as text.
func fenced(e *session.Entry, limit int) string {
	text, kind := string(e.Payload), ""
	var pretty bytes.Buffer
	if isMessage(e) && !e.Cut {
		if kind = "json"; len(text) > oneLine && json.Indent(&pretty, e.Payload, "", "  ") == nil {
			text = pretty.String()
		}
	}
	rest := int64(0)
	if len(text) > limit {
		cut := wording.Clip(text, limit, wording.Ellipsis)
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

// exchanged formats a request with its response, if it has one: in one block if both are
// short.
func exchanged(request, response *session.Entry, limit int) string {
	if response == nil {
		return fenced(request, limit)
	}
	short := func(e *session.Entry) bool { return isMessage(e) && !e.Cut && len(e.Payload) <= oneLine }
	if short(request) && short(response) {
		both := *request
		both.Payload = slices.Concat(request.Payload, []byte("\n"), response.Payload)
		return fenced(&both, limit)
	}
	return fenced(request, limit) + "\nThe response:\n\n" + fenced(response, limit)
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
