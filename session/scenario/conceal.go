package scenario

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"mcpdbg/session/executor"
)

const (
	// maxShown is how many bytes of a value a problem quotes.
	maxShown = 200
	// maxLooked is how many bytes of a text are looked at: for secrets, before it is
	// cut to what is shown, and for what a regular expression wants. A long
	// expression takes seconds for as many, and can't be interrupted.
	maxLooked = 64 << 10
)

// A concealer keeps the values of secret variables out of texts: ${NAME} stands
// in their place, also where they are quoted as JSON.
type concealer struct {
	replace *strings.Replacer
	spelled []executor.EnvVar // what is replaced, the longest first
	longest int               // of that
}

func newConcealer(vars *Vars) *concealer {
	c := &concealer{}
	if vars == nil || len(vars.secrets) == 0 {
		return c
	}
	var spelled []executor.EnvVar
	for _, secret := range vars.secrets {
		spelled = append(spelled, secret)
		quoted := string(quoteJSON(secret.Value))
		if inner := quoted[1 : len(quoted)-1]; inner != secret.Value {
			spelled = append(spelled, executor.EnvVar{Name: secret.Name, Value: inner})
		}
	}
	slices.SortStableFunc(spelled, func(a, b executor.EnvVar) int { return cmp.Compare(len(b.Value), len(a.Value)) })
	var pairs []string
	for _, secret := range spelled {
		c.longest = max(c.longest, len(secret.Value))
		pairs = append(pairs, secret.Value, "${"+secret.Name+"}")
	}
	c.replace, c.spelled = strings.NewReplacer(pairs...), spelled
	return c
}

// text is a text without secrets.
func (c *concealer) text(text string) string {
	if c.replace == nil {
		return text
	}
	text = c.replace.Replace(text)
	for _, mark := range []string{" ...", "…"} { // of jq, and of findings
		text = c.beginnings(text, mark)
	}
	return text
}

// maxBeginning is how much of a secret may stand in a text that was cut, in
// bytes.
const maxBeginning = 512

// beginnings replaces what is left of a secret where somebody else has cut a
// text, and written a mark.
func (c *concealer) beginnings(text, mark string) string {
	pieces := strings.Split(text, mark)
	for i, piece := range pieces[:len(pieces)-1] {
		for _, secret := range c.spelled {
			if n := overlap(piece, secret.Value); n > 0 {
				pieces[i] = piece[:len(piece)-n] + "${" + secret.Name + "}"
				break
			}
		}
	}
	return strings.Join(pieces, mark)
}

// overlap is how many bytes a text ends with that a secret begins with, 0 if it
// is less than a secret can be.
func overlap(text, secret string) int {
	for n := min(len(text), len(secret), maxBeginning); n >= shortestSecret; n-- {
		if strings.HasSuffix(text, secret[:n]) {
			return n
		}
	}
	return 0
}

// short is the beginning of a text, without secrets, nor the beginning of one.
func (c *concealer) short(text string) string {
	whole := len(text) <= maxLooked
	if !whole {
		text = text[:maxLooked]
	}
	text = c.text(text)
	if !whole {
		text = text[:max(0, len(text)-c.longest)]
	}
	if whole && len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:min(maxShown, len(text))], "") + "…"
}

// error is an error whose text has no secrets.
func (c *concealer) error(err error) error {
	if err == nil || c.text(err.Error()) == err.Error() {
		return err
	}
	return &concealedError{err, c.text(err.Error())}
}

// problem is a problem without secrets, of bounded length.
func (c *concealer) problem(p Problem) Problem {
	p.Pointer, p.Want, p.Got = c.short(p.Pointer), c.short(p.Want), c.short(p.Got)
	p.Text = c.text(p.Text)
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
