package jsonschema

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var (
	// ErrTooLong reports a schema or a value that exceeds its limit.
	ErrTooLong = errors.New("too long")
	errTooDeep = errors.New("nested too deeply")
)

// An InvalidError reports a schema that is not valid in its dialect.
type InvalidError struct {
	Problems []Problem // sorted by path; at least one
}

// Error returns the first problem.
func (e *InvalidError) Error() string { return "not a valid schema: " + e.Problems[0].String() }

// A ReferenceError reports a schema that refers to something that is not in it.
type ReferenceError struct {
	Target   string // URL, or the fragment of the schema itself
	External bool   // the target would have to be loaded
	text     string
}

// Error describes the reference.
func (e *ReferenceError) Error() string { return e.text }

// readableCompile makes an error of the library's compiler readable.
func readableCompile(err error) error {
	var (
		loading *jsonschema.LoadURLError
		dialect *jsonschema.UnsupportedDraftError
		anchor  *jsonschema.AnchorNotFoundError
		pointer *jsonschema.JSONPointerNotFoundError
		schema  *jsonschema.SchemaValidationError
		invalid *jsonschema.ValidationError
	)
	switch {
	case errors.As(err, &schema) && errors.As(schema.Err, &invalid):
		return &InvalidError{explain(invalid)}
	case errors.As(err, &loading):
		return &ReferenceError{loading.URL, true, fmt.Sprintf("the schema refers to %s, which is not loaded", loading.URL)}
	case errors.As(err, &dialect):
		return &ReferenceError{dialect.URL, false, fmt.Sprintf("the dialect %s is not supported", dialect.URL)}
	case errors.As(err, &anchor):
		return notFound(anchor.Reference)
	case errors.As(err, &pointer):
		return notFound(pointer.URL)
	}
	return err
}

func notFound(target string) error {
	target = strings.TrimPrefix(target, address)
	return &ReferenceError{target, false, fmt.Sprintf("the schema refers to %s, which does not exist", target)}
}

// Readable makes the error of a JSON decoder readable.
func Readable(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("unexpected end of text")
	case errors.As(err, &syntax):
		return fmt.Errorf("at byte %d: %w", syntax.ByteOffset, syntax.Err)
	}
	return err
}
