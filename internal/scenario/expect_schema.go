package scenario

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mcpdbg/internal/wording"
	"mcpdbg/session/jq"
)

// maxVisits limits how often parts of a schema are compared with values. Each
// comparison can leave a fault of about 200 bytes.
const maxVisits = 250_000

type schemaFault struct{ pointer, text string }

// faults returns the violations of a schema, or why the check was not completed: a schema
// of a few lines can take years, until ctx ends.
func faults(ctx context.Context, schema, value []byte) (found []schemaFault, err error) {
	visits := 0
	compiled, err := compileSchema(schema, func() {
		if visits++; visits > maxVisits {
			panic(fmt.Errorf("more than %d comparisons", maxVisits))
		}
		if ctx.Err() != nil {
			panic(context.Cause(ctx))
		}
	})
	if err != nil {
		return nil, err
	}
	if len(value) > maxValue {
		return nil, fmt.Errorf("%d bytes exceed the limit of %d", len(value), maxValue)
	}
	got, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return nil, err
	}
	if number := jq.FindNumber(got, vast); number != "" {
		return nil, fmt.Errorf("the number %.40s has too many digits", number)
	}
	defer func() {
		if r := recover(); r != nil {
			found, err = nil, fmt.Errorf("the check stopped: %v", r)
		}
	}()
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](compiled.Validate(got)); ok {
		return leaves(invalid, nil), nil
	}
	return nil, nil
}

// leaves omits the faults of enclosing values.
func leaves(e *jsonschema.ValidationError, found []schemaFault) []schemaFault {
	if len(e.Causes) == 0 {
		var pointer strings.Builder
		for _, name := range e.InstanceLocation {
			pointer.WriteString("/" + wording.EscapePointer(name))
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
