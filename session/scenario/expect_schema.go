package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A schemaFault is one place where a value is not what a schema wants.
type schemaFault struct{ pointer, text string }

// faults tells where a value is not what a schema wants. The error says why that
// can't be told.
func faults(schema, value []byte) (found []schemaFault, err error) {
	compiled, err := compileSchema(schema)
	if err != nil {
		return nil, err
	}
	if len(value) > maxValue {
		return nil, fmt.Errorf("it has %d bytes, and at most %d are looked at", len(value), maxValue)
	}
	got, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return nil, err
	}
	if number := vast(got); number != "" {
		return nil, fmt.Errorf("the number %.40s has too many digits", number)
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the schema is beyond the checker: %v", r)
		}
	}()
	var invalid *jsonschema.ValidationError
	if errors.As(compiled.Validate(got), &invalid) {
		return leaves(invalid, nil), nil
	}
	return nil, nil
}

// leaves are the faults themselves, without what they make of what is around.
func leaves(e *jsonschema.ValidationError, found []schemaFault) []schemaFault {
	if len(e.Causes) == 0 {
		var pointer strings.Builder
		for _, name := range e.InstanceLocation {
			pointer.WriteString("/" + pointerEscape(name))
		}
		return append(found, schemaFault{pointer.String(), e.BasicOutput().Error.String()})
	}
	for _, cause := range e.Causes {
		if len(found) > maxDiffs {
			break
		}
		found = leaves(cause, found)
	}
	return found
}
