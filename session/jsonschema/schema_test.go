package jsonschema

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// longest is the limit of values in these tests.
const longest = 256 << 10

func TestCheck(t *testing.T) {
	for _, tc := range []struct{ name, schema, value, want string }{
		{"good", `{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"a":1}`, ""},
		{"type", `{"properties":{"a":{"type":["integer","null"]}}}`, `{"a":"x"}`, "/a: is a string, not a null or integer"},
		{"required", `{"required":["a/b","c"]}`, `{}`, "/a~1b: is required; /c: is required"},
		{"nested", `{"properties":{"a":{"items":{"required":["x"]}}}}`, `{"a":[{"x":1},{}]}`, "/a/1/x: is required"},
		{"unknown member", `{"properties":{"a":{}},"additionalProperties":false}`, `{"a":1,"b":2}`, "/b: is not allowed by the schema"},
		{"lengths", `{"properties":{"a":{"minLength":2},"b":{"maxLength":1},"c":{"minItems":1},"d":{"maxItems":0}}}`,
			`{"a":"x","b":"xx","c":[],"d":[1]}`,
			"/a: has 1 character, at least 2; /b: has 2 characters, at most 1; /c: has 0 items, at least 1; /d: has 1 item, at most 0"},
		{"range", `{"properties":{"a":{"minimum":2}}}`, `{"a":1}`, "/a: is 1, at least 2"},
		{"long numbers", `{"properties":{"a":{"maximum":9007199254740992},"b":{"maximum":0.5}}}`, `{"a":9007199254740993,"b":1000000.25}`,
			"/a: is 9007199254740993, at most 9007199254740992; /b: is 1.00000025e+06, at most 0.5"},
		{"enum", `{"properties":{"a":{"enum":["x","y"]}}}`, `{"a":"z"}`, "/a: is not one of the listed values"},
		{"format", `{"properties":{"a":{"type":"string","format":"email"},"b":{"format":"date"}}}`, `{"a":"x","b":"2026-13-01"}`, "/a: is not an email; /b: is not a date"},
		{"pattern", `{"properties":{"a":{"pattern":"^a+$"}}}`, `{"a":"b"}`, "/a: does not match ^a+$"},
		{"pattern that can't be checked", `{"properties":{"a":{"pattern":"^(?!x)","minLength":2}}}`, `{"a":"x"}`, "/a: has 1 character, at least 2"},
		{"nullable", `{"properties":{"a":{"anyOf":[{"type":"integer","minimum":5},{"type":"null"}]}}}`, `{"a":1}`, "/a: is 1, at least 5"},
		{"nullable by reference", `{"properties":{"a":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}},"$defs":{"n":{"type":"object","required":["x"]}}}`, `{"a":{}}`, "/a/x: is required"},
		{"a part of an alternative", `{"properties":{"a":{"anyOf":[{"properties":{"b":{"type":"integer"}}},{"type":"null"}]}}}`, `{"a":{"b":"x"}}`, "/a/b: is a string, not an integer"},
		{"no alternative", `{"properties":{"a":{"oneOf":[{"type":"integer"},{"type":"null"}]}}}`, `{"a":"x"}`,
			"/a: no alternative matches: is a string, not an integer; is a string, not null"},
		{"two alternatives", `{"properties":{"a":{"oneOf":[{"type":"integer"},{"minimum":0}]}}}`, `{"a":1}`, "/a: more than one alternative matches"},
		{"draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"s":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/s"}}}`, `{"a":1}`, "/a: is a number, not a string"},
		{"same items", `{"properties":{"a":{"uniqueItems":true}}}`, `{"a":[1,2,1.0]}`, "/a: items 0 and 2 are the same"},
		{"false", `{"properties":{"a":false}}`, `{"a":1}`, "/a: is not allowed by the schema"},
		{"depends", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, "/b: is required with a"},
		{"equal numbers", `{"items":{"enum":[1,"1",{"a":[2.0,null],"b":true}]}}`, `[1.0,"1",1e0,{"b":true,"a":[2,null]},{"a":[2],"b":true},10]`, "/4: is not one of the listed values; /5: is not one of the listed values"},
		{"long", `{"properties":{"a":{"const":"x` + strings.Repeat("é", 400) + `"}}}`, `{"a":1}`, "/a: value must be 'x" + strings.Repeat("é", 142) + "..."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			problems, _, err := Check([]byte(tc.schema), []byte(tc.value), longest)
			require.NoError(t, err)
			var all []string
			for _, p := range problems {
				all = append(all, p.String())
			}
			require.Equal(t, tc.want, strings.Join(all, "; "))
		})
	}
}

// TestPlain checks that values of the usual schemas are not decoded, and that all others
// are.
func TestPlain(t *testing.T) {
	const usual = `{"type":"object","title":"args","properties":{"s":{"type":"string","description":"x"},"i":{"type":"integer"},"n":{"type":"number"},` +
		`"b":{"type":["boolean","null"],"default":null},"any":{}},"required":["s","other"]`
	for _, tc := range []struct {
		schema, value string
		want          bool
	}{
		{usual + `}`, ` { "s" : "x", "other": 1 } `, true},
		{usual + `}`, `{"s":"\"}","other":null,"i":-12,"n":1.5,"b":null,"any":false,"further":"x"}`, true},
		{usual + `}`, `{"s":"x","other":1,"n":1,"b":true}`, true},
		{usual + `}`, `{"s":"x"}`, false},
		{usual + `}`, `{"other":1}`, false},
		{usual + `}`, `{"s":1,"other":1}`, false},
		{usual + `}`, `{"s":"x","other":1,"i":1.0}`, false},
		{usual + `}`, `{"s":"x","other":1,"i":1e2}`, false},
		{usual + `}`, `{"s":"x","other":1,"i":"1"}`, false},
		{usual + `}`, `{"s":"x","other":1,"b":"true"}`, false},
		{usual + `}`, `{"s":"x","other":1,"n":` + strings.Repeat("1", longestNumber+1) + `}`, false},
		{usual + `}`, `{"s":"x","other":[]}`, false},
		{usual + `}`, `{"s":"x","other":1,"any":{}}`, false},
		{usual + `}`, `{"s":"x","s":"x","other":1}`, false},
		{usual + `}`, `{"\u0073":"x","s":"x","other":1}`, false},
		{usual + `}`, `{"s":"x","other":1}}`, false},
		{usual + `}`, `{"s":"x","other":1`, false},
		{usual + `}`, `["s"]`, false},
		{usual + `}`, `{"s":"` + strings.Repeat("x", longestPlain) + `","other":1}`, false},
		{usual + `,"additionalProperties":true}`, `{"s":"x","other":1}`, true},
		{usual + `,"additionalProperties":false}`, `{"s":"x","other":1}`, false},
		{usual + `,"minProperties":1}`, `{"s":"x","other":1}`, false},
		{`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string"}}}`, `{"a":"x"}`, true},
		{`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string"}}}`, `{"c":"x"}`, false},
		{`{"type":"object"}`, `{}`, true},
		{`{"properties":{}}`, `{}`, false},
		{`{"type":"object","properties":{"a":{"type":"string","minLength":1}}}`, `{"a":"x"}`, false},
		{`{"type":"object","properties":{"a":{"enum":["x"]}}}`, `{"a":"x"}`, false},
		{`{"type":"object","properties":{"a":true}}`, `{"a":"x"}`, false},
		{`true`, `{}`, false},
	} {
		s, err := Compile([]byte(tc.schema), Options{})
		require.NoError(t, err, tc.schema)
		require.Equal(t, tc.want, s.plain != nil && s.plain.holds([]byte(tc.value)), "%s %s", tc.schema, tc.value)
		if tc.want {
			s.plain = nil
			problems, err := s.Check([]byte(tc.value), longest)
			require.NoError(t, err, tc.value)
			require.Empty(t, problems, tc.value)
		}
	}
}

