package jsonschema

import (
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var errNotListed = errors.New("not listed")

// count charges a schema for each value that it is applied to. The library has
// no limit of its own, and a schema of a few lines can keep it busy for years.
// It checks the format of a value before it descends into its parts, so the
// format is where the work is counted.
//
// The library searches an enum even before that, at a cost that grows with the
// enum, so enums are checked here as well.
func (s *Schema) count(part *jsonschema.Schema) {
	format := jsonschema.Format{Validate: func(any) error { return nil }}
	if part.Format != nil && s.formats {
		format = *part.Format
	}
	inner := format.Validate
	listed := listedIn(part.Enum)
	part.Enum = nil
	format.Validate = func(v any) error {
		if s.visits += price(part, v); s.visits > s.most {
			panic(errBudget)
		}
		if listed != nil && !listed[string(canonical(nil, v))] {
			return errNotListed
		}
		return inner(v)
	}
	part.Format = &format
}

// price returns the maximum number of schemas that one schema applies to a
// value and its parts, plus the cost of the texts and names that it matches.
func price(s *jsonschema.Schema, v any) int {
	n := 1 + len(s.AllOf) + len(s.AnyOf) + len(s.OneOf)
	switch v := v.(type) {
	case string:
		if s.Pattern != nil {
			n += cost(s.Pattern, v)
		}
	case []any:
		return n + len(s.PrefixItems) + 2*len(v)
	case map[string]any:
		for p := range s.PatternProperties {
			for name := range v {
				n += cost(p, name)
			}
		}
		return n + len(s.Properties) + len(s.DependentSchemas) + len(s.Dependencies) + len(v)*(2+len(s.PatternProperties))
	}
	return n
}

// cost is the price of matching a text.
func cost(p jsonschema.Regexp, text string) int {
	if p, ok := p.(pattern); ok {
		return p.steps * len(text) / 100
	}
	return 0
}

// listedIn returns the values of an enum, or nil if there is no enum.
func listedIn(enum *jsonschema.Enum) map[string]bool {
	if enum == nil {
		return nil
	}
	listed := make(map[string]bool, len(enum.Values))
	for _, v := range enum.Values {
		listed[string(canonical(nil, v))] = true
	}
	return listed
}

// canonical appends a value so that equal values have the same bytes: 1 and 1.0
// are equal, and the order of members does not matter.
func canonical(dst []byte, v any) []byte {
	switch v := v.(type) {
	case json.Number:
		if n, ok := new(big.Rat).SetString(v.String()); ok {
			return append(dst, n.RatString()...)
		}
		return append(dst, v...)
	case string:
		return appendText(dst, v)
	case []any:
		dst = append(dst, '[')
		for _, item := range v {
			dst = append(canonical(dst, item), ',')
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for _, key := range slices.Sorted(maps.Keys(v)) {
			dst = append(canonical(append(appendText(dst, key), ':'), v[key]), ',')
		}
		return append(dst, '}')
	case bool:
		if v {
			return append(dst, 't')
		}
		return append(dst, 'f')
	}
	return append(dst, 'n')
}

func appendText(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text) // replaces invalid UTF-8
	return dst
}
