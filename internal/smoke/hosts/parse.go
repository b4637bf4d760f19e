// Package hosts reads the hosts of a smoke test: lists of destinations, one per
// line, and patterns for the names in the user's ssh configuration.
//
//	# the web servers, except one that is being rebuilt
//	web-*
//	!web-9
//	me@db-1:2222
//	local
//
// It only handles text: the caller decides which destinations are valid, and
// provides the known names.
package hosts

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

// A Line is a destination, a pattern with "*" or "?", or an exclusion: a "!" followed by
// either.
type Line struct {
	Text   string
	File   string // name for errors
	Number int    // from 1; 0 if not from a list with lines
}

// Position describes the position of the line.
func (l Line) Position() string {
	if l.Number == 0 {
		return l.File
	}
	return fmt.Sprintf("%s:%d", l.File, l.Number)
}

// Pattern reports whether the line is a pattern.
func (l Line) Pattern() bool { return strings.ContainsAny(l.Text, "*?") || l.excludes() }

func (l Line) excludes() bool { return strings.HasPrefix(l.Text, "!") }

type lineError struct {
	Line Line
	Err  error
}

// Error returns the position and the problem.
func (e *lineError) Error() string { return e.Line.Position() + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *lineError) Unwrap() error { return e.Err }

// ErrNone is the cause of an error about a list without hosts.
var ErrNone = errors.New("no hosts")

// Parse reads a list. File is its name in errors. It ignores blank lines, and comments: a
// # at the beginning of a line or after a space. The error is an *Error, also for a list
// without hosts, or that of r.
func Parse(file string, r io.Reader) ([]Line, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	whole := Line{File: file}
	if len(data) > maxFile {
		return nil, &lineError{whole, fmt.Errorf("longer than %d bytes", maxFile)}
	}
	var lines []Line
	number := 0
	for text := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		number++
		line := Line{Text: strings.TrimSpace(uncommented(text)), File: file, Number: number}
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
		return nil, &lineError{whole, ErrNone}
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
func (l Line) check() error {
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