// TestNotChecked checks that input which cannot be checked is reported as such,
// and soon.
func TestNotChecked(t *testing.T) {
	doubling := `{"$ref":"#/$defs/a0","$defs":{`
	for i := range 60 {
		doubling += fmt.Sprintf(`"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, i+1, i+1)
	}
	doubling += `"a60":{}}}`
	for _, tc := range []struct{ name, schema, value, want string }{
		{"a file", `{"$ref":"file:///etc/passwd"}`, `{}`, "the schema refers to file:///etc/passwd, which is not loaded"},
		{"the network", `{"properties":{"a":{"$ref":"https://example.com/a.json#/b"}}}`, `{}`, "the schema refers to https://example.com/a.json, which is not loaded"},
		{"a relative name", `{"$ref":"other.json"}`, `{}`, "the schema refers to mcpdbg:///other.json, which is not loaded"},
		{"a dialect", `{"$schema":"https://example.com/dialect"}`, `{}`, "the schema refers to https://example.com/dialect, which is not loaded"},
		{"not a schema", `{"type":"text"}`, `{}`, "not a valid schema: /type: "},
		{"nothing there", `{"$ref":"#/$defs/none"}`, `{}`, "#/$defs/none"},
		{"not JSON", `{`, `{}`, "unexpected end of text"},
		{"long", `{"x":"` + strings.Repeat("x", MaxBytes) + `"}`, `{}`, "too long"},
		{"many parts", `{"x":[` + strings.Repeat("{},", maxSubschemas) + `{}]}`, `{}`, "the schema has 3002 parts (limit 3000)"},
		{"deep", strings.Repeat(`{"not":`, 300) + `{}` + strings.Repeat(`}`, 300), `{}`, "nested too deeply"},
		{"a large number", `{"minimum":1e999999}`, `{}`, "too many digits"},
		{"a long value", `{}`, `"` + strings.Repeat("x", MaxBytes) + `"`, "too long"},
		{"a large value", `{}`, `[-1e-999999]`, "too many digits"},
		{"a deep value", `{}`, strings.Repeat("[", 201) + strings.Repeat("]", 201), "nested too deeply"},
		{"doubling", doubling, `[]`, "the check took too long"},
		{"doubling with depth", `{"anyOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}],"items":{"minimum":"x"}}`, ``, "not a valid schema: /items/minimum: is a string, not a number"},
		{"doubling with depth of the value", `{"not":{"anyOf":[{"items":{"$ref":"#"},"minItems":1},{"items":{"$ref":"#"},"minItems":1}]}}`,
			strings.Repeat("[", 100) + strings.Repeat("]", 100), "the check took too long"},
		{"doubling in draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#",` + strings.Replace(doubling[1:], `"$ref":"#/$defs/a0"`, `"allOf":[{"$ref":"#/$defs/a0"}]`, 1), `[]`, "the check took too long"},
		{"many failing alternatives", `{"items":{"allOf":[` + strings.Repeat(`{"type":"string"},`, 2500) + `{}]}}`, `[` + strings.Repeat("3,", 60000) + `3]`, "the check took too long"},
		{"many patterns", `{"patternProperties":{` + patterns(2000) + `}}`, `{` + members(15000) + `}`, "the check took too long"},
		{"many options", `{"items":{"enum":[` + strings.Repeat("1,", 60000) + `2]}}`, `[` + strings.Repeat("3,", 60000) + `3]`, "the check took too long"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			problems, _, err := Check([]byte(tc.schema), []byte(tc.value), longest)
			require.ErrorContains(t, err, tc.want)
			require.Empty(t, problems)
		})
	}
}

// TestLoadsNothing checks that a schema is not read even if it exists where a
// reference points.
func TestLoadsNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "schema.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"type":"string"}`), 0o600))
	_, err := Compile([]byte(`{"$ref":"file://`+file+`"}`), Options{})
	require.ErrorContains(t, err, "which is not loaded")
}

