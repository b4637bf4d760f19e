package scenario

import (
	"errors"
	"strings"

	"mcpdbg/session/secret"
)

const (
	// maxShown is how many bytes of a value a problem quotes.
	maxShown = 200
	// maxAlike is how many bytes of context precede the first difference.
	maxAlike = 40
	// maxLooked is how many bytes of a text are searched: for secrets before it is
	// shortened, and by regular expressions, which take seconds for that many and cannot
	// be interrupted.
	maxLooked = 64 << 10
)

// A concealer keeps the values of secret variables out of texts.
type concealer struct{ *secret.Concealer }

func newConcealer(vars *Vars) *concealer {
	return &concealer{secret.NewConcealer(vars.Secrets())}
}

func (c *concealer) short(text string) string {
	return beginningOf(c.looked(text))
}

func (c *concealer) looked(text string) (concealed string, whole bool) {
	if whole = len(text) <= maxLooked; whole {
		return c.Text(text), true
	}
	text = c.Text(text[:maxLooked])
	return text[:max(0, len(text)-c.Longest())], false
}

func beginningOf(text string, whole bool) string {
	if whole && len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:min(maxShown, len(text))], "") + "…"
}

// pair shortens two texts so that their difference stays visible.
func (c *concealer) pair(want, got string) (string, string) {
	want, allWant := c.looked(want)
	got, allGot := c.looked(got)
	alike := 0
	for alike < min(len(want), len(got)) && want[alike] == got[alike] {
		alike++
	}
	if alike -= maxAlike; alike > 0 && max(len(want), len(got)) > maxShown {
		want, got = "…"+strings.ToValidUTF8(want[alike:], ""), "…"+strings.ToValidUTF8(got[alike:], "")
	}
	return beginningOf(want, allWant), beginningOf(got, allGot)
}

func (c *concealer) error(err error) error {
	if err == nil || c.Text(err.Error()) == err.Error() {
		return err
	}
	return &concealedError{err, c.Text(err.Error())}
}

func (c *concealer) problem(p Problem) Problem {
	p.Pointer, p.Input = c.short(p.Pointer), c.short(p.Input)
	p.Want, p.Got = c.pair(p.Want, p.Got)
	p.Text = c.Text(p.Text)
	return p
}

type concealedError struct {
	err  error
	text string
}

func (e *concealedError) Error() string        { return e.text }
func (e *concealedError) Is(target error) bool { return errors.Is(e.err, target) }
func (e *concealedError) As(target any) bool   { return errors.As(e.err, target) }
