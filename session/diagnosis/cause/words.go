package cause

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// Limits on quoted text, in bytes.
const (
	maxText    = 1000 // a whole text
	quoteBytes = 200
	quoteShort = 60
)

// clip joins the lines of text and truncates it to limit bytes.
func clip(text string, limit int) string {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, "\r\n") {
		text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
	}
	return wording.Clip(text, limit, wording.Dots)
}

// cutRune drops an incomplete rune at the end of truncated text.
func cutRune(text []byte) []byte {
	for i := len(text) - 1; i >= 0 && i > len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				return text[:i]
			}
			break
		}
	}
	return text
}

func took(us int64) string {
	d := time.Duration(max(us, 0)) * time.Microsecond
	switch {
	case d < time.Millisecond:
		return "less than 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return d.Round(time.Second).String()
}

func (w *view) howEnded() string {
	exit := w.Exit.Exit()
	exit.By, exit.Signal, exit.Why = w.by(), clip(exit.Signal, quoteShort), clip(exit.Why, quoteBytes)
	switch {
	case exit.By == executor.EndedBySignal:
		return "was " + session.DescribeEnd(exit)
	case session.EndedFromOutside(exit.By):
		return "was " + session.DescribeEnd(exit)
	case exit.Kind == executor.ExitSignal && exit.Core:
		return "was killed by signal " + exit.Signal + " (core dumped)"
	case exit.Kind == executor.ExitSignal:
		return "was killed by signal " + exit.Signal
	case exit.Kind == executor.ExitCode:
		return fmt.Sprintf("exited with code %d", exit.Code)
	}
	if exit.Why != "" {
		return "can no longer be reached (" + exit.Why + ")"
	}
	return "exited with unknown status"
}

// errorWords matches lines that explain why a program exited.
var errorWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)error|exception|fatal|panic|abort|cannot|can't|could not|not found|no such|not set|missing|required|denied|refused|failed|invalid|unknown|usage:`)
})

type quotes struct {
	added int // ring.added at that time
	since int64
	lines []string
	rows  []int
}

// lastWords returns the last stderr lines since a time. It caches them until new
// lines arrive.
func (w *view) lastWords(since int64) quotes {
	q := &w.quoted
	if q.added == w.words.added && q.since == since {
		return *q
	}
	*q = quotes{added: w.words.added, since: since}
	for _, number := range w.words.all() {
		if row, ok := w.row(number); ok && row.T >= since {
			q.lines, q.rows = append(q.lines, w.line(number)), append(q.rows, number)
		}
	}
	return *q
}

// telling finds the stderr line that best explains an exit: the last one that
// mentions an error and is not part of a stack trace, or else the last non-blank
// one. sure reports whether it mentions an error.
func telling(lines []string) (at int, sure bool) {
	last := -1
	for i := len(lines) - 1; i >= 0; i-- {
		line := lines[i]
		if strings.TrimSpace(line) == "" {
			continue
		}
		if last < 0 {
			last = i
		}
		if indented := line[0] == ' ' || line[0] == '\t'; !indented && errorWords().MatchString(line) {
			return i, true
		}
	}
	return last, false
}
