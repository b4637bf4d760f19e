package scenario

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/answers"
	"mcpdbg/session/jsonschema"
)

// valid validates a file against the schema.
func valid(t *testing.T, schema *jsonschema.Schema, data []byte) bool {
	t.Helper()
	p := &parser{file: "f", compiled: map[string]bool{}}
	root := p.document(data)
	require.NotNil(t, root, "%v", p.errs)
	raw := p.value(root, false)
	require.NotNil(t, raw, "%v", p.errs)
	found, err := schema.Check(raw, maxValue)
	require.NoError(t, err, "%.2000s", data)
	return len(found) == 0
}

// TestSchema checks that the schema accepts what Parse accepts, and rejects every
// structural mistake.
func TestSchema(t *testing.T) {
	schema, err := compileSchema(Schema())
	require.NoError(t, err)
	for name, data := range examples(t) {
		require.True(t, valid(t, schema, data), name)
		s, err := Parse(name, data)
		require.NoError(t, err)
		_, written := roundTrip(t, s)
		require.True(t, valid(t, schema, []byte(written)), name)
	}
	for _, m := range mistakes {
		if m.structural {
			require.False(t, valid(t, schema, []byte(m.file)), m.name)
		}
	}
}

// TestSchemaIsComplete checks that each kind of step has the members that Parse knows.
func TestSchemaIsComplete(t *testing.T) {
	var doc map[string]any
	require.NoError(t, json.Unmarshal(Schema(), &doc))
	defs := doc["$defs"].(map[string]any)
	for _, word := range actions() {
		def := map[string]string{string(CloseStdin): "closeStdin"}[word]
		if def == "" {
			def = word
		}
		properties := defs[def].(map[string]any)["properties"].(map[string]any)
		r := stepReader{parser: &parser{}}
		r.Do = Kind(word)
		if word == keyTool {
			r.Do = Call
		}
		known := map[string]bool{}
		for _, f := range r.fields(word) {
			known[f.key] = true
			if f.key == "capture" && properties["capture"] == nil {
				continue // only known for a better error
			}
			require.Contains(t, properties, f.key, word)
		}
		for name := range properties {
			require.True(t, known[name], "%s: %s", word, name)
		}
		expect := properties["expect"].(map[string]any)
		if ref, ok := expect["$ref"].(string); ok {
			expect = defs[ref[len("#/$defs/"):]].(map[string]any)
		}
		words := expectations(&r.Step)
		require.Len(t, expect["properties"], len(words), word)
		for _, name := range words {
			require.Contains(t, expect["properties"], name, word)
		}
	}
}

// TestAnswersSchema checks that the schema of answers accepts what a session accepts.
func TestAnswersSchema(t *testing.T) {
	schema, err := compileSchema(AnswersSchema())
	require.NoError(t, err)
	for _, tc := range []struct {
		file string
		ok   bool
	}{
		{`{}`, true},
		{`{"roots/list":{"roots":[]},"elicitation/create":"defaults","x":{"error":{"code":-1}}}`, true},
		{`{"elicitation/create":["defaults",{"mode":"url","key":"k","result":{"action":"accept"}},{"error":{}},{"defaults":true}]}`, true},
		{`{"elicitation/create":[]}`, false},
		{`{"elicitation/create":"accept"}`, false},
		{`{"elicitation/create":[{"action":"accept"}]}`, false},
		{`{"elicitation/create":[{"mode":"url"}]}`, false},
		{`{"elicitation/create":[{"mode":"page","result":{}}]}`, false},
		{`{"elicitation/create":[{"result":{},"error":{}}]}`, false},
	} {
		_, err := answers.Parse([]byte(tc.file))
		require.Equal(t, tc.ok, err == nil, tc.file)
		require.Equal(t, tc.ok, valid(t, schema, []byte(tc.file)), tc.file)
	}
}
