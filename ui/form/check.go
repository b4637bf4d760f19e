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

// A checker holds values against a schema. It loads nothing: a reference that
// leaves the schema makes it impossible to check. Make one with newChecker.
type checker struct {
	raw       []byte
	compiled  *jsonschema.Schema
	tried     bool
	err       error
	unchecked []string
	visits    int
}

// newChecker returns a checker for a schema, which is compiled when it is needed
// first; err says why it can't be.
func newChecker(raw []byte, err error) *checker {
	return &checker{raw: bytes.Clone(raw), err: err, tried: err != nil}
}

// Err says why nothing can be checked, nil if it can.
func (c *checker) Err() error {
	c.compile()
	return c.err
}

// Unchecked are the patterns of the schema that this program can't match (Go's
// regular expressions have no lookaround and no backreferences); values are
// checked for all else.
func (c *checker) Unchecked() []string {
	c.compile()
	return c.unchecked
}

// errBusy ends a check that has no end in sight.
var errBusy = errors.New("it takes too long")

// Check returns what is wrong with a value. If that can't be told the error
// says why.
func (c *checker) Check(raw []byte) (problems []Problem, err error) {
	if err := c.Err(); err != nil {
		return nil, err
	}
	doc, err := decode(raw)
	if err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			problems, err = nil, errBusy
			if r != any(errBusy) {
				err = fmt.Errorf("the schema is beyond the checker: %v", r)
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
	doc, err := decode(c.raw)
	if err == nil {
		err = small(doc)
	}
	if err != nil {
		c.err = err
		return
	}
	defer func() {
		if r := recover(); r != nil {
			c.err = fmt.Errorf("the schema is beyond the checker: %v", r)
		}
	}()
	c.compiled, c.err = c.compileDoc(doc)
	var loading *jsonschema.LoadURLError
	if errors.As(c.err, &loading) {
		c.err = fmt.Errorf("it refers to %s, and nothing is loaded", loading.URL)
	}
}

// home is the address of the schema; nothing is ever loaded from it.
const home = "mcpdbg:///schema"

func (c *checker) compileDoc(doc any) (*jsonschema.Schema, error) {
	var all []*jsonschema.Schema
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(refuser{})
	compiler.UseRegexpEngine(c.pattern)
	compiler.AssertFormat()
	compiler.AssertVocabs()
	compiler.RegisterVocabulary(&jsonschema.Vocabulary{
		URL: home + "/counted",
		Compile: func(ctx *jsonschema.CompilerContext, _ map[string]any) (jsonschema.SchemaExt, error) {
			all = append(all, ctx.Enqueue(nil))
			return nil, nil
		},
	})
	if err := compiler.AddResource(home, doc); err != nil {
		return nil, err
	}
	compiled, err := compiler.Compile(home)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		c.count(s)
	}
	return compiled, nil
}

// pattern compiles a regular expression; one that can't be compiled matches
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

// anything is a pattern that can't be checked.
type anything string

func (anything) MatchString(string) bool { return true }
func (a anything) String() string        { return string(a) }

// refuser loads nothing.
type refuser struct{}

func (refuser) Load(string) (any, error) { return nil, errors.New("nothing is loaded") }

// decode decodes JSON whose checking is bounded.
func decode(raw []byte) (any, error) {
	if len(raw) > maxChecked {
		return nil, errTooLong
	}
	if err := bounded(raw); err != nil {
		return nil, readable(err)
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(raw))
}

// bounded refuses what is nested too deep, and numbers of too many digits.
func bounded(raw []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := dec.ReadToken()
		switch {
		case err != nil && dec.StackDepth() == 0 && int(dec.InputOffset()) > 0:
			return nil // the decoder says the rest
		case err != nil:
			return err
		case dec.StackDepth() > maxParsed:
			return errTooDeep
		case token.Kind() == '0' && digits(token.String()) > maxDigits:
			return errors.New("a number has too many digits")
		}
	}
}

// digits returns about how many digits a number has when it is written out.
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

// small refuses a schema of too many parts.
func small(doc any) error {
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
		return fmt.Errorf("it has %d parts, more than %d", n, maxSubschemas)
	}
	return nil
}
