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
)

// compileJQ compiles a jq program, which gets to no file, no environment and no
// further input. The variables are NAME for $NAME.
func compileJQ(text string, names []string) (*gojq.Code, error) {
	if len(text) > maxProgram {
		return nil, fmt.Errorf("it is longer than %d bytes", maxProgram)
	}
	query, err := gojq.Parse(text)
	var wrong *gojq.ParseError
	if errors.As(err, &wrong) {
		return nil, fmt.Errorf("byte %d: %w", wrong.Offset+1-len(wrong.Token), err)
	}
	if err != nil {
		return nil, err
	}
	dollars := make([]string, len(names))
	for i, name := range names {
		dollars[i] = "$" + name
	}
	query.FuncDefs = slices.Concat(guards(), query.FuncDefs)
	return gojq.Compile(query, gojq.WithVariables(dollars), gojq.WithFunction("_fewdigits", 0, 0, fewDigits))
}

// compileRegexp compiles a regular expression.
func compileRegexp(text string) (*regexp.Regexp, error) {
	if len(text) > maxProgram {
		return nil, fmt.Errorf("it is longer than %d bytes", maxProgram)
	}
	compiled, err := regexp.Compile(text)
	var wrong *syntax.Error
	if errors.As(err, &wrong) { // its own text begins by saying what it is
		return nil, fmt.Errorf("%s: `%s`", wrong.Code, wrong.Expr)
	}
	return compiled, err
}

// schemaHome is the address of a schema; nothing is ever loaded from it.
const schemaHome = "mcpdbg:///schema"

// compileSchema compiles a JSON Schema. It loads nothing: a reference that
// leaves the schema is an error. visit, if not nil, is called whenever a part of
// the schema is held against a value.
func compileSchema(raw json.RawMessage, visit func()) (schema *jsonschema.Schema, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			schema, err = nil, fmt.Errorf("it is beyond the checker: %v", broken)
		}
	}()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	if number := findNumber(doc, vast); number != "" {
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

// visited has visit called when a part of a schema is held against a value. The
// checker has no such hook, but looks at the format before it goes on.
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

// patterns are those of one schema: where one stands often, through aliases, it
// is compiled once.
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

// A pieceOf is a pattern for texts that are not too long for it.
type pieceOf struct{ *regexp.Regexp }

// MatchString implements jsonschema.Regexp. It panics on a text that it does not
// look at.
func (p pieceOf) MatchString(text string) bool {
	if len(text) > maxLooked {
		panic(fmt.Errorf("a text of %d bytes: for a pattern it may have %d", len(text), maxLooked))
	}
	return p.Regexp.MatchString(text)
}

// refuser loads nothing.
type refuser struct{}

func (refuser) Load(string) (any, error) { return nil, errors.New("nothing is loaded") }

// maxDigits is how many characters a number may have that is reckoned with: with
// a million digits one multiplication takes seconds, and ten million take hours.
const maxDigits = 1000

func tooLong(number json.Number) bool { return len(number) > maxDigits }

// vast tells whether a number would take megabytes when it is written out.
func vast(number json.Number) bool {
	_, exponent, _ := strings.Cut(strings.ToLower(number.String()), "e")
	e, err := strconv.Atoi(cmp.Or(exponent, "0"))
	return err != nil || e > maxDigits || e < -maxDigits || tooLong(number)
}

// findNumber returns a number in a decoded value that is as asked for, "" if
// there is none.
func findNumber(doc any, is func(json.Number) bool) string {
	switch v := doc.(type) {
	case json.Number:
		if is(v) {
			return v.String()
		}
	case map[string]any:
		for _, part := range v {
			if number := findNumber(part, is); number != "" {
				return number
			}
		}
	case []any:
		for _, part := range v {
			if number := findNumber(part, is); number != "" {
				return number
			}
		}
	}
	return ""
}

// once compiles a text, unless that went well before: an alias can have the same
// one stand in thousands of places.
func (p *parser) once(language, text string, compile func() error) error {
	key := language + " " + text
	if p.compiled[key] {
		return nil
	}
	err := compile()
	p.compiled[key] = err == nil
	return err
}

// expression reads a jq program.
func (p *parser) expression(n *yaml.Node, what string) (Expression, bool) {
	text := p.text(n, what)
	if text == "" {
		return Expression{}, false
	}
	known := func(name string) bool { return p.known[name] }
	if err := p.once("jq", text, func() error { _, err := compileJQ(text, named(text, known)); return err }); err != nil {
		p.failTry(n, p.tryJQ(err), "this is no jq program: %v", err)
	}
	return Expression{Place: placeOf(n), Text: text}, true
}

// tryJQ is what to do about a program that does not compile.
func (p *parser) tryJQ(err error) string {
	_, name, unknown := strings.Cut(err.Error(), "variable not defined: $")
	switch near := nearest(name, slices.Sorted(maps.Keys(p.known))); {
	case !unknown:
		return ""
	case near != "" && !strings.Contains(near, "-"): // jq knows no such name
		return "$" + near
	}
	return "declare it in vars, or capture it in a step before"
}

// expressions reads one jq program, or a list of them.
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
		p.fail(n, "this is no regular expression: %v", err)
	}
	return text
}

// schema reads a JSON Schema. What is wrong in it is noted at its place.
func (p *parser) schema(n *yaml.Node) json.RawMessage {
	if s := real(n); s.Kind != yaml.MappingNode && s.ShortTag() != "!!bool" {
		p.fail(n, "schema has to be a JSON Schema, not %s", describe(n))
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
		p.failTry(n, "put what it refers to into its $defs, as {$ref: '#/$defs/NAME'}", "the schema refers to %s, and nothing is loaded", quoted(loading.URL))
	case errors.As(err, &invalid) && errors.As(invalid.Err, &fault):
		for len(fault.Causes) > 0 {
			fault = fault.Causes[0]
		}
		p.fail(inside(n, fault.InstanceLocation), "this is no JSON Schema: %s", faultText(fault))
	case err != nil:
		p.fail(n, "this is no JSON Schema: %s", strings.ReplaceAll(err.Error(), schemaHome, ""))
	}
	return raw
}

// faultText says what is wrong with a value, without where.
func faultText(fault *jsonschema.ValidationError) string {
	if out := fault.BasicOutput(); out.Error != nil {
		return fmt.Sprintf("%.200s", out.Error.String())
	}
	return fmt.Sprintf("%.200s", fault.Error())
}

// inside is the node along a path.
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
