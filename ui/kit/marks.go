package kit

import (
	"strings"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/ui/widget/theme"
)

// SeverityMark returns the mark and the style of a problem.
func SeverityMark(s diagnosis.Severity, th *theme.Theme) (mark string, style theme.Style) {
	switch s {
	case diagnosis.Error:
		return "x", th.Error
	case diagnosis.Warning:
		return "!", th.Warn
	}
	return "-", th.Dim
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

// MethodStyle returns the style of a request of the client, by the family of its
// method.
func MethodStyle(method string, th *theme.Theme) theme.Style {
	switch family, _, _ := strings.Cut(method, "/"); family {
	case "tools":
		return th.Tools
	case "resources":
		return th.Resources
	case "prompts":
		return th.Prompts
	}
	return th.Text
}
