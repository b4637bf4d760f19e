package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxErrors is how many mistakes of one file are listed.
const maxErrors = 20

// An Error is one mistake in a scenario file. Texts of the file stand in it
// quoted.
type Error struct {
	File  string
	Place Place
	Text  string // what is wrong
	Try   string // what to do about it; "" if the text says it
}

// Error gives the mistake as file:line:column: text.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Place.Line, e.Place.Column, e.Text)
}

// Errors are the mistakes in a scenario file, in the order of their places: the
// first 20 that were found. There is at least one.
type Errors []*Error

// Error gives one mistake a line, each with what to try below it.
func (e Errors) Error() string {
	var b strings.Builder
	for i, one := range e {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(one.Error())
		if one.Try != "" {
			b.WriteString("\n  try: " + one.Try)
		}
	}
	return b.String()
}

// Unwrap gives each of the mistakes.
func (e Errors) Unwrap() []error {
	all := make([]error, len(e))
	for i, one := range e {
		all[i] = one
	}
	return all
}

// sorted puts the mistakes in order.
func (e Errors) sorted() Errors {
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Place.Column, b.Place.Column))
	})
	return e
}

// quoted shows a text of the file, shortened.
func quoted(text string) string {
	const most = 60
	if short := []rune(text); len(short) > most {
		return fmt.Sprintf("%q...", string(short[:most]))
	}
	return fmt.Sprintf("%q", text)
}
