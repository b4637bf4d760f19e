package exit

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/executor"
)

// Explain returns the lines that explain an error: the message, its known
// causes and what to try. An error that was already printed has none.
func Explain(err error) []string {
	var response *ResponseError
	var failed *TargetsError
	if errors.As(err, &response) && response.Printed || errors.As(err, &failed) {
		var output *OutputError
		if !errors.As(err, &output) {
			return nil
		}
		err = output // the rest was printed
	}
	lines := append(messageLines(err.Error()), evidence(err)...)
	lines = append(lines, HintLines(HintOf(err))...)
	return lines
}

// evidence returns what is known about the cause of an error, and what to try.
func evidence(err error) []string {
	var (
		open  *session.OpenError
		start *executor.StartError
		lost  *executor.LostError
		ended *session.EndedError
		lines []string
	)
	if errors.As(err, &start) && start.Hop != "" {
		lines = append(lines, fmt.Sprintf("  at: %s, after %v: %s", start.Phase, start.Elapsed.Round(time.Millisecond), start.Code))
		if start.Client != "" {
			lines = append(lines, "  local ssh: "+start.Client)
		}
	}
	switch {
	case errors.As(err, &open):
		lines = append(lines, quote("stdout, not a message", open.Stray)...)
		lines = append(lines, quote("stderr", open.Stderr)...)
		lines = append(lines, QuoteSaid(open.SaidBy, open.Said)...)
		lines = append(lines, HintLines(open.Hint)...)
	case start != nil:
		lines = append(lines, QuoteSaid(start.SaidBy, start.Said)...)
		lines = append(lines, HintLines(start.Hint)...)
	case errors.As(err, &lost):
		lines = append(lines, QuoteSaid(lost.SaidBy, lost.Said)...)
		lines = append(lines, HintLines(session.LostHint(lost))...)
	case errors.As(err, &ended):
		lines = append(lines, HintLines(diagnosis.AdviceEnd(ended.Exit))...)
	}
	return lines
}

// QuoteSaid quotes output of a host or of a program on the way to it.
func QuoteSaid(by executor.Speaker, said string) []string {
	return quote(by.String()+" said", saidLines(said))
}

// maxSaid is how many lines of a host's output are shown: the last ones.
const maxSaid = 20

func saidLines(said string) []string {
	var lines []string
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-maxSaid):]
}

func quote(stream string, text []string) []string {
	var lines []string
	for _, line := range text {
		lines = append(lines, "  "+stream+": "+line)
	}
	return lines
}

// HintLines returns the lines of a hint, as they are printed.
func HintLines(hint string) []string {
	var lines []string
	for line := range strings.SplitSeq(hint, "\n") {
		if line != "" {
			lines = append(lines, "  try: "+line)
		}
	}
	return lines
}

// messageLines prefixes an error with the program name, and indents its other
// lines.
func messageLines(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if lines == nil {
			line = "mcpdbg: " + line
		} else {
			line = "  " + line
		}
		lines = append(lines, line)
	}
	return lines
}
