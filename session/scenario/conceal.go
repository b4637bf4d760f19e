package scenario

import (
	"errors"
	"strings"

	"mcpdbg/session"
)

const (
	// maxShown is how many bytes of a value a problem quotes.
	maxShown = 200
	// maxLooked is how many bytes of a text are looked at: for secrets, before it is
	// cut to what is shown, and for what a regular expression wants. A long
	// expression takes seconds for as many, and can't be interrupted.
	maxLooked = 64 << 10
)

// A concealer keeps the values of secret variables out of texts.
type concealer struct{ *session.Concealer }

func newConcealer(vars *Vars) *concealer {
	return &concealer{session.NewConcealer(vars.Secrets())}
}

// short is the beginning of a text, without secrets, nor the beginning of one.
func (c *concealer) short(text string) string {
	whole := len(text) <= maxLooked
	if !whole {
		text = text[:maxLooked]
	}
	text = c.Text(text)
	if !whole {
		text = text[:max(0, len(text)-c.Longest())]
	}
	if whole && len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:min(maxShown, len(text))], "") + "…"
}

// error is an error whose text has no secrets.
func (c *concealer) error(err error) error {
	if err == nil || c.Text(err.Error()) == err.Error() {
		return err
	}
	return &concealedError{err, c.Text(err.Error())}
}

// problem is a problem without secrets, of bounded length.
func (c *concealer) problem(p Problem) Problem {
	p.Pointer, p.Want, p.Got = c.short(p.Pointer), c.short(p.Want), c.short(p.Got)
	p.Text = c.Text(p.Text)
	return p
}

// A concealedError is an error with another text.
type concealedError struct {
	err  error
	text string
}

func (e *concealedError) Error() string        { return e.text }
func (e *concealedError) Is(target error) bool { return errors.Is(e.err, target) }
func (e *concealedError) As(target any) bool   { return errors.As(e.err, target) }
