// Package jsonschema checks values against JSON Schemas that come from a server. It loads
// nothing, and everything has a limit: the size and depth of schemas and values, and
// how often a check applies a part of the schema. Check checks one value; Compile
// keeps a schema for several.
package jsonschema

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A Schema checks values. Only one goroutine at a time may use it.
type Schema struct {
	compiled  *jsonschema.Schema
	formats   bool
	unchecked []string
	visits    int
	most      int // visits
	plain     *plain
}

// Options are how a schema is read. The zero value follows JSON Schema 2020-12: a
// schema without $schema is of that dialect, and format is only an annotation.
type Options struct {
	// Lenient accepts a schema without $schema that is valid in an older dialect.
	Lenient bool
	// Formats also checks the formats of texts, such as email.
	Formats bool
	// Visits is how often a check may apply a part of the schema to a value, or do a hundred
	// steps of a pattern: a million takes a few seconds at most. 0 means 100,000.
	Visits int
}

var errBudget = errors.New("the check took too long")

// Check checks a value of at most longest bytes against a schema, including formats.
// unchecked are the patterns of the schema that cannot be matched; the value is
// checked for everything else. The error is the reason why it cannot be checked. It
// takes a tenth of a second at most, and is for a command.
func Check(schema, value []byte, longest int) (problems []Problem, unchecked []string, err error) {
	s, err := Compile(schema, Options{Formats: true})
	if err != nil {
		return nil, nil, err
	}
	problems, err = s.Check(value, longest)
	return problems, s.Unchecked(), err
}

// Compile compiles a schema. The error is an InvalidError if the schema is not valid
// in its dialect, a ReferenceError if it refers to something that is not in it, and
// any other error if it exceeds a limit or cannot be checked here.
func Compile(raw []byte, o Options) (*Schema, error) {
	doc, err := decode(raw, MaxBytes)
	if err == nil {
		err = checkSize(doc)
	}
	if err != nil {
		return nil, err
	}
	s, err := compileIn(jsonschema.Draft2020, doc, o)
	if _, invalid := errors.AsType[*InvalidError](err); invalid && o.Lenient {
		for _, draft := range []*jsonschema.Draft{jsonschema.Draft7, jsonschema.Draft4} {
			if older, err := compileIn(draft, doc, o); err == nil {
				return older, nil
			}
		}
	}
	return s, err
}

// Unchecked returns the patterns of the schema that cannot be matched, because
// Go's regular expressions have no lookaround and no backreferences. Values are
// checked for everything else, as if such a pattern matched everything.
func (s *Schema) Unchecked() []string { return s.unchecked }

// Check returns the problems of a value of at most longest bytes, or an error if the
// value cannot be checked.
func (s *Schema) Check(value []byte, longest int) (problems []Problem, err error) {
	if s.plain != nil && len(value) <= longest && s.plain.holds(value) {
		return nil, nil
	}
	doc, err := decode(value, longest)
	if err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			problems, err = nil, errBudget
			if r != any(errBudget) {
				err = unsupported(r)
			}
		}
	}()
	s.visits = 0
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](s.compiled.Validate(doc)); ok {
		return explain(invalid), nil
	}
	return nil, nil
}

func unsupported(r any) error { return fmt.Errorf("unsupported schema: %v", r) }

// address is the address of the schema; nothing is ever loaded from it.
const address = "mcpdbg:///schema"

// compileIn compiles a schema of a dialect, unless it names one itself.
func compileIn(draft *jsonschema.Draft, doc any, o Options) (s *Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			s, err = nil, unsupported(r)
		}
	}()
	s = &Schema{formats: o.Formats, most: cmp.Or(o.Visits, maxVisits), plain: plainOf(doc)}
	var all []*jsonschema.Schema
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(draft)
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(s.pattern)
	if o.Formats {
		compiler.AssertFormat()
	}
	compiler.AssertVocabs()
	compiler.RegisterVocabulary(&jsonschema.Vocabulary{
		URL: address + "/counted",
		Compile: func(ctx *jsonschema.CompilerContext, _ map[string]any) (jsonschema.SchemaExt, error) {
			all = append(all, ctx.Enqueue(nil))
			return nil, nil
		},
	})
	if err := compiler.AddResource(address, doc); err != nil {
		return nil, readableCompile(err)
	}
	if s.compiled, err = compiler.Compile(address); err != nil {
		return nil, readableCompile(err)
	}
	for _, part := range all {
		s.count(part)
	}
	return s, nil
}

// pattern compiles a regular expression. One that cannot be compiled matches
// everything.
func (s *Schema) pattern(text string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		if !slices.Contains(s.unchecked, text) {
			s.unchecked = append(s.unchecked, text)
		}
		return anything(text), nil
	}
	return pattern{re, steps(text)}, nil
}

// A pattern knows how many steps matching a byte takes at most.
type pattern struct {
	*regexp.Regexp
	steps int
}

func steps(text string) int {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0
	}
	return len(program.Inst)
}

type anything string

func (anything) MatchString(string) bool { return true }
func (a anything) String() string        { return string(a) }

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("loading is disabled") }

// decode limits the size and whatever a check has limits for.
func decode(raw []byte, longest int) (any, error) {
	if len(raw) > longest {
		return nil, ErrTooLong
	}
	if err := checkBounds(raw); err != nil {
		return nil, Readable(err)
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(raw))
}

const (
	// MaxBytes is the maximum size in bytes of a schema.
	MaxBytes = 256 << 10
	// maxSubschemas is the maximum number of objects in a schema; the library's work
	// grows with their square.
	maxSubschemas = 3000
	// maxVisits takes about a tenth of a second.
	maxVisits = 100_000
	// maxDigits is the maximum length of a number, written out without an exponent:
	// the library calculates with all digits.
	maxDigits = 1000
	// maxDepth is how deep a schema or a value may be nested.
	maxDepth = 200
	// MaxProblems is the maximum number of problems that a check reports.
	MaxProblems = 100
	// maxMessage is the maximum size in bytes of the text of a problem.
	maxMessage = 300
)
