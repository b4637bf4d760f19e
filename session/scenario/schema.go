package scenario

import (
	"bytes"
	_ "embed" // the schema
)

//go:embed schema.json
var schemaFile []byte

// Schema is the JSON Schema (2020-12) of a scenario file, for editors and other
// programs. It says all of the form, and nothing of what Parse has to understand
// to check it: variables, names of steps, programs.
func Schema() []byte { return bytes.Clone(schemaFile) }
