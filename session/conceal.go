package session

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/session/executor"
)

// shortestSecret is the shortest value that is concealed, in bytes: shorter ones
// stand in texts that have nothing to do with them.
const shortestSecret = 4

// shortestLine is the shortest line of a value that is concealed without the others.
const shortestLine = 8

// Conceal writes ${NAME} for the values of variables in texts, where one value
// holds another for the longer one. Values under 4 bytes are left.
func Conceal(texts []string, secrets []executor.EnvVar) []string {
	hide := concealer(secrets)
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = hide.Replace(text)
	}
	return out
}

func concealer(secrets []executor.EnvVar) *strings.Replacer {
	longest := slices.Clone(secrets)
	slices.SortStableFunc(longest, func(a, b executor.EnvVar) int { return cmp.Compare(len(b.Value), len(a.Value)) })
	var pairs []string
	for _, v := range longest {
		if len(v.Value) >= shortestSecret {
			pairs = append(pairs, v.Value, "${"+v.Name+"}")
		}
	}
	return strings.NewReplacer(pairs...)
}

// A Concealer keeps the values of secrets out of texts that others make of what a
// server says: ${NAME} stands in their place, also where they are quoted as JSON,
// and where a text was cut within one. The zero value conceals nothing. Any
// goroutine may use it.
type Concealer struct {
	replace *strings.Replacer
	spelled []executor.EnvVar // what is replaced, the longest first
}

// NewConcealer returns one for secrets. Values under 4 bytes are left. Of one that has
// several lines each line is one, too: texts are read line by line.
func NewConcealer(secrets []executor.EnvVar) *Concealer {
	c := &Concealer{}
	for _, secret := range secrets {
		if len(secret.Value) >= shortestSecret {
			c.spell(secret.Name, secret.Value)
		}
		if !strings.Contains(secret.Value, "\n") {
			continue
		}
		for line := range strings.Lines(secret.Value) {
			if line = strings.TrimSpace(line); len(line) >= shortestLine {
				c.spell(secret.Name, line)
			}
		}
	}
	if c.spelled != nil {
		slices.SortStableFunc(c.spelled, func(a, b executor.EnvVar) int { return cmp.Compare(len(b.Value), len(a.Value)) })
		c.replace = concealer(c.spelled)
	}
	return c
}

// spell adds a value in all ways in which it may be written.
func (c *Concealer) spell(name, value string) {
	c.spelled = append(c.spelled, executor.EnvVar{Name: name, Value: value})
	quoted, err := jsontext.AppendQuote(nil, value)
	if inner := string(quoted); err == nil && inner[1:len(inner)-1] != value {
		c.spelled = append(c.spelled, executor.EnvVar{Name: name, Value: inner[1 : len(inner)-1]})
	}
}

// Longest is how many bytes of a text one secret takes at most.
func (c *Concealer) Longest() int {
	if len(c.spelled) == 0 {
		return 0
	}
	return len(c.spelled[0].Value)
}

// Text is a text without secrets.
func (c *Concealer) Text(text string) string {
	if c.replace == nil {
		return text
	}
	text = c.replace.Replace(text)
	for _, mark := range []string{" ...", "…"} { // of jq, and ours
		text = c.beginnings(text, mark)
	}
	return text
}

// maxBeginning is how much of a secret may stand in a text that was cut, in
// bytes.
const maxBeginning = 512

// beginnings replaces what is left of a secret where somebody else has cut a
// text, and written a mark.
func (c *Concealer) beginnings(text, mark string) string {
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

// conceal hides the session's secrets in the command lines of processes: the
// system tells them to everybody here, but a log travels.
func (s *Session) conceal(procs []executor.Descendant) []executor.Descendant {
	procs = slices.Clone(procs)
	for i := range procs {
		procs[i].Command = s.hide.Replace(procs[i].Command)
	}
	return procs
}
