package smoke

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxHosts = 10_000
	// maxFile is the maximum size of a list in bytes.
	maxFile = 4 << 20
)

// A hostLine is a destination, a pattern with "*" or "?", or an exclusion: a "!" followed by
// either.
type hostLine struct {
	Text   string
	File   string // name for errors
	Number int    // from 1; 0 if not from a list with lines
}

// Position describes the position of the line.
func (l hostLine) Position() string {
	if l.Number == 0 {
		return l.File
	}
	return fmt.Sprintf("%s:%d", l.File, l.Number)
}

// Pattern reports whether the line is a pattern.
func (l hostLine) Pattern() bool { return strings.ContainsAny(l.Text, "*?") || l.excludes() }

func (l hostLine) excludes() bool { return strings.HasPrefix(l.Text, "!") }

type lineError struct {
	Line hostLine
	Err  error
}

// Error returns the position and the problem.
func (e *lineError) Error() string { return e.Line.Position() + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *lineError) Unwrap() error { return e.Err }

// ErrNone is the cause of an error about a list without hosts.
var errNoHosts = errors.New("no hosts")

// parseHosts reads a list of destinations, one per line, and patterns for the names in
// the user's ssh configuration:
//
//	# the web servers, except one that is being rebuilt
//	web-*
//	!web-9
//	me@db-1:2222
//	local
//
// It only handles text: the caller decides which destinations are valid, and
// provides the known names. File is its name in errors. It ignores blank lines, and comments: a
// # at the beginning of a line or after a space. The error is an *Error, also for a list
// without hosts, or that of r.
func parseHosts(file string, r io.Reader) ([]hostLine, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	whole := hostLine{File: file}
	if len(data) > maxFile {
		return nil, &lineError{whole, fmt.Errorf("longer than %d bytes", maxFile)}
	}
	var lines []hostLine
	number := 0
	for text := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		number++
		line := hostLine{Text: strings.TrimSpace(uncommented(text)), File: file, Number: number}
		if line.Text == "" {
			continue
		}
		if err := line.check(); err != nil {
			return nil, &lineError{line, err}
		}
		if lines = append(lines, line); len(lines) > maxHosts {
			return nil, &lineError{line, fmt.Errorf("more than %d hosts", maxHosts)}
		}
	}
	if len(lines) == 0 {
		return nil, &lineError{whole, errNoHosts}
	}
	return lines, nil
}

func uncommented(text string) string {
	for i := range len(text) {
		if text[i] == '#' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\t') {
			return text[:i]
		}
	}
	return text
}

// maxLine is the maximum length of a destination or pattern in bytes.
const maxLine = 1024

// check rejects text that can be neither destination nor pattern.
func (l hostLine) check() error {
	switch {
	case len(l.Text) > maxLine:
		return fmt.Errorf("longer than %d bytes", maxLine)
	case !utf8.ValidString(l.Text) || strings.ContainsFunc(l.Text, unprintable):
		return fmt.Errorf("%.40q is not printable text", l.Text)
	case strings.ContainsFunc(l.Text, unicode.IsSpace):
		return fmt.Errorf("%.80q contains a space: write one host per line", l.Text)
	case l.Text[0] == '[' && l.Text[len(l.Text)-1] == ']' && !strings.Contains(l.Text, ":"):
		return fmt.Errorf("invalid host %.80q: groups are not supported, write one host per line", l.Text)
	case strings.TrimLeft(l.Text, "!") == "":
		return errors.New("missing pattern after \"!\"")
	}
	return nil
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) && !unicode.IsSpace(r) }
