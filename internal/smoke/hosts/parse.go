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
	// MaxHosts is how many hosts there may be.
	MaxHosts = 10_000
	// MaxFile is how long a list may be, in bytes.
	MaxFile = 4 << 20
)

// A Line is one line of a list: a destination; a pattern with "*" or "?", or
// one behind "!", which takes out of its list what it matches.
type Line struct {
	Text   string
	File   string // as an error names it
	Number int    // from 1; 0 means that the list has no lines
}

// Place says where the line stands.
func (l Line) Place() string {
	if l.Number == 0 {
		return l.File
	}
	return fmt.Sprintf("%s:%d", l.File, l.Number)
}

// Pattern tells whether the line is a pattern, and not the name of one host.
func (l Line) Pattern() bool { return strings.ContainsAny(l.Text, "*?") || l.excludes() }

func (l Line) excludes() bool { return strings.HasPrefix(l.Text, "!") }

// An Error says what is wrong with a line of a list.
type Error struct {
	Line Line
	Err  error
}

// Error says where and what.
func (e *Error) Error() string { return e.Line.Place() + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrNone is the cause of an error about a list without hosts.
var ErrNone = errors.New("there are no hosts in it")

// Parse reads a list that errors call file. Blank lines and what follows a # at
// the beginning of a line, or behind a space, mean nothing. The error is an
// *Error, or that of r; a list without a host is one.
func Parse(file string, r io.Reader) ([]Line, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err != nil {
		return nil, err
	}
	whole := Line{File: file}
	if len(data) > MaxFile {
		return nil, &Error{whole, fmt.Errorf("it is longer than %d bytes", MaxFile)}
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
			return nil, &Error{line, err}
		}
		if lines = append(lines, line); len(lines) > MaxHosts {
			return nil, &Error{line, fmt.Errorf("more than %d hosts", MaxHosts)}
		}
	}
	if len(lines) == 0 {
		return nil, &Error{whole, ErrNone}
	}
	return lines, nil
}

// uncommented is a line without its comment.
func uncommented(text string) string {
	for i := range len(text) {
		if text[i] == '#' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\t') {
			return text[:i]
		}
	}
	return text
}

// maxLine is the longest destination or pattern, in bytes.
const maxLine = 1024

// check refuses what is neither a destination nor a pattern, whatever it means.
func (l Line) check() error {
	switch {
	case len(l.Text) > maxLine:
		return fmt.Errorf("longer than %d bytes", maxLine)
	case !utf8.ValidString(l.Text) || strings.ContainsFunc(l.Text, unprintable):
		return fmt.Errorf("%.40q is no text", l.Text)
	case strings.ContainsFunc(l.Text, unicode.IsSpace):
		return fmt.Errorf("%.80q has a space in it: write one host a line", l.Text)
	case l.Text[0] == '[' && l.Text[len(l.Text)-1] == ']' && !strings.Contains(l.Text, ":"):
		return fmt.Errorf("%.80q is no host: a list has no groups, only one host a line", l.Text)
	case strings.TrimLeft(l.Text, "!") == "":
		return errors.New("behind ! there is no pattern")
	}
	return nil
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) && !unicode.IsSpace(r) }