// TestEachCheckHasFullBudget checks that each check has its full budget.
func TestEachCheckHasFullBudget(t *testing.T) {
	s, err := Compile([]byte(`{"items":{"type":"integer"}}`), Options{})
	require.NoError(t, err)
	value := []byte("[" + strings.Repeat("1,", 15_000) + "1]")
	for range 4 {
		_, err := s.Check(value, longest)
		require.NoError(t, err)
	}
}

func patterns(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"(a*)*x%d":{}`, i))
	}
	return strings.Join(all, ",")
}

func members(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"m%d":1`, i))
	}
	return strings.Join(all, ",")
}

func TestCheckOfServer(t *testing.T) {
	problems, unchecked, err := Check([]byte(`{"type":"object","properties":{"a":{"type":"integer","pattern":"(?=x)"}}}`), []byte(`{"a":"b"}`), longest)
	require.NoError(t, err)
	require.Equal(t, []Problem{{Path: "/a", Text: "is a string, not an integer"}}, problems)
	require.Equal(t, []string{"(?=x)"}, unchecked)

	_, _, err = Check([]byte(`{"type":"string"}`), []byte(`"xx"`), 4)
	require.NoError(t, err)
	_, _, err = Check([]byte(`{"type":"string"}`), []byte(`"xx" `), 4)
	require.ErrorIs(t, err, ErrTooLong)
}

