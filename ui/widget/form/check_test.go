package form

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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
		{"range", `{"properties":{"a":{"minimum":2}}}`, `{"a":1}`, "/a: minimum: got 1, want 2"},
		{"enum", `{"properties":{"a":{"enum":["x","y"]}}}`, `{"a":"z"}`, "/a: is not one of the listed values"},
		{"format", `{"properties":{"a":{"type":"string","format":"email"},"b":{"format":"date"}}}`, `{"a":"x","b":"2026-13-01"}`, "/a: is not an email; /b: is not a date"},
		{"pattern", `{"properties":{"a":{"pattern":"^a+$"}}}`, `{"a":"b"}`, "/a: does not match ^a+$"},
		{"pattern that can't be checked", `{"properties":{"a":{"pattern":"^(?!x)","minLength":2}}}`, `{"a":"x"}`, "/a: has 1 character, at least 2"},
		{"nullable", `{"properties":{"a":{"anyOf":[{"type":"integer","minimum":5},{"type":"null"}]}}}`, `{"a":1}`, "/a: minimum: got 1, want 5"},
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
		{"not JSON", `{}`, `{"a":`, "not valid JSON: unexpected end of text"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			problems, err := formOf(tc.schema).Validate([]byte(tc.value))
			require.NoError(t, err)
			var all []string
			for _, p := range problems {
				all = append(all, p.String())
			}
			require.Equal(t, tc.want, strings.Join(all, "; "))
		})
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
		{"not a schema", `{"type":"text"}`, `{}`, "'/type'"},
		{"nothing there", `{"$ref":"#/$defs/none"}`, `{}`, "#/$defs/none"},
		{"not JSON", `{`, `{}`, "unexpected end of text"},
		{"long", `{"x":"` + strings.Repeat("x", maxChecked) + `"}`, `{}`, "too long"},
		{"many parts", `{"x":[` + strings.Repeat("{},", maxSubschemas) + `{}]}`, `{}`, "the schema has 3002 parts (limit 3000)"},
		{"deep", strings.Repeat(`{"not":`, 300) + `{}` + strings.Repeat(`}`, 300), `{}`, "nested too deeply"},
		{"a large number", `{"minimum":1e999999}`, `{}`, "too many digits"},
		{"a long value", `{}`, `"` + strings.Repeat("x", maxChecked) + `"`, "too long"},
		{"a large value", `{}`, `[-1e-999999]`, "too many digits"},
		{"a deep value", `{}`, strings.Repeat("[", 201) + strings.Repeat("]", 201), "nested too deeply"},
		{"doubling", doubling, `[]`, "the check took too long"},
		{"doubling with depth", `{"anyOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}],"items":{"minimum":"x"}}`, ``, "'/items/minimum'"},
		{"doubling with depth of the value", `{"not":{"anyOf":[{"items":{"$ref":"#"},"minItems":1},{"items":{"$ref":"#"},"minItems":1}]}}`,
			strings.Repeat("[", 100) + strings.Repeat("]", 100), "the check took too long"},
		{"doubling in draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#",` + strings.Replace(doubling[1:], `"$ref":"#/$defs/a0"`, `"allOf":[{"$ref":"#/$defs/a0"}]`, 1), `[]`, "the check took too long"},
		{"many failing alternatives", `{"items":{"allOf":[` + strings.Repeat(`{"type":"string"},`, 2500) + `{}]}}`, `[` + strings.Repeat("3,", 60000) + `3]`, "the check took too long"},
		{"many patterns", `{"patternProperties":{` + patterns(2000) + `}}`, `{` + members(15000) + `}`, "the check took too long"},
		{"many options", `{"items":{"enum":[` + strings.Repeat("1,", 60000) + `2]}}`, `[` + strings.Repeat("3,", 60000) + `3]`, "the check took too long"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			start := time.Now()
			problems, err := newChecker([]byte(tc.schema), nil).Check([]byte(tc.value))
			require.ErrorContains(t, err, tc.want)
			require.Empty(t, problems)
			require.Less(t, time.Since(start), 5*time.Second)
		})
	}
}

// TestLoadsNothing checks that a schema is not read even if it exists where a
// reference points.
func TestLoadsNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "schema.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"type":"string"}`), 0o600))
	_, err := newChecker([]byte(`{"$ref":"file://`+file+`"}`), nil).Check([]byte(`1`))
	require.ErrorContains(t, err, "which is not loaded")
}

