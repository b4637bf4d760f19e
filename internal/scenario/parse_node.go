package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"
)

const maxWait = 24 * time.Hour

const tryObject = "write its members as NAME: VALUE, one per line and indented, or as {NAME: VALUE}"

func placeOf(n *yaml.Node) Place { return Place{n.Line, n.Column} }

// spend adds to the cost of reading, and reports whether it may continue.
func (p *parser) spend(n *yaml.Node, size int) bool {
	if p.read += 1 + size; p.read > maxRead && !p.spent {
		p.spent = true
		p.fail(n, "aliases expand this file beyond the limit")
	}
	return !p.spent
}

type field struct {
	key  string
	read func(*yaml.Node)
}

func real(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return n
}

// members skips members with an invalid or duplicate key.
func (p *parser) members(n *yaml.Node, what string, visit func(key, value *yaml.Node)) bool {
	object := real(n)
	if !p.spend(n, len(object.Content)) {
		return false
	}
	if object.Kind != yaml.MappingNode {
		p.failTry(n, tryObject, "%s must be an object, not %s", what, describe(n))
		return false
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(object.Content); i += 2 {
		key, value := object.Content[i], object.Content[i+1]
		if !p.key(key) {
			continue
		}
		if line, twice := seen[key.Value]; twice {
			p.fail(key, "duplicate key %s, first in line %d", quoted(key.Value), line)
			continue
		}
		seen[key.Value] = key.Line
		visit(key, value)
	}
	return true
}

func (p *parser) key(key *yaml.Node) bool {
	switch {
	case key.Kind == yaml.AliasNode:
		p.fail(key, "a key cannot be an alias")
	case key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge":
		p.failTry(key, "write the members out", "merge keys (<<) are not supported")
	case key.Kind != yaml.ScalarNode || !isText(key):
		p.failTry(key, "quote it", "a key must be text, not %s", describe(key))
	default:
		return true
	}
	return false
}

func (p *parser) fields(n *yaml.Node, what string, fields ...field) bool {
	return p.members(n, what, func(key, value *yaml.Node) {
		for _, f := range fields {
			if f.key == key.Value {
				f.read(value)
				return
			}
		}
		p.unknown(key, what, fields)
	})
}

func (p *parser) unknown(key *yaml.Node, what string, fields []field) {
	known := keysOf(fields)
	try := "it may have " + strings.Join(known, ", ")
	if near := nearest(key.Value, known); near != "" {
		try = near
	}
	p.failTry(key, try, "%s has no member %s", what, quoted(key.Value))
}

func keysOf(fields []field) (keys []string) {
	for _, f := range fields {
		keys = append(keys, f.key)
	}
	return keys
}

func (p *parser) text(n *yaml.Node, what string) string {
	s := real(n)
	switch {
	case !p.spend(n, len(s.Value)):
		return ""
	case s.Kind != yaml.ScalarNode || !isText(s):
		try := ""
		if s.Kind == yaml.ScalarNode {
			try = "quote it"
		}
		p.failTry(n, try, "%s must be text, not %s", what, describe(n))
		return ""
	case s.Value == "":
		p.fail(n, "%s is empty", what)
	}
	return s.Value
}

func (p *parser) title(n *yaml.Node, what string) string {
	s := p.text(n, what)
	if len([]rune(s)) > maxTitle || strings.ContainsFunc(s, func(r rune) bool { return !printable(r) }) || strings.TrimSpace(s) != s {
		p.fail(n, "%s must be one line of at most %d printable characters, without leading or trailing space", what, maxTitle)
		return ""
	}
	return s
}

func printable(r rune) bool { return unicode.IsPrint(r) && r != unicode.ReplacementChar }

// maxTitle is the maximum length of a name, in characters.
const maxTitle = 200

func (p *parser) duration(n *yaml.Node, what string) time.Duration {
	s := real(n)
	d, err := time.ParseDuration(s.Value)
	if s.Kind != yaml.ScalarNode || err != nil || s.Value == "0" {
		p.failTry(n, "write a number with a unit: 500ms, 5s, 1m30s", "%s must be a duration, not %s", what, describe(n))
		return 0
	}
	if d <= 0 || d > maxWait {
		p.fail(n, "%s must be more than 0 and at most 24h", what)
	}
	return d
}

func (p *parser) flag(n *yaml.Node, what string) bool {
	s := real(n)
	if s.Kind != yaml.ScalarNode || s.ShortTag() != "!!bool" {
		p.failTry(n, "write it without quotes", "%s must be true or false, not %s", what, describe(n))
		return false
	}
	return strings.EqualFold(s.Value, "true")
}

func (p *parser) must(n *yaml.Node, what string) {
	if s := real(n); s.Kind != yaml.ScalarNode || s.ShortTag() != "!!bool" || !strings.EqualFold(s.Value, "true") {
		p.failTry(n, "omit it instead", "%s can only be true", what)
	}
}

func (p *parser) integer(n *yaml.Node, what string) *int {
	s := real(n)
	number, err := strconv.ParseInt(s.Value, 10, 32)
	if s.Kind != yaml.ScalarNode || isText(s) || err != nil {
		p.fail(n, "%s must be an integer, not %s", what, describe(n))
		return nil
	}
	i := int(number)
	return &i
}

func describe(n *yaml.Node) string {
	n = real(n)
	switch n.Kind {
	case yaml.MappingNode:
		return "an object"
	case yaml.SequenceNode:
		return "a list"
	}
	switch {
	case isText(n):
		return "the text " + quoted(n.Value)
	case n.ShortTag() == "!!null":
		return "null"
	}
	return fmt.Sprintf("%.40s", n.Value)
}
