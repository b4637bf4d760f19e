package kit

import (
	"bytes"
	"strings"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
)

const scrollCells = 8

// List is common to panes that list rows.
type List struct{ *table.Table }

// Act moves the cursor.
func (l List) Act(action string) bool {
	switch action {
	case Left:
		l.ScrollX(-scrollCells)
	case Right:
		l.ScrollX(scrollCells)
	default:
		return MoveCursor(l, action)
	}
	return true
}

// Highlight is the search text, marked in all lists. The panes share it.
type Highlight struct {
	lower   []byte // ASCII in lower case, or empty
	Version uint32 // changes with the text
}

// Set changes the highlighted text.
func (h *Highlight) Set(text string) {
	h.Version++
	h.lower = bytes.ToLower([]byte(text))
	for _, c := range h.lower {
		if c >= 0x80 {
			h.lower = nil // case folding found it, which the screen does not repeat
			return
		}
	}
}

// Paint adds text to a column, with hits in their own style. It reads only the visible
// part of the text.
func (h *Highlight) Paint(c *table.Cells, column int, style, hit paint.Style, text []byte) {
	const bytesPerCell = 4
	seen := text[:min(len(text), c.Width(column)*bytesPerCell)]
	for len(h.lower) > 0 {
		i := filter.IndexFold(seen, h.lower)
		if i < 0 {
			break
		}
		c.Bytes(column, style, seen[:i])
		c.Bytes(column, hit, seen[i:i+len(h.lower)])
		seen, text = seen[i+len(h.lower):], text[i+len(h.lower):]
	}
	c.Bytes(column, style, text)
}

// PaintText is Paint for a string. It allocates only while something is
// highlighted.
func (h *Highlight) PaintText(c *table.Cells, column int, style, hit paint.Style, text string) {
	switch {
	case text == "":
	case len(h.lower) == 0:
		c.Text(column, style, text)
	default:
		h.Paint(c, column, style, hit, []byte(text))
	}
}

// Click moves the cursor to the row on a line.
func (l List) Click(line int) {
	if row, ok := l.RowAt(line); ok {
		l.Select(row)
	}
}

// SeverityMark returns the mark and the style of a problem.
func SeverityMark(s diagnosis.Severity, th *paint.Theme) (mark Mark, style paint.Style) {
	switch s {
	case diagnosis.Error:
		return Failed, th.Failed
	case diagnosis.Warning:
		return Warning, th.Odd
	}
	return NoMark, th.Dim
}

// Direction returns the mark of a stream: ">" to the server, "<" and "!" from it.
func Direction(kind session.Kind) string {
	switch kind {
	case session.KindStdin:
		return ">"
	case session.KindStdout:
		return "<"
	case session.KindStderr:
		return "!"
	}
	return " "
}

// MethodStyle returns the style of a client's request, by the family of its method.
func MethodStyle(method string, th *paint.Theme) paint.Style {
	switch family, _, _ := strings.Cut(method, "/"); family {
	case "tools":
		return th.Tool
	case "resources":
		return th.Resource
	case "prompts":
		return th.Prompt
	}
	return th.Text
}
