// Package secret keeps the values of secrets out of texts and files. A [Concealer]
// replaces them in texts for people; [Digests] let a later program recognize them
// in a recording, which holds none of them.
package secret

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/session/executor"
)

// shortestSecret is in bytes: shorter values occur by chance in unrelated text.
const shortestSecret = 4

// shortestLine is the length in bytes from which a single line of a value is
// concealed.
const shortestLine = 8

// Conceal replaces the values of variables in texts with ${NAME}. If one value
// contains another, the longer one is replaced. Values under 4 bytes are left
// unchanged.
func Conceal(texts []string, secrets []executor.EnvVar) []string {
	redactor := Replacer(secrets)
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = redactor.Replace(text)
	}
	return out
}

// Replacer returns what replaces the values of secrets as Conceal does.
func Replacer(secrets []executor.EnvVar) *strings.Replacer {
	longest := slices.Clone(secrets)
	sort.SliceStable(longest, func(i, j int) bool {
		a, b := &longest[i], &longest[j]
		return cmp.Compare(len(b.Value), len(a.Value)) < 0
	})
	var pairs []string
	for _, v := range longest {
		if len(v.Value) >= shortestSecret {
			pairs = append(pairs, v.Value, "${"+v.Name+"}")
		}
	}
	return strings.NewReplacer(pairs...)
}

// A Concealer replaces the values of secrets with ${NAME} in texts that other
// programs derive from server output, also where they are quoted as JSON or cut
// off. The zero value conceals nothing. It is safe for concurrent use.
type Concealer struct {
	replace *strings.Replacer
	spelled []executor.EnvVar // replaced spellings, the longest first
}

// NewConcealer returns a Concealer for secrets. Values under 4 bytes are left
// unchanged. Each line of a multi-line value is concealed too, as texts are
// read line by line.
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
		sort.SliceStable(c.spelled, func(i, j int) bool {
			a, b := &c.spelled[i], &c.spelled[j]
			return cmp.Compare(len(b.Value), len(a.Value)) < 0
		})
		c.replace = Replacer(c.spelled)
	}
	return c
}

func (c *Concealer) spell(name, value string) {
	c.spelled = append(c.spelled, executor.EnvVar{Name: name, Value: value})
	quoted, err := jsontext.AppendQuote(nil, value)
	if inner := string(quoted); err == nil && inner[1:len(inner)-1] != value {
		c.spelled = append(c.spelled, executor.EnvVar{Name: name, Value: inner[1 : len(inner)-1]})
	}
}

// Longest returns the length in bytes of the longest secret.
func (c *Concealer) Longest() int {
	if len(c.spelled) == 0 {
		return 0
	}
	return len(c.spelled[0].Value)
}

// Text returns text with secrets replaced.
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

// maxBeginning is the longest prefix of a secret, in bytes, that is searched
// for in a text that was cut.
const maxBeginning = 512

// beginnings replaces the prefix of a secret before each mark, with which another program
// has cut the text.
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

// overlap returns the length of the longest suffix of text that is a prefix of
// secret, or 0 if it is shorter than shortestSecret.
func overlap(text, secret string) int {
	for n := min(len(text), len(secret), maxBeginning); n >= shortestSecret; n-- {
		if strings.HasSuffix(text, secret[:n]) {
			return n
		}
	}
	return 0
}