// TestEachCheckHasFullBudget checks that each check has its full budget.
func TestEachCheckHasFullBudget(t *testing.T) {
	c := newChecker([]byte(`{"items":{"type":"integer"}}`), nil)
	value := []byte("[" + strings.Repeat("1,", 15_000) + "1]")
	for range 4 {
		_, err := c.Check(value)
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

func TestUnchecked(t *testing.T) {
	f := props(`"a":{"type":"string","pattern":"^(?!x)"},"b":{"type":"string"}`)
	require.Equal(t, []string{"^(?!x)"}, f.check.Unchecked())
	require.Contains(t, screen(f), "cannot check the pattern ^(?!x)")
	f.Next()
	require.NotContains(t, screen(f), "cannot check")

	f = props(`"a":{"$ref":"https://example.com/x"}`)
	_, err := f.Problems()
	require.ErrorContains(t, err, "which is not loaded")
	require.Contains(t, screen(f), "cannot check: the schema refers to https://example.com/x")
	require.Contains(t, screen(f), "not checked")
}

func TestProblemsOfFields(t *testing.T) {
	f := formOf(order)
	require.Nil(t, f.problemsOf(t))
	require.NotContains(t, screen(f), "x is required")
	require.True(t, f.FirstError())
	require.Equal(t, "/id", f.Path())
	require.Contains(t, screen(f), ">x- id          (integer)  x is required")
	press(t, f, "5")
	require.False(t, f.FirstError())

	require.NoError(t, f.SetJSON([]byte(`{"id":1,"lines":[{"sku":"a"},{"n":1.5,"sku":"b","x":1}],"extras":["eggs"]}`)))
	require.Equal(t, []string{"/extras/0: is not one of the listed values", "/lines/1/n: is a number, not an integer"}, f.problemsOf(t))
	require.True(t, f.FirstError())
	require.Equal(t, "/extras", f.Path())
	f.Select("/lines")
	f.Fold(true)
	require.Contains(t, screen(f), ">x  > lines    2 items")
	require.True(t, f.Select("/lines/1/n"))
	require.Contains(t, screen(f), "x is a number, not an integer")
	press(t, f, "<backspace><backspace>")
	require.Equal(t, []string{"/extras/0: is not one of the listed values"}, f.problemsOf(t))
}

func (f *Form) problemsOf(t *testing.T) (all []string) {
	t.Helper()
	problems, err := f.Problems()
	require.NoError(t, err)
	for _, p := range problems {
		if !p.Missing {
			all = append(all, p.String())
		}
	}
	return all
}

func TestLocate(t *testing.T) {
	const doc = "{\n  \"a\": [1,\n    {\"b/c\" :\ttrue}],\n  \"\": 2, \"a\": 3\n}"
	for path, want := range map[string][2]int{
		"":             {1, 1},
		"/a":           {2, 8},
		"/a/0":         {2, 9},
		"/a/1":         {3, 5},
		"/a/1/b~1c":    {3, 14},
		"/a/1/b~1c/x":  {3, 14},
		"/a/1/missing": {3, 5},
		"/a/7":         {2, 8},
		"/":            {4, 7},
		"/none":        {1, 1},
	} {
		line, col := Locate([]byte(doc), path)
		require.Equal(t, want, [2]int{line, col}, path)
	}
	for _, broken := range []string{"", "{", `{"a":`, `[1,`, "\xff", `{"a" 1}`} {
		line, col := Locate([]byte(broken), "/a/0")
		require.Equal(t, 1, line, broken)
		require.LessOrEqual(t, col, len(broken)+1, broken)
	}
}

func TestValidateAgain(t *testing.T) {
	f := New([]byte(`{"type":"object","properties":{"n":{"type":"integer"}}}`), Options{})
	first, err := f.Validate([]byte(`{"n":"x"}`))
	require.NoError(t, err)
	require.Equal(t, []Problem{{Path: "/n", Text: "is a string, not an integer"}}, first)
	first[0].Path = "/elsewhere" + first[0].Path // the caller may modify what it got
	again, err := f.Validate([]byte(`{"n":"x"}`))
	require.NoError(t, err)
	require.Equal(t, "/n", again[0].Path)
	right, err := f.Validate([]byte(`{"n":1}`))
	require.NoError(t, err)
	require.Empty(t, right)
}

func TestPointers(t *testing.T) {
	require.Equal(t, "/a/b~1c~0", Below("/a", "b/c~"))
	require.Equal(t, "b/c~", NameOf(Below("/a", "b/c~")))
	require.Empty(t, NameOf(""))
}

// TestEmptyListIsMissing checks that a required list that needs items is not called
// wrong while it has none.
func TestEmptyListIsMissing(t *testing.T) {
	f := props(`"l":{"type":"array","minItems":2,"items":{"type":"string"}}`, "l")
	problems, err := f.Problems()
	require.NoError(t, err)
	require.Equal(t, []Problem{{Path: "/l", Text: "has 0 items, at least 2", Missing: true}}, problems)
	require.NotContains(t, screen(f), "x has 0 items")
	require.NoError(t, f.SetJSON([]byte(`{"l":["a"]}`)))
	problems, err = f.Problems()
	require.NoError(t, err)
	require.False(t, problems[0].Missing)
}
