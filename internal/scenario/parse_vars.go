package scenario

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A token is a variable or plain text.
type token struct {
	text, name string
	broken     bool // a ${ without a valid variable; text starts there
}

// tokens splits a text: ${NAME} is a variable, $${ is a literal ${.
func tokens(text string, yield func(token) bool) {
	var plain strings.Builder
	flush := func() bool {
		if plain.Len() == 0 {
			return true
		}
		t := token{text: plain.String()}
		plain.Reset()
		return yield(t)
	}
	for text != "" {
		i := strings.IndexByte(text, '$')
		if i < 0 {
			i = len(text)
		}
		plain.WriteString(text[:i])
		text = text[i:]
		switch {
		case strings.HasPrefix(text, "$${"):
			plain.WriteString("${")
			text = text[len("$${"):]
		case strings.HasPrefix(text, "${"):
			name, rest, closed := strings.Cut(text[len("${"):], "}")
			if !flush() {
				return
			}
			if !closed || !isName(name) {
				yield(token{text: text, broken: true})
				return
			}
			if !yield(token{name: name}) {
				return
			}
			text = rest
		case text != "":
			plain.WriteByte('$')
			text = text[1:]
		}
	}
	flush()
}

// Plain escapes a text so that it contains no variables.
func Plain(text string) string { return strings.ReplaceAll(text, "${", "$${") }

// A valid name has letters, digits, _ and -, and starts with a letter or _.
func isName(word string) bool {
	for i := range len(word) {
		b := word[i]
		letter := b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_'
		if !letter && (i == 0 || b != '-' && (b < '0' || b > '9')) {
			return false
		}
	}
	return word != "" && len(word) <= maxTitle
}

func (p *parser) name(key *yaml.Node) bool {
	if !isName(key.Value) {
		p.failTry(key, "use letters, digits, _ and -, starting with a letter", "invalid variable name %s", quoted(key.Value))
		return false
	}
	return true
}

func (p *parser) variables(n *yaml.Node) {
	tokens(n.Value, func(t token) bool {
		switch {
		case t.broken:
			p.failTry(n, "write ${NAME} for a variable, and $${ for the text ${", "invalid variable reference: %s", quoted(t.text))
		case t.name != "" && !p.known[t.name]:
			p.undefined(n, t.name)
		}
		return true
	})
}

func (p *parser) undefined(n *yaml.Node, name string) {
	try := "declare it in vars, or capture it in an earlier step; write $${ for the text ${"
	if near := nearest(name, slices.Sorted(maps.Keys(p.known))); near != "" {
		try = "${" + near + "}"
	}
	p.failTry(n, try, "undefined variable %s", quoted(name))
}

func (p *parser) vars(n *yaml.Node) []Var {
	var all []Var
	p.members(n, "vars", func(key, value *yaml.Node) {
		if !p.name(key) {
			return
		}
		v := Var{Name: key.Value, Place: placeOf(key)}
		if real(value).Kind == yaml.MappingNode {
			p.fields(value, "a variable", field{"env", func(n *yaml.Node) { v.Env = p.environ(n) }},
				field{"default", func(n *yaml.Node) { v.Default = p.value(n, false) }},
				field{"secret", func(n *yaml.Node) { v.Secret = p.flag(n, "secret") }})
		} else {
			v.Default = p.value(value, false)
		}
		p.declared[v.Name], p.known[v.Name] = true, true
		all = append(all, v)
	})
	return all
}

func (p *parser) environ(n *yaml.Node) string {
	name := p.title(n, "env")
	if strings.ContainsAny(name, "=$ ") {
		p.fail(n, "env must be the name of an environment variable, not %s", quoted(name))
	}
	return name
}
