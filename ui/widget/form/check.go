package form

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A checker checks values against a schema. It loads nothing: a schema with a
// reference to another document cannot be checked. Make one with newChecker.
type checker struct {
	raw       []byte
	compiled  *jsonschema.Schema
	tried     bool
	err       error
	unchecked []string
	visits    int
	longest   int // the largest value, in bytes
}

// newChecker returns a checker for a schema, which is compiled on first use. A
// non-nil err is the reason why the schema cannot be used.
func newChecker(raw []byte, err error) *checker {
	return &checker{raw: bytes.Clone(raw), err: err, tried: err != nil, longest: maxChecked}
}

// Err returns the reason why values cannot be checked, or nil.
func (c *checker) Err() error {
	c.compile()
	return c.err
}

// Unchecked returns the patterns of the schema that cannot be matched, because
// Go's regular expressions have no lookaround and no backreferences. Values are
// checked for everything else.
func (c *checker) Unchecked() []string {
	c.compile()
	return c.unchecked
}

// errBudget aborts a check that exceeds its budget.
var errBudget = errors.New("the check took too long")

// Check returns the problems of a value, or an error if the value cannot be
// checked.
func (c *checker) Check(raw []byte) (problems []Problem, err error) {
	if err := c.Err(); err != nil {
		return nil, err
	}
	doc, err := decode(raw, c.longest)
	if err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			problems, err = nil, errBudget
			if r != any(errBudget) {
				err = fmt.Errorf("unsupported schema: %v", r)
			}
		}
	}()
	c.visits = 0
	var invalid *jsonschema.ValidationError
	if err := c.compiled.Validate(doc); errors.As(err, &invalid) {
		return explain(invalid), nil
	}
	return nil, nil
}

// compile compiles the schema once.
func (c *checker) compile() {
	if c.tried {
		return
	}
	c.tried = true
	doc, err := decode(c.raw, maxChecked)
	if err == nil {
		err = checkSize(doc)
	}
	if err != nil {
		c.err = err
		return
	}
	defer func() {
		if r := recover(); r != nil {
			c.err = fmt.Errorf("unsupported schema: %v", r)
		}
	}()
	c.compiled, c.err = c.compileDoc(doc)
	var loading *jsonschema.LoadURLError
	if errors.As(c.err, &loading) {
		c.err = fmt.Errorf("the schema refers to %s, which is not loaded", loading.URL)
	}
}

// schemaURL is the address of the schema; nothing is ever loaded from it.
const schemaURL = "mcpdbg:///schema"

func (c *checker) compileDoc(doc any) (*jsonschema.Schema, error) {
	var all []*jsonschema.Schema
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(c.pattern)
	compiler.AssertFormat()
	compiler.AssertVocabs()
	compiler.RegisterVocabulary(&jsonschema.Vocabulary{
		URL: schemaURL + "/counted",
		Compile: func(ctx *jsonschema.CompilerContext, _ map[string]any) (jsonschema.SchemaExt, error) {
			all = append(all, ctx.Enqueue(nil))
			return nil, nil
		},
	})
	if err := compiler.AddResource(schemaURL, doc); err != nil {
		return nil, err
	}
	compiled, err := compiler.Compile(schemaURL)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		c.count(s)
	}
	return compiled, nil
}

// pattern compiles a regular expression. One that cannot be compiled matches
// everything.
func (c *checker) pattern(text string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		if !slices.Contains(c.unchecked, text) {
			c.unchecked = append(c.unchecked, text)
		}
		return anything(text), nil
	}
	return re, nil
}

// anything is a pattern that cannot be checked.
type anything string

func (anything) MatchString(string) bool { return true }
func (a anything) String() string        { return string(a) }

// noLoader is a loader that loads nothing.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("loading is disabled") }

// decode decodes JSON of at most longest bytes after checking that it is within the
// limits of a check.
func decode(raw []byte, longest int) (any, error) {
	if len(raw) > longest {
		return nil, errTooLong
	}
	if err := checkBounds(raw); err != nil {
		return nil, readable(err)
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(raw))
}

// checkBounds rejects values that are nested too deeply and numbers with too many
// digits.
func checkBounds(raw []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := dec.ReadToken()
		switch {
		case err != nil && dec.StackDepth() == 0 && int(dec.InputOffset()) > 0:
			return nil // the decoder reports the rest
		case err != nil:
			return err
		case dec.StackDepth() > maxParsed:
			return errTooDeep
		case token.Kind() == '0' && digits(token.String()) > maxDigits:
			return errors.New("a number has too many digits")
		}
	}
}

// digits returns roughly how many digits a number has when it is written out.
func digits(number string) int {
	n := len(number)
	for i := range len(number) {
		if number[i] != 'e' && number[i] != 'E' {
			continue
		}
		exponent := 0
		for _, d := range number[i+1:] {
			if '0' <= d && d <= '9' {
				exponent = min(exponent*10+int(d-'0'), 1<<20)
			}
		}
		return n + exponent
	}
	return n
}

// checkSize rejects a schema with too many parts.
func checkSize(doc any) error {
	n := 0
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			n++
			for _, part := range v {
				walk(part)
			}
		case []any:
			for _, part := range v {
				walk(part)
			}
		}
	}
	walk(doc)
	if n > maxSubschemas {
		return fmt.Errorf("the schema has %d parts (limit %d)", n, maxSubschemas)
	}
	return nil
}
