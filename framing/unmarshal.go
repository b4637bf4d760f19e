package framing

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Unmarshal is json.Unmarshal with errors that speak of JSON, and not of Go types.
func Unmarshal(data []byte, into any) error { return Explain(json.Unmarshal(data, into)) }

// Explain returns an error of encoding/json in the words of JSON: "tools is an object, not
// an array". It returns any other error as it is.
func Explain(err error) error {
	if err == nil {
		return nil
	}
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		if name, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
			return fmt.Errorf("unknown member %s", name)
		}
		return err
	}
	name := wrong.Field
	if name == "" {
		name = "the value"
	}
	return fmt.Errorf("%s is %s, not %s", name, valueName(wrong.Value), typeName(wrong.Type))
}

// valueName describes a JSON value that encoding/json names, such as "number 5".
func valueName(value string) string {
	kind, digits, _ := strings.Cut(value, " ")
	switch {
	case kind == "bool":
		return "true or false"
	case digits != "":
		return "the number " + digits
	case kind == "array" || kind == "object":
		return "an " + kind
	}
	return "a " + kind
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprintf("an integer of %d bits", t.Bits())
	}
	return "of the expected type"
}
