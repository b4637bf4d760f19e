package arguments

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A generator follows only the keywords that lead to a value; the check of the whole
// value finds what it missed.
type generator struct {
	root    any
	random  *rand.Rand
	attempt uint64
	parts   int
}

type object = map[string]any

func (g *generator) value(schema any, depth int) (any, error) {
	if g.parts++; g.parts > maxParts || depth > maxDepth {
		return nil, errors.New("the input schema nests too deeply")
	}
	switch s := schema.(type) {
	case bool:
		if !s {
			return nil, errors.New("the input schema accepts nothing")
		}
		return "text", nil
	case object:
		return g.fromObject(s, depth)
	}
	return nil, errors.New("the input schema is not an object")
}

func (g *generator) fromObject(s object, depth int) (any, error) {
	s, err := g.merged(s, depth)
	if err != nil {
		return nil, err
	}
	if value, given := g.given(s); given {
		return value, nil
	}
	switch kind := g.kind(s); kind {
	case "object":
		return g.object(s, depth)
	case "array":
		return g.array(s, depth)
	case "string":
		return g.text(s)
	case "integer", "number":
		return g.number(s, kind == "integer")
	case "boolean":
		return g.attempt%4 == 3, nil // false is the safer value of a flag
	case "null":
		return nil, nil
	default:
		return nil, fmt.Errorf("unknown type %.40q in the input schema", kind)
	}
}

// given returns a value in the schema: its only one, its default, an example, or one of a
// list.
func (g *generator) given(s object) (value any, ok bool) {
	if value, ok = s["const"]; ok {
		return value, true
	}
	if value, ok = s["default"]; ok && g.attempt%2 == 0 && value != nil {
		return value, true
	}
	if list, _ := s["enum"].([]any); len(list) > 0 {
		return list[g.random.IntN(len(list))], true
	}
	if list, _ := s["examples"].([]any); len(list) > 0 && g.attempt%2 == 0 {
		return list[g.random.IntN(len(list))], true
	}
	return nil, false
}

// merged includes the references, all of allOf, and one of anyOf and oneOf.
func (g *generator) merged(s object, depth int) (object, error) {
	if depth > maxDepth {
		return nil, errors.New("the input schema refers to itself too often")
	}
	if g.parts++; g.parts > maxParts {
		return nil, errors.New("the input schema has too many parts")
	}
	out := maps.Clone(s)
	var more []any
	if ref, ok := s["$ref"].(string); ok {
		target, err := g.resolve(ref)
		if err != nil {
			return nil, err
		}
		more = append(more, target)
	}
	all, _ := s["allOf"].([]any)
	more = append(more, all...)
	for _, name := range []string{"anyOf", "oneOf"} {
		if list, _ := s[name].([]any); len(list) > 0 {
			more = append(more, list[(g.random.IntN(len(list))+int(g.attempt))%len(list)])
		}
	}
	for _, name := range []string{"$ref", "allOf", "anyOf", "oneOf"} {
		delete(out, name)
	}
	for _, part := range more {
		switch part := part.(type) {
		case object:
			part, err := g.merged(part, depth+1)
			if err != nil {
				return nil, err
			}
			merge(out, part)
		case bool:
			if !part {
				return nil, errors.New("the input schema accepts nothing")
			}
		}
	}
	return out, nil
}

func merge(into, from object) {
	for name, value := range from {
		before, known := into[name]
		switch {
		case !known:
			into[name] = value
		case name == "required":
			a, _ := before.([]any)
			b, _ := value.([]any)
			into[name] = slices.Concat(a, b)
		case name == "properties":
			a, _ := before.(object)
			b, _ := value.(object)
			both := maps.Clone(b)
			if both == nil {
				both = object{}
			}
			maps.Copy(both, a)
			into[name] = both
		}
	}
}

// References lead only within the document.
func (g *generator) resolve(ref string) (any, error) {
	path, local := strings.CutPrefix(ref, "#")
	if !local || path != "" && path[0] != '/' {
		return nil, fmt.Errorf("cannot follow the reference %.60q", ref)
	}
	at := g.root
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if path == "" {
			break
		}
		part = strings.NewReplacer("~1", "/", "~0", "~", "%25", "%").Replace(part)
		switch here := at.(type) {
		case object:
			at = here[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(here) {
				return nil, fmt.Errorf("cannot follow the reference %.60q", ref)
			}
			at = here[i]
		default:
			at = nil
		}
	}
	if at == nil {
		return nil, fmt.Errorf("cannot follow the reference %.60q", ref)
	}
	return at, nil
}

func (g *generator) kind(s object) string {
	switch kind := s["type"].(type) {
	case string:
		return kind
	case []any:
		var names []string
		for _, one := range kind {
			if name, ok := one.(string); ok && name != "null" {
				names = append(names, name)
			}
		}
		if len(names) == 0 {
			return "null"
		}
		return names[g.random.IntN(len(names))]
	}
	for _, hint := range []struct {
		kind     string
		keywords []string
	}{
		{"object", []string{"properties", "required", "additionalProperties", "minProperties"}},
		{"array", []string{"items", "prefixItems", "minItems"}},
		{"number", []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}},
	} {
		for _, keyword := range hint.keywords {
			if _, ok := s[keyword]; ok {
				return hint.kind
			}
		}
	}
	return "string"
}

// object has as few members as the schema accepts.
func (g *generator) object(s object, depth int) (any, error) {
	properties, _ := s["properties"].(object)
	var names []string
	required, _ := s["required"].([]any)
	for _, name := range required {
		if name, ok := name.(string); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	least := natural(s["minProperties"], 0)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if len(names) >= least {
			break
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	out := object{}
	for _, name := range names {
		schema, ok := properties[name]
		if !ok {
			schema = any(true)
			if more, given := s["additionalProperties"]; given {
				schema = more
			}
		}
		value, err := g.value(schema, depth+1)
		if err != nil {
			return nil, fmt.Errorf("%.60s: %w", name, err)
		}
		out[name] = value
	}
	return out, nil
}

func (g *generator) array(s object, depth int) (any, error) {
	out := []any{}
	first, _ := s["prefixItems"].([]any)
	least := natural(s["minItems"], 0)
	if _, ok := s["contains"]; ok {
		least = max(least, 1)
	}
	for i := range min(least, maxParts) {
		schema := any(true)
		switch items, given := s["items"]; {
		case i < len(first):
			schema = first[i]
		case given:
			schema = items
		case s["contains"] != nil:
			schema = s["contains"]
		}
		value, err := g.value(schema, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, value)
	}
	return out, nil
}

func natural(value any, otherwise int) int {
	number, ok := value.(json.Number)
	if !ok {
		return otherwise
	}
	f, err := number.Float64()
	if err != nil || f < 0 || f > MaxSize {
		if err == nil && f > MaxSize {
			return MaxSize + 1
		}
		return otherwise
	}
	return int(f)
}
