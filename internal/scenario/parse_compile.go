package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
	"go.yaml.in/yaml/v3"

	"mcpdbg/internal/wording"
	"mcpdbg/session/jq"
	"mcpdbg/session/jsonschema"
)

// compileJQ compiles a jq program without access to files, the environment or further
// input.
func compileJQ(text string, names []string) (*gojq.Code, error) {
	if len(text) > maxProgram {
		return nil, fmt.Errorf("longer than %d bytes", maxProgram)
	}
	dollars := make([]string, len(names))
	for i, name := range names {
		dollars[i] = "$" + name
	}
	return jq.Compile(text, dollars...)
}

func compileRegexp(text string) (*regexp.Regexp, error) {
	if len(text) > maxProgram {
		return nil, fmt.Errorf("longer than %d bytes", maxProgram)
	}
	compiled, err := regexp.Compile(text)
	var wrong *syntax.Error
	if errors.As(err, &wrong) { // its text has a redundant prefix
		return nil, fmt.Errorf("%s: `%s`", wrong.Code, wrong.Expr)
	}
	return compiled, err
}

// once compiles a text once: an alias can repeat it in thousands of places.
func (p *parser) once(language, text string, compile func() error) error {
	key := language + " " + text
	if p.compiled[key] {
		return nil
	}
	err := compile()
	p.compiled[key] = err == nil
	return err
}

func (p *parser) expression(n *yaml.Node, what string) (Expression, bool) {
	text := p.text(n, what)
	if text == "" {
		return Expression{}, false
	}
	known := func(name string) bool { return p.known[name] }
	if err := p.once("jq", text, func() error { _, err := compileJQ(text, named(text, known)); return err }); err != nil {
		p.failTry(n, p.tryJQ(err), "invalid jq program: %v", err)
	}
	return Expression{Place: placeOf(n), Text: text}, true
}

func (p *parser) tryJQ(err error) string {
	_, name, unknown := strings.Cut(err.Error(), "variable not defined: $")
	switch near := nearest(name, slices.Sorted(maps.Keys(p.known))); {
	case !unknown:
		return ""
	case near != "" && !strings.Contains(near, "-"): // not a valid name in jq
		return "$" + near
	}
	return "declare it in vars, or capture it in an earlier step"
}

func (p *parser) expressions(n *yaml.Node, what string) []Expression {
	list := []*yaml.Node{n}
	if real(n).Kind == yaml.SequenceNode {
		list = real(n).Content
	}
	if len(list) == 0 {
		p.fail(n, "%s is an empty list", what)
	}
	var all []Expression
	for _, one := range list {
		if e, ok := p.expression(one, what); ok {
			all = append(all, e)
		}
	}
	return all
}

func (p *parser) pattern(n *yaml.Node, what string) string {
	text := p.text(n, what)
	if err := p.once("regexp", text, func() error { _, err := compileRegexp(text); return err }); err != nil {
		p.fail(n, "invalid regular expression: %v", err)
	}
	return text
}

func (p *parser) schema(n *yaml.Node) json.RawMessage {
	if s := real(n); s.Kind != yaml.MappingNode && s.ShortTag() != "!!bool" {
		p.fail(n, "schema must be a JSON Schema, not %s", describe(n))
		return nil
	}
	raw := p.value(n, false)
	if raw == nil {
		return nil
	}
	err := p.once("schema", string(raw), func() error { _, err := compileSchema(raw); return err })
	var invalid *jsonschema.InvalidError
	var missing *jsonschema.ReferenceError
	switch {
	case errors.As(err, &invalid):
		first := invalid.Problems[0]
		p.fail(inside(n, first.Path), "invalid JSON Schema: %s", first.Text)
	case errors.As(err, &missing) && missing.External:
		p.failTry(n, "copy the schema into $defs and refer to it with {$ref: '#/$defs/NAME'}", "external schema references are not supported: %s", quoted(missing.Target))
	case err != nil:
		p.fail(n, "invalid JSON Schema: %v", err)
	}
	return raw
}

// inside returns the part of a node at a JSON Pointer, or the part that would contain it.
func inside(n *yaml.Node, pointer string) *yaml.Node {
	words := strings.Split(pointer, "/")
	for _, word := range words[1:] { // the first is "" in any pointer
		word = wording.UnescapePointer(word)
		at, next := real(n), (*yaml.Node)(nil)
		for i := 0; at.Kind == yaml.MappingNode && i+1 < len(at.Content); i += 2 {
			if at.Content[i].Value == word {
				next = at.Content[i+1]
			}
		}
		if i, err := strconv.Atoi(word); err == nil && at.Kind == yaml.SequenceNode && i >= 0 && i < len(at.Content) {
			next = at.Content[i]
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}