// TestCompile checks the dialects and the kinds of errors.
func TestCompile(t *testing.T) {
	invalid, reference := new(InvalidError), new(ReferenceError)
	for _, tc := range []struct {
		name, schema    string
		strict, lenient any // the type of the error, nil for none
	}{
		{"no dialect", `{"type":"object"}`, nil, nil},
		{"an invalid type", `{"type":"objct"}`, &invalid, &invalid},
		{"a tuple of draft 7", `{"items":[{"type":"string"}]}`, &invalid, nil},
		{"a tuple that says draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}`, nil, nil},
		{"draft 4", `{"minimum":1,"exclusiveMinimum":true}`, &invalid, nil},
		{"draft 4, and wrong", `{"minimum":"1","exclusiveMinimum":true}`, &invalid, &invalid},
		{"says 2020-12", `{"$schema":"https://json-schema.org/draft/2020-12/schema","items":[{}]}`, &invalid, &invalid},
		{"an unknown dialect", `{"$schema":"https://example.com/dialect"}`, &reference, &reference},
		{"a dialect that is a number", `{"$schema":7}`, &invalid, &invalid},
		{"the network", `{"$ref":"https://example.com/a"}`, &reference, &reference},
		{"nothing there", `{"$ref":"#/$defs/a"}`, &reference, &reference},
		{"no such anchor", `{"$ref":"#a"}`, &reference, &reference},
		{"a reference that is data", `{"const":{"$ref":"https://example.com/a"}}`, nil, nil},
		{"itself", `{"$id":"https://example.com/a","$defs":{"x":{}},"$ref":"https://example.com/a#/$defs/x"}`, nil, nil},
		{"a pattern of ECMAScript", `{"pattern":"(?=x)"}`, nil, nil},
		{"a recursion", `{"properties":{"a":{"$ref":"#"}}}`, nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, lenient := range []bool{false, true} {
				want := tc.strict
				if lenient {
					want = tc.lenient
				}
				_, err := Compile([]byte(tc.schema), Options{Lenient: lenient})
				if want == nil {
					require.NoError(t, err)
					continue
				}
				require.ErrorAs(t, err, want)
			}
		})
	}
}

// TestFormats checks that formats are annotations unless they are asked for, as in
// draft 7.
func TestFormats(t *testing.T) {
	for _, schema := range []string{`{"format":"email"}`, `{"$schema":"http://json-schema.org/draft-07/schema#","format":"email"}`} {
		for _, formats := range []bool{false, true} {
			s, err := Compile([]byte(schema), Options{Formats: formats})
			require.NoError(t, err)
			problems, err := s.Check([]byte(`"x"`), longest)
			require.NoError(t, err)
			require.Equal(t, formats, len(problems) > 0)
		}
	}
}

// FuzzCheck checks values against random schemas.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"$ref":"#/$defs/t","$defs":{"t":{"type":"object","properties":{"t":{"$ref":"#/$defs/t"}}}}}`), []byte(`{"t":{}}`))
	f.Add([]byte(`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"enum":[1,null]}],"pattern":"("}`), []byte(`[1]`))
	f.Add([]byte(`true`), []byte(`1e5`))
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":"number"}},"required":["a"]}`), []byte(`{"a":"x","b":1.5}`))
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		for _, o := range []Options{{}, {Lenient: true, Formats: true}} {
			s, err := Compile(schema, o)
			if err != nil {
				require.NotEmpty(t, err.Error())
				continue
			}
			problems, err := s.Check(value, longest)
			for _, p := range problems {
				require.LessOrEqual(t, len(p.Text), 10*maxMessage)
			}
			s.plain = nil
			again, againErr := s.Check(value, longest)
			require.Equal(t, again, problems)
			require.Equal(t, againErr, err)
		}
	})
}
