package scenario

import (
	"bytes"
	"cmp"
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
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"mcpdbg/session/jq"
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

// schemaHome is the address of a schema; nothing is ever loaded from it.
const schemaHome = "mcpdbg:///schema"

// compileSchema loads nothing: a reference out of the schema is an error. visit, if not
// nil, is called whenever a part of the schema is compared with a value.
func compileSchema(raw json.RawMessage, visit func()) (schema *jsonschema.Schema, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			schema, err = nil, fmt.Errorf("the compiler failed: %v", broken)
		}
	}()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	if number := jq.FindNumber(doc, vast); number != "" {
		return nil, fmt.Errorf("the number %.40s has too many digits", number)
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(refuser{})
	compiler.UseRegexpEngine(patterns{}.compile)
	compiler.AssertFormat()
	var parts []*jsonschema.Schema
	compiler.AssertVocabs()
	compiler.RegisterVocabulary(&jsonschema.Vocabulary{
		URL: schemaHome + "/parts",
		Compile: func(ctx *jsonschema.CompilerContext, _ map[string]any) (jsonschema.SchemaExt, error) {
			parts = append(parts, ctx.Enqueue(nil))
			return nil, nil
		},
	})
	if err := compiler.AddResource(schemaHome, doc); err != nil {
		return nil, err
	}
	if schema, err = compiler.Compile(schemaHome); err != nil || visit == nil {
		return schema, err
	}
	for _, part := range parts {
		visited(part, visit)
	}
	return schema, nil
}

// visited makes a part of a schema call visit. The checker has no hook for that, but
// checks the format first.
func visited(part *jsonschema.Schema, visit func()) {
	format := jsonschema.Format{Validate: func(any) error { return nil }}
	if part.Format != nil {
		format = *part.Format
	}
	check := format.Validate
	format.Validate = func(value any) error {
		visit()
		return check(value)
	}
	part.Format = &format
}

// patterns caches the compiled patterns of a schema, because aliases can repeat
// them.
type patterns map[string]pieceOf

func (known patterns) compile(text string) (jsonschema.Regexp, error) {
	if known, ok := known[text]; ok {
		return known, nil
	}
	re, err := compileRegexp(text)
	if err == nil {
		known[text] = pieceOf{re}
	}
	return pieceOf{re}, err
}

type pieceOf struct{ *regexp.Regexp }

// MatchString implements jsonschema.Regexp. It panics if the text is too long.
func (p pieceOf) MatchString(text string) bool {
	if len(text) > maxLooked {
		panic(fmt.Errorf("a text of %d bytes exceeds the pattern limit of %d", len(text), maxLooked))
	}
	return p.Regexp.MatchString(text)
}

type refuser struct{}

func (refuser) Load(string) (any, error) { return nil, errors.New("nothing is loaded") }

// vast reports whether a number would take megabytes when written out.
func vast(number json.Number) bool {
	_, exponent, _ := strings.Cut(strings.ToLower(number.String()), "e")
	e, err := strconv.Atoi(cmp.Or(exponent, "0"))
	return err != nil || e > jq.MaxDigits || e < -jq.MaxDigits || len(number) > jq.MaxDigits
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
	err := p.once("schema", string(raw), func() error { _, err := compileSchema(raw, nil); return err })
	var invalid *jsonschema.SchemaValidationError
	var fault *jsonschema.ValidationError
	var loading *jsonschema.LoadURLError
	switch {
	case errors.As(err, &loading):
		p.failTry(n, "copy the schema into $defs and refer to it with {$ref: '#/$defs/NAME'}", "external schema references are not supported: %s", quoted(loading.URL))
	case errors.As(err, &invalid) && errors.As(invalid.Err, &fault):
		for len(fault.Causes) > 0 {
			fault = fault.Causes[0]
		}
		p.fail(inside(n, fault.InstanceLocation), "invalid JSON Schema: %s", faultText(fault))
	case err != nil:
		p.fail(n, "invalid JSON Schema: %s", strings.ReplaceAll(err.Error(), schemaHome, ""))
	}
	return raw
}

func faultText(fault *jsonschema.ValidationError) string {
	if out := fault.BasicOutput(); out.Error != nil {
		return fmt.Sprintf("%.200s", out.Error.String())
	}
	return fmt.Sprintf("%.200s", fault.Error())
}

func inside(n *yaml.Node, path []string) *yaml.Node {
	for _, word := range path {
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
