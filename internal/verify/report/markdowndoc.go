package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"mcpdbg/internal/verify"
	"mcpdbg/ui/widget/termsafe"
)

// MaxMarkdown is GitHub's limit for a step's summary, in bytes.
const MaxMarkdown = 1 << 20

// A MarkdownDoc writes at most MaxMarkdown bytes. It omits whole rows and paragraphs, and
// then ends with a note. No text is read as Markdown or HTML.
type MarkdownDoc struct {
	b    strings.Builder
	full bool
}

const markdownCut = "\nThe rest is omitted: the document would be larger than 1 MiB.\n"

func (m *MarkdownDoc) add(text string) {
	if m.full || m.b.Len()+len(text)+len(markdownCut) > MaxMarkdown {
		m.full = true
		return
	}
	m.b.WriteString(text)
}

// Heading adds a heading of a level.
func (m *MarkdownDoc) Heading(level int, text string) {
	m.add("\n" + strings.Repeat("#", level) + " " + escapeMarkdown(text) + "\n")
}

// Paragraph adds a paragraph of plain text.
func (m *MarkdownDoc) Paragraph(format string, args ...any) {
	m.add("\n" + escapeMarkdown(fmt.Sprintf(format, args...)) + "\n")
}

// Table adds the head of a table; Row adds its rows.
func (m *MarkdownDoc) Table(columns ...string) {
	m.add("\n| " + strings.Join(columns, " | ") + " |\n|" + strings.Repeat("---|", len(columns)) + "\n")
}

// Row adds a row to a table.
func (m *MarkdownDoc) Row(cells ...string) {
	escaped := make([]string, len(cells))
	for i, cell := range cells {
		escaped[i] = escapeMarkdown(cell)
	}
	m.add("| " + strings.Join(escaped, " | ") + " |\n")
}

// Problems adds a table of problems.
func (m *MarkdownDoc) Problems(all []verify.Reported) {
	if len(all) == 0 {
		return
	}
	m.Table("severity", "rule", "problem", "where", "detail", "count")
	for i := range all {
		p := &all[i]
		severity := p.Severity
		if p.Accepted {
			severity = (&verify.Acceptance{Accepted: true, Texts: p.Texts}).String()
		}
		m.Row(severity, p.ID, p.Title, p.Where(), p.Detail, cmp.Or(strings.Replace(p.Times(), " times", "", 1), "1"))
	}
}

// WriteTo writes the document.
func (m *MarkdownDoc) WriteTo(w io.Writer) (int64, error) {
	text := strings.TrimPrefix(m.b.String(), "\n")
	if m.full {
		text += markdownCut
	}
	n, err := io.WriteString(w, text)
	return int64(n), err
}

// escapeMarkdown returns one line without a meaning in Markdown or HTML, or a mention of
// a user.
func escapeMarkdown(text string) string {
	text = termsafe.Line(text)
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '@':
			b.WriteString("&#64;")
		case strings.ContainsRune("\\`*_{}[]()#+!|~$", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func visible(text string) string { return termsafe.Line(text) }
