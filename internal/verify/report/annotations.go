package report

import (
	"fmt"
	"io"
	"strings"

	"mcpdbg/internal/verify"
)

// maxAnnotations is how many of a kind GitHub keeps for a step.
const maxAnnotations = 10

// Annotations writes problems as workflow commands of GitHub Actions, at most ten of each
// kind; the last one counts the rest. Accepted problems have none.
func Annotations(w io.Writer, all []verify.Reported) error {
	for _, kind := range []string{"error", "warning", "notice"} {
		var list []*verify.Reported
		for i := range all {
			if !all[i].Accepted && annotationKind(all[i].Severity) == kind {
				list = append(list, &all[i])
			}
		}
		shown := list
		if len(list) > maxAnnotations {
			shown = list[:maxAnnotations-1]
		}
		for _, p := range shown {
			if err := annotate(w, kind, p, p.ID+" "+p.Title, p.Message()); err != nil {
				return err
			}
		}
		if more := len(list) - len(shown); more > 0 {
			if err := annotate(w, kind, &verify.Reported{}, "mcpdbg", fmt.Sprintf("%d more of this kind: see the report", more)); err != nil {
				return err
			}
		}
	}
	return nil
}

// annotate writes a message at the place of a problem.
func annotate(w io.Writer, kind string, at *verify.Reported, title, message string) error {
	properties := "title=" + escapeProperty(title)
	if at.Source != "" {
		properties = fmt.Sprintf("file=%s,line=%d,%s", escapeProperty(at.Source), max(at.Line, 1), properties)
	}
	_, err := fmt.Fprintf(w, "::%s %s::%s\n", kind, properties, escapeData(message))
	return err
}

func annotationKind(severity string) string {
	if severity == "info" {
		return "notice"
	}
	return severity
}

// A line break in text of a server would begin another command.
func escapeData(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(visible(text))
}

func escapeProperty(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(text))
}
