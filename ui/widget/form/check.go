package form

import (
	"bytes"

	"mcpdbg/session/jsonschema"
)

// A Problem describes what is wrong with a value.
type Problem = jsonschema.Problem

// A checker checks values against a schema. Make one with newChecker.
type checker struct {
	raw    []byte
	schema *jsonschema.Schema
	tried  bool
	err    error
}

// newChecker returns a checker for a schema, which is compiled on first use. A
// non-nil err is the reason why the schema cannot be used.
func newChecker(raw []byte, err error) *checker {
	return &checker{raw: bytes.Clone(raw), err: err, tried: err != nil}
}

// Err returns the reason why values cannot be checked, or nil.
func (c *checker) Err() error {
	if !c.tried {
		c.tried = true
		c.schema, c.err = jsonschema.Compile(c.raw, jsonschema.Options{Formats: true})
	}
	return c.err
}

// Unchecked returns the patterns of the schema that cannot be matched. Values are
// checked for everything else.
func (c *checker) Unchecked() []string {
	if c.Err() != nil {
		return nil
	}
	return c.schema.Unchecked()
}

// Check returns the problems of a value, or an error if the value cannot be
// checked.
func (c *checker) Check(raw []byte) ([]Problem, error) {
	if err := c.Err(); err != nil {
		return nil, err
	}
	return c.schema.Check(raw, maxChecked)
}
