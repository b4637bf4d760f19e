package contents

import (
	"errors"
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/jsonschema"
	"mcpdbg/session/mcp"
)

const (
	// maxTools is how many tools are kept, and maxSchemas and maxSchemaBytes limit
	// their schemas.
	maxTools       = 4096
	maxSchemas     = 2048
	maxSchemaBytes = 8 << 20
	// A schema with more objects than manySubschemas, or nested deeper than
	// deepSchema, is reported.
	manySubschemas = 500
	deepSchema     = 32
)

type tools struct {
	byName  map[string]*tool
	schemas map[uint64]*compiled // by hash; kept for the next list
	bytes   int                  // of the schemas
}

type tool struct {
	input, output *compiled // nil if there is none that can be used
	checks        int       // values that were checked or not
	exhausted     bool      // a check took too long: no more
}

// A compiled is a schema and what is wrong with it.
type compiled struct {
	schema *jsonschema.Schema // nil if it cannot be used
	err    error
}

// toolParts are the schemas of a tool in a list, nil if absent.
type toolParts struct{ input, output []byte }

// reset forgets the tools, but not their schemas: another list often has the same.
func (t *tools) reset() {
	clear(t.byName)
	if len(t.schemas) >= maxSchemas || t.bytes > maxSchemaBytes {
		clear(t.schemas)
		t.bytes = 0
	}
}

// tool checks a tool of a list. A listed one is kept for the checks of its calls.
func (c *Checker) tool(s *messageChecker, name []byte, parts toolParts, listed bool) {
	s.toolName(string(name))
	kept := &tool{input: c.schema(s, tol03, "/inputSchema", parts.input)}
	switch {
	case parts.output == nil || !s.since(mcp.V20250618):
	default:
		kept.output = c.schema(s, tol04, "/outputSchema", parts.output)
	}
	if !listed {
		return
	}
	t := &c.lists.tools
	if t.byName == nil {
		t.byName = make(map[string]*tool)
	}
	if len(t.byName) >= maxTools || len(name) > maxKeptName {
		c.skipped++
		return
	}
	t.byName[string(name)] = kept
}

// maxKeptName is the longest name of a tool whose calls are checked, in bytes.
const maxKeptName = 512

// toolName checks a name, for which there are rules since 2025-11-25.
func (s *messageChecker) toolName(name string) {
	switch {
	case !s.since(mcp.V20251125):
	case name == "" || len(name) > 128:
		s.found(tol02, "/name", fmt.Sprintf("the name has %d characters, not 1 to 128", len(name)))
	case !only(name, "_-."):
		s.found(tol02, "/name", fmt.Sprintf("%q has characters other than A-Z, a-z, 0-9, _, - and .", message.Excerpt(name)))
	}
}

// schema checks a schema of a tool and returns it, nil if values cannot be checked
// against it. broken is the rule for a schema that is not valid.
func (c *Checker) schema(s *messageChecker, broken *diagnosis.Rule, member string, raw []byte) *compiled {
	switch {
	case raw == nil:
		s.found(broken, member, member[1:]+" is missing")
		return nil
	case !isObject(raw):
		if broken == tol03 || !s.modern() || string(raw) != "true" && string(raw) != "false" {
			s.found(broken, member, fmt.Sprintf("%s is %s, not an object", member[1:], kindOfValue(raw)))
		}
		return nil
	}
	if broken == tol03 || s.before(mcp.V20260728) {
		if root := message.Member(raw, "type"); string(root) != `"object"` {
			s.found(broken, member+"/type", "the type is "+orMissing(root)+`; it must be "object"`)
			if root == nil || isText(root) {
				return nil // a wrong name is also invalid
			}
		}
	}
	objects, depth := measure(raw)
	if objects > manySubschemas || depth > deepSchema {
		s.found(tol13, member, fmt.Sprintf("%d objects, nested %d deep", objects, depth))
	}
	found := c.compile(raw, !s.since(mcp.V20251125))
	if found.err != nil {
		s.schemaFailure(broken, member, found.err)
		return nil
	}
	return found
}

func orMissing(raw []byte) string {
	if raw == nil {
		return "missing"
	}
	return message.Excerpt(raw)
}

func (s *messageChecker) schemaFailure(broken *diagnosis.Rule, member string, err error) {
	if invalid, ok := errors.AsType[*jsonschema.InvalidError](err); ok {
		s.found(broken, member, message.Excerpt(invalid.Error()))
	} else if reference, ok := errors.AsType[*jsonschema.ReferenceError](err); ok {
		s.found(tol11, member, message.Excerpt(reference.Error()))
	}
}

// measure returns the number of objects in a valid JSON text, and its depth.
func measure(raw []byte) (objects, depth int) {
	level := 0
	c := framing.Cursor{Data: raw}
	for token := range c.Tokens() {
		switch token[0] {
		case '{', '[':
			level++
			depth = max(depth, level)
			if token[0] == '{' {
				objects++
			}
		case '}', ']':
			level--
		}
	}
	return objects, depth
}

// compile compiles a schema, unless it is known. Before 2025-11-25 no dialect was
// specified, so a schema that does not name one may be of an older one.
func (c *Checker) compile(raw []byte, lenient bool) *compiled {
	t := &c.lists.tools
	if t.schemas == nil {
		t.schemas = make(map[uint64]*compiled)
	}
	key := c.lists.hash(raw)
	if lenient {
		key++
	}
	if known := t.schemas[key]; known != nil {
		return known
	}
	found := new(compiled)
	if len(t.schemas) >= maxSchemas || t.bytes+len(raw) > maxSchemaBytes {
		c.skipped++
		return found
	}
	t.bytes += len(raw)
	t.schemas[key] = found
	found.schema, found.err = jsonschema.Compile(raw, jsonschema.Options{Lenient: lenient})
	switch {
	case found.err == nil && len(found.schema.Unchecked()) > 0:
		c.skipped++
		found.schema = nil // a pattern that cannot be matched may turn any answer around
	case found.err != nil && !isMistake(found.err):
		c.skipped++
	}
	return found
}

// isMistake reports whether an error is about the schema and not about the limits of
// the check.
func isMistake(err error) bool {
	_, invalid := errors.AsType[*jsonschema.InvalidError](err)
	_, reference := errors.AsType[*jsonschema.ReferenceError](err)
	return invalid || reference
}
