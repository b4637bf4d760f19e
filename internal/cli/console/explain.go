package console

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/executor"
)

// Explain returns an error's message, its known causes and what to try; none if it was
// already printed.
func Explain(err error) []string {
	var response *ResponseError
	var failed *StatusError
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

// QuoteSaid quotes a host or a program on the way to it.
func QuoteSaid(by executor.Speaker, said string) []string {
	return quote(by.String()+" said", saidLines(said))
}

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

// HintLines returns a hint as printed lines.
func HintLines(hint string) []string {
	var lines []string
	for line := range strings.SplitSeq(hint, "\n") {
		if line != "" {
			lines = append(lines, "  try: "+line)
		}
	}
	return lines
}

// messageLines adds the program name, and indents further lines.
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
