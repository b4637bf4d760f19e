package scenario

import (
	"bytes"
	_ "embed" // the schema
)

//go:embed schema.json
var schemaFile []byte

// Schema returns the JSON Schema (2020-12) of a scenario file, for editors and other
// programs. It covers the structure, but not what only Parse can check: variables,
// names of steps and programs.
func Schema() []byte { return bytes.Clone(schemaFile) }
