package scenario

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxVisits is how often parts of a schema are held against values: each can
// leave a fault of some 200 bytes.
const maxVisits = 250_000

// A schemaFault is one place where a value is not what a schema wants.
type schemaFault struct{ pointer, text string }

// faults tells where a value is not what a schema wants. The error says why that
// can't be told: a schema of a few lines can take years, and ctx ends that.
func faults(ctx context.Context, schema, value []byte) (found []schemaFault, err error) {
	visits := 0
	compiled, err := compileSchema(schema, func() {
		if visits++; visits > maxVisits {
			panic(fmt.Errorf("it is held against more than %d values", maxVisits))
		}
		if ctx.Err() != nil {
			panic(context.Cause(ctx))
		}
	})
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
	if number := findNumber(got, vast); number != "" {
		return nil, fmt.Errorf("the number %.40s has too many digits", number)
	}
	defer func() {
		if r := recover(); r != nil {
			found, err = nil, fmt.Errorf("the schema is beyond the checker: %v", r)
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
