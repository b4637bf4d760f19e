package target

import (
	"fmt"
	"strings"
)

// A Text is a text of a config file after its tokens were expanded. Its secrets
// print as ${NAME}, whatever the verb; Reveal returns them. The zero Text means
// no text.
type Text struct {
	parts func() []part // a function, so that fmt cannot print it
}

type part struct {
	text  string
	name  string // set if the piece is a secret: its name
	input string // set for the value of an input
}

func plain(s string) Text { return textOf([]part{{text: s}}) }

func textOf(parts []part) Text { return Text{func() []part { return parts }} }

// IsZero reports whether there is no text. An empty text is a text.
func (t Text) IsZero() bool { return t.parts == nil }

// String returns the text without its secrets.
func (t Text) String() string {
	var b strings.Builder
	for _, p := range t.all() {
		switch {
		case p.input != "":
			b.WriteString("${input:" + p.input + "}")
		case p.name != "":
			b.WriteString("${" + p.name + "}")
		default:
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// Format prints the text without its secrets, whatever the verb.
func (t Text) Format(f fmt.State, _ rune) { fmt.Fprint(f, t.String()) }

// Reveal returns the text with its secrets. Values of inputs are missing.
func (t Text) Reveal() string {
	var b strings.Builder
	for _, p := range t.all() {
		b.WriteString(p.text)
	}
	return b.String()
}

func (t Text) all() []part {
	if t.parts == nil {
		return nil
	}
	return t.parts()
}

func (t Text) inputs() []string {
	var ids []string
	for _, p := range t.all() {
		if p.input != "" {
			ids = append(ids, p.input)
		}
	}
	return ids
}

// with sets the given values of inputs. A secret gets the name of its input.
func (t Text) with(given map[string]answer) Text {
	if t.parts == nil {
		return t
	}
	parts := make([]part, 0, len(t.parts()))
	for _, p := range t.parts() {
		if a, ok := given[p.input]; ok && p.input != "" {
			p = part{text: a.value, name: p.name}
			if a.secret && p.name == "" {
				p.name = a.id
			}
		}
		parts = append(parts, p)
	}
	return textOf(parts)
}

func (t Text) secret(name string) Text {
	if t.parts == nil {
		return t
	}
	parts := make([]part, len(t.parts()))
	for i, p := range t.parts() {
		p.name = name
		parts[i] = p
	}
	return textOf(parts)
}

// A Var is an environment variable of a server. Its value never prints.
type Var struct {
	Name  string
	Value Text
}

// String returns only the name.
func (v Var) String() string { return v.Name + "=..." }

// Format prints only the name, whatever the verb.
func (v Var) Format(f fmt.State, _ rune) { fmt.Fprint(f, v.String()) }
