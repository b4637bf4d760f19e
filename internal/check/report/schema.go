package report

import (
	"bytes"
	_ "embed" // the schema
)

//go:embed schema.json
var schema []byte

// Schema is the JSON Schema of the document of mcpdbg check --json.
func Schema() []byte { return bytes.Clone(schema) }
