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
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/summary"
)

const (
	// maxMarkdown is the approximate size, in bytes, that fits in an issue.
	maxMarkdown = 60_000
	maxTable    = 200
	maxRemarks  = 20
	maxBlock    = 4000
)

// writeMarkdown writes a report on a selection of at most about maxMarkdown bytes. Omitted
// entries are counted.
func writeMarkdown(ctx context.Context, to io.Writer, s Selection) error {
	var b strings.Builder
	f := factsOf(ctx, s.Source)
	b.WriteString("## MCP session\n\n| | |\n|---|---|\n")
	for _, row := range f.Rows {
		fmt.Fprintf(&b, "| %s | %s |\n", row[0], inline(wording.Clip(row[1], 1000, wording.Ellipsis)))
	}
	remarks(&b, "Likely causes", f.Causes, 0)
	remarks(&b, "Problems", f.Problems, f.More)
	b.WriteString("\n### Messages\n\n| entry | time | | what | id | took | bytes |\n|--:|--:|---|---|---|--:|--:|\n")
	var blocks strings.Builder
	shown, blocked, all, full := 0, 0, 0, false
	times := exchange.NewTable(s.Source)
	for it, err := range s.items(ctx, maxBlock+64<<10) {
		if err != nil {
			return err
		}
		all++
		if shown < maxTable && b.Len() < maxMarkdown/2 {
			shown++
			s.tableRow(&b, times, it)
		}
		if full {
			continue
		}
		text := block(s, it)
		if full = blocks.Len()+len(text) > maxMarkdown/2; !full {
			blocked++
			blocks.WriteString(text)
		}
	}
	if shown < all {
		fmt.Fprintf(&b, "\nThe table omits %d more entries.\n", all-shown)
	}
	b.WriteString("\n### Content\n\n")
	b.WriteString(blocks.String())
	if blocked < all {
		fmt.Fprintf(&b, "\nThe content of %d more entries is omitted.\n", all-blocked)
	}
	_, err := io.WriteString(to, b.String())
	return err
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

func (s Selection) tableRow(b *strings.Builder, times *exchange.Table, it item) {
	took := ""
	if us, waited, ok := s.took(times, it); ok && us >= 0 && (it.row.Msg != framing.Request || it.row.State == session.ReqCancelled) {
		took = wording.Took(us)
		if exchange.Noticed(waited) {
			took += ", and " + wording.Took(waited) + " waiting for the client"
		}
	}
	id := string(it.entry.Msg.ID.Of(it.entry.Payload))
	if it.entry.Cut {
		id = ""
	}
	size := ""
	if it.row.Kind.IsStream() {
		size = fmt.Sprint(it.entry.FullSize)
	}
	fmt.Fprintf(b, "| %d | %.6f | %s | %s | %s | %s | %s |\n", it.entry.N, float64(it.row.T)/1e6, arrow(it.row),
		inline(wording.Clip(s.what(it), 100, wording.Ellipsis)), inline(wording.Clip(id, 40, wording.Ellipsis)), took, size)
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

// block formats one entry with its content, folded.
func block(s Selection, it item) string {
	if !it.row.Kind.IsStream() {
		return "" // the table has all of it
	}
	text := string(it.entry.Payload)
	var pretty bytes.Buffer
	if isMessage(&it.entry) && !it.entry.Cut && json.Indent(&pretty, it.entry.Payload, "", "  ") == nil {
		text = pretty.String()
	}
	rest := int64(0)
	if len(text) > maxBlock {
		cut := wording.Clip(text, maxBlock, wording.Ellipsis)
		rest, text = int64(len(text)-len(cut)), cut
	}
	if it.entry.Cut {
		rest = it.entry.FullSize - int64(len(text))
	}
	text = wording.Visible(text)
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	var b strings.Builder
	fmt.Fprintf(&b, "<details><summary>%d %s %s</summary>\n\n%sjson\n%s\n%s\n", it.entry.N, arrow(it.row),
		inline(wording.Clip(s.what(it), 80, wording.Ellipsis)), fence, text, fence)
	if rest > 0 {
		fmt.Fprintf(&b, "\n%d more bytes are omitted.\n", rest)
	}
	b.WriteString("\n</details>\n")
	return b.String()
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
