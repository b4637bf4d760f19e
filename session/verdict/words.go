package verdict

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// How many bytes of something a sentence may quote.
const (
	maxText    = 1000 // the whole sentence
	quoteBytes = 200
	quoteShort = 60
)

// clip makes one line of text, and cuts it to a number of bytes.
func clip(text string, limit int) string {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, "\r\n") {
		text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
	}
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "..."
}

// cutRune drops the beginning of a character that a cut has left at the end.
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

// took writes a time in microseconds as a person reads it.
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

// count writes a number of things.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// howEnded says how the process ended and, if it was not the server itself, who
// ended it.
func (w *view) howEnded() string {
	exit := w.exited.Exit()
	exit.By, exit.Signal, exit.Why = w.by(), clip(exit.Signal, quoteShort), clip(exit.Why, quoteBytes)
	switch {
	case exit.By == executor.EndedBySignal:
		return "was " + session.DescribeEnd(exit)
	case session.Outside(exit.By):
		return "was " + session.DescribeEnd(exit)
	case exit.Kind == executor.ExitSignal && exit.Core:
		return "was ended by signal " + exit.Signal + " (core dumped)"
	case exit.Kind == executor.ExitSignal:
		return "was ended by signal " + exit.Signal
	case exit.Kind == executor.ExitCode:
		return fmt.Sprintf("exited with code %d", exit.Code)
	}
	return "ended, and how is not known"
}

// tells is what a line has that says why a program ended.
var tells = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)error|exception|fatal|panic|abort|cannot|can't|could not|not found|no such|not set|missing|required|denied|refused|failed|invalid|unknown|usage:`)
})

// quotes are the last stderr lines with their rows, oldest first.
type quotes struct {
	added int // what the ring had seen then
	since int64
	lines []string
	rows  []int
}

// lastWords returns the last stderr lines since a time. They are kept until
// there are others.
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

// telling finds the stderr line that says most about an end: the last one that
// speaks of an error and is no line of a stack trace, else the last one that is
// not blank. sure is whether it speaks of an error.
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
		if indented := line[0] == ' ' || line[0] == '\t'; !indented && tells().MatchString(line) {
			return i, true
		}
	}
	return last, false
}
