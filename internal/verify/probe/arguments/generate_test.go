package arguments_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify/probe/arguments"
	"mcpdbg/session/jsonschema"
)

func generate(t *testing.T, schema string, seed uint64) string {
	t.Helper()
	out, err := arguments.Generate(json.RawMessage(schema), "tool", seed)
	require.NoError(t, err, schema)
	return string(out)
}

func TestGenerate(t *testing.T) {
	for _, tt := range []struct{ schema, want string }{
		{`{"type":"object"}`, `{}`},
		{`{"type":"object","properties":{"a":{"type":"string"}}}`, `{}`},
		{`{"type":"object","properties":{"a":{"const":7}},"required":["a"]}`, `{"a":7}`},
		{`{"type":"object","properties":{"a":{"type":"string","default":"x"}},"required":["a"]}`, `{"a":"x"}`},
		{`{"type":"object","properties":{"a":{"type":"boolean"}},"required":["a"]}`, `{"a":false}`},
		{`{"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#/$defs/d"},"minItems":2}},"required":["a"],"$defs":{"d":{"enum":["e"]}}}`, `{"a":["e","e"]}`},
		{`{"type":"object","properties":{"a":{"type":"string","format":"date"}},"required":["a"]}`, `{"a":"2026-01-15"}`},
		{`{"type":"object","properties":{"a":{"type":"string","pattern":"^[A-Z]{3}-\\d+$"}},"required":["a"]}`, `{"a":"AAA-0"}`},
		{`{"type":"object","properties":{"a":{"type":"integer","minimum":5,"maximum":5}},"required":["a"]}`, `{"a":5}`},
		{`{"type":"object","properties":{"a":{"type":"number","exclusiveMinimum":0,"maximum":0.6}},"required":["a"]}`, `{"a":0.5}`},
		{`{"type":"object","properties":{"a":{"type":"integer","minimum":7,"multipleOf":5}},"required":["a"]}`, `{"a":10}`},
		{`{"type":"object","properties":{"a":{"type":["null","integer"],"minimum":3,"maximum":3}},"required":["a"]}`, `{"a":3}`},
		{`{"type":"object","allOf":[{"properties":{"a":{"const":1}},"required":["a"]},{"required":["b"]}],"properties":{"b":{"const":2}}}`, `{"a":1,"b":2}`},
		{`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"const":1},"c":{"const":2}},"minProperties":2}},"required":["a"]}`, `{"a":{"b":1,"c":2}}`},
		{`{"type":"object","properties":{"a":{"type":"string","minLength":20,"maxLength":20,"pattern":"^a*$"}},"required":["a"]}`, ``},
	} {
		out := generate(t, tt.schema, 1)
		if tt.want != "" {
			require.JSONEq(t, tt.want, out, tt.schema)
		}
		require.Equal(t, out, generate(t, tt.schema, 1), "the same seed, the same arguments")
	}
}

func TestGenerateChoosesBySeed(t *testing.T) {
	schema := `{"type":"object","properties":{"a":{"enum":[1,2,3,4,5,6,7,8]}},"required":["a"]}`
	seen := map[string]bool{}
	for seed := range uint64(20) {
		seen[generate(t, schema, seed)] = true
	}
	require.Greater(t, len(seen), 2)
}

func TestGenerateSaysWhy(t *testing.T) {
	deep := strings.Repeat(`{"type":"object","required":["a"],"properties":{"a":`, 60) + "{}" + strings.Repeat("}}", 60)
	for schema, says := range map[string]string{
		`{"type":"string"}`: "not of an object",
		`{"type":"object","required":["a"],"properties":{"a":false}}`:                                      "accepts nothing",
		`{"type":"object","required":["a"],"properties":{"a":{"type":"integer","minimum":2,"maximum":1}}}`: "no number between",
		`{"type":"object","required":["a"],"properties":{"a":{"type":"string","pattern":"^(?!x)"}}}`:       "cannot check the pattern",
		`{"type":"object","required":["a"],"properties":{"a":{"$ref":"https://example.com/x"}}}`:           "input schema",
		`{"type":"object","required":["a"],"properties":{"a":{"$ref":"#"}}}`:                               "a",
		`{"type":"object","required":["a"],"properties":{"a":{"type":"string","minLength":100000}}}`:       "larger than",
		`{"type":"object","required":["a"],"properties":{"a":{"type":"object","minProperties":3}}}`:        "accepts",
		`{"type":"object","required":["a"],"properties":{"a":{"not":{"type":"string"}}}}`:                  "accepts",
		`{"type":"object","required":["a"],"properties":{"a":{"type":"array","minItems":9999999}}}`:        "too",
		deep:   "",
		`nope`: "input schema",
	} {
		_, err := arguments.Generate(json.RawMessage(schema), "tool", 1)
		require.ErrorContains(t, err, says, "%.80s", schema)
	}
}

// What Generate returns is an object that the schema accepts.
func FuzzGenerate(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"string","pattern":"^[a-c]{2,5}x?$","minLength":4}},"required":["a"]}`, uint64(1))
	f.Add(`{"type":"object","properties":{"a":{"anyOf":[{"type":"integer","exclusiveMinimum":1e300},{"$ref":"#/$defs/x"}]}},"required":["a"],"$defs":{"x":{"type":"array","minItems":3,"uniqueItems":true,"items":{"type":"number","multipleOf":0.1}}}}`, uint64(2))
	f.Add(`{"allOf":[{"$ref":"#"}],"required":["a"]}`, uint64(3))
	f.Add(`{"required":["a","b"],"additionalProperties":{"format":"uuid","minLength":3}}`, uint64(4))
	f.Fuzz(func(t *testing.T, schema string, seed uint64) {
		out, err := arguments.Generate(json.RawMessage(schema), "tool", seed)
		if err != nil {
			return
		}
		require.True(t, strings.HasPrefix(string(out), "{"))
		require.LessOrEqual(t, len(out), arguments.MaxSize)
		compiled, err := jsonschema.Compile([]byte(schema), jsonschema.Options{Lenient: true, Formats: true})
		require.NoError(t, err)
		problems, err := compiled.Check(out, arguments.MaxSize)
		require.NoError(t, err)
		require.Empty(t, problems, "%s\n%s", schema, out)
	})
}
