package scenario

import (
	"encoding/json"
	"fmt"

	"mcpdbg/session/jsonschema"
)

// compileSchema limits a check to a few seconds. A pattern that cannot be matched is an
// error.
func compileSchema(raw json.RawMessage) (*jsonschema.Schema, error) {
	schema, err := jsonschema.Compile(raw, jsonschema.Options{Formats: true, Visits: 1_000_000})
	if err != nil {
		return nil, err
	}
	for _, text := range schema.Unchecked() {
		_, err := compileRegexp(text)
		return nil, fmt.Errorf("pattern: %w", err)
	}
	return schema, nil
}

// violations returns how a value violates a schema, or why it cannot be checked.
func violations(raw json.RawMessage, value []byte) ([]jsonschema.Problem, error) {
	schema, err := compileSchema(raw)
	if err != nil {
		return nil, err
	}
	found, err := schema.Check(value, maxValue)
	return found[:min(len(found), maxDiffs+1)], err
}
