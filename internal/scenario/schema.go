package scenario

import (
	"bytes"
	_ "embed" // the schema
	"encoding/json"
)

//go:embed schema.json
var schemaFile []byte

// Schema returns the JSON Schema (2020-12) of a scenario file, for editors and other
// programs. It covers the structure, but not what only Parse can check: variables,
// names of steps and programs.
func Schema() []byte { return bytes.Clone(schemaFile) }

// AnswersSchema returns the JSON Schema (2020-12) of a file of answers, whose object
// has the form of the member answers of a scenario.
func AnswersSchema() []byte {
	var whole struct {
		Schema string                     `json:"$schema"`
		Defs   map[string]json.RawMessage `json:"$defs"`
	}
	_ = json.Unmarshal(schemaFile, &whole) // a test checks the file
	const answers, entry = "answers", "answersEntry"
	out, _ := json.MarshalIndent(map[string]any{
		"$schema":              whole.Schema,
		"title":                "Answers of mcpdbg to server requests, by method",
		"type":                 "object",
		"additionalProperties": map[string]string{"$ref": "#/$defs/" + answers},
		"$defs":                map[string]json.RawMessage{answers: whole.Defs[answers], entry: whole.Defs[entry]},
	}, "", "  ")
	return append(out, '\n')
}
