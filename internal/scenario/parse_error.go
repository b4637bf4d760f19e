package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpdbg/internal/wording"
)

const maxErrors = 20

// An Error is one mistake in a scenario file. Texts from the file are quoted.
type Error struct {
	File   string
	Place  Place
	Text   string // the mistake
	Advice string // advice; may be empty
}

// Error returns the mistake as file:line:column: text.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Place.Line, e.Place.Column, e.Text)
}

// Errors lists the mistakes in a scenario file by place: the first 20 found, at least
// one.
type Errors []*Error

// Error returns one mistake per line, each followed by its advice.
func (e Errors) Error() string {
	var b strings.Builder
	for i, one := range e {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(one.Error())
		if one.Advice != "" {
			b.WriteString("\n  try: " + one.Advice)
		}
	}
	return b.String()
}

// Unwrap returns the mistakes.
func (e Errors) Unwrap() []error {
	all := make([]error, len(e))
	for i, one := range e {
		all[i] = one
	}
	return all
}

func (e Errors) sorted() Errors {
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Place.Column, b.Place.Column))
	})
	return e
}

func quoted(text string) string {
	const most = 60
	if short := []rune(text); len(short) > most {
		return fmt.Sprintf("%q...", string(short[:most]))
	}
	return fmt.Sprintf("%q", text)
}

// nearest returns the known word that word misspells, or with the same first three
// letters, or "".
func nearest(word string, known []string) string {
	best := wording.Nearest(word, known)
	if best != "" || len(word) < 3 {
		return best
	}
	for _, k := range known {
		if len(k) >= 3 && word[:3] == k[:3] {
			return k
		}
	}
	return ""
}
