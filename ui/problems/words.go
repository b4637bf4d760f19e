package problems

import (
	"strings"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/theme"
)

// causeMark is how the severity of a cause looks: by a mark, and by colour.
func causeMark(s diagnosis.Severity, screen *kit.Screen) (string, theme.Style) {
	mark, style := kit.SeverityMark(s, screen.Theme)
	if s == diagnosis.Error && !screen.ASCII {
		mark = "✗"
	}
	if s == diagnosis.Info {
		style = screen.Theme.Text
	}
	return mark, style
}

// sentence returns a text with a capital first letter, unless it begins with a name
// such as that of a method.
func sentence(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if first == "ping" || first == mcp.MethodInitialize || strings.Trim(first, "abcdefghijklmnopqrstuvwxyz,:;") != "" {
		return text
	}
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}
