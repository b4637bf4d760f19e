// Package arguments generates arguments of tools from their input schemas.
package arguments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"

	"mcpdbg/session/jsonschema"
)

const (
	// attempts is how many values are tried.
	attempts = 12
	// references included
	maxDepth = 32
	// maxParts is how many values one attempt generates.
	maxParts = 2000
	// MaxSize is the maximum size of generated arguments in bytes.
	MaxSize = 64 << 10
)

// Generate returns the smallest arguments: a JSON object that the tool's input schema
// accepts, with its required members only. The same schema, name and seed give the same arguments.
func Generate(schema json.RawMessage, name string, seed uint64) (json.RawMessage, error) {
	compiled, err := jsonschema.Compile(schema, jsonschema.Options{Lenient: true, Formats: true})
	if err != nil {
		return nil, fmt.Errorf("input schema: %w", err)
	}
	if patterns := compiled.Unchecked(); len(patterns) > 0 {
		return nil, fmt.Errorf("input schema: cannot check the pattern %.60q", patterns[0])
	}
	root, err := decode(schema)
	if err != nil {
		return nil, fmt.Errorf("input schema: %w", err)
	}
	var why error
	for attempt := range uint64(attempts) {
		value, err := generateOnce(root, name, seed, attempt)
		if err == nil {
			err = accepted(compiled, value)
		}
		if err == nil {
			return value, nil
		}
		why = err
	}
	return nil, why
}

func generateOnce(root any, name string, seed, attempt uint64) (json.RawMessage, error) {
	h := fnv.New64a()
	_, _ = io.WriteString(h, name) // never fails
	g := &generator{root: root, random: rand.New(rand.NewPCG(seed, h.Sum64()+attempt)), attempt: attempt}
	value, err := g.value(root, 0)
	if err != nil {
		return nil, err
	}
	if _, object := value.(map[string]any); !object {
		return nil, errors.New("the input schema is not of an object")
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	if len(text) > MaxSize {
		return nil, fmt.Errorf("the arguments would be larger than %d bytes", MaxSize)
	}
	return text, nil
}

func accepted(schema *jsonschema.Schema, value json.RawMessage) error {
	problems, err := schema.Check(value, MaxSize)
	if err == nil && len(problems) > 0 {
		err = fmt.Errorf("found no value that the input schema accepts: %v", problems[0])
	}
	return err
}

// Numbers stay as they are written.
func decode(schema []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	var root any
	err := d.Decode(&root)
	return root, err
}
