package form

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const order = `{"type":"object","required":["id"],"properties":{
	"id":{"type":"integer"},
	"note":{"type":"string"},
	"tags":{"type":"array","items":{"type":"string"}},
	"size":{"enum":["s","m","l"]},
	"extras":{"type":"array","items":{"enum":["nuts","milk"]}},
	"address":{"type":"object","properties":{"street":{"type":"string","default":"Main"},"zip":{"type":"string"}},"required":["zip"]},
	"lines":{"type":"array","items":{"type":"object","properties":{"sku":{"type":"string"},"n":{"type":"integer","default":1}},"required":["sku"]}},
	"any":{}}}`

// TestValuesAreKept sets values in the form and reads them back.
func TestValuesAreKept(t *testing.T) {
	for _, tc := range []struct{ name, in, out string }{
		{"nothing", `{}`, ``},
		{"digits", `{"id":1.50e+400,"any":9007199254740993}`, ``},
		{"escapes", `{"note":"\u0041\/\ud83d\ude00\ud800"}`, ``},
		{"order of the schema", `{"any":1,"id":2}`, `{"id":2,"any":1}`},
		{"unknown members in their order", `{"z":1,"id":2,"a":{"deep":[1, 2]},"b":null}`, `{"id":2,"z":1,"a":{"deep":[1,2]},"b":null}`},
		{"a name given twice", `{"id":1,"note":"x","id":2,"q":1,"q":2}`, `{"id":1,"note":"x","id":2,"q":1,"q":2}`},
		{"other types", `{"id":"1","note":5,"tags":{"a":1},"size":"xl","extras":[{"no":1}],"address":[1],"lines":null}`, ``},
		{"null everywhere", `{"id":null,"note":null,"tags":null,"size":null,"extras":null,"address":null,"lines":null,"any":null}`, ``},
		{"empty", `{"note":"","tags":[],"extras":[],"address":{},"lines":[]}`, ``},
		{"lists", `{"tags":["a",1,null,"b"],"extras":["milk","eggs","milk"],"lines":[{"sku":"a","x":true},{},7]}`, ``},
		{"not an object", `[1]`, ``},
		{"a string", `"x"`, ``},
		{"null", `null`, ``},
		{"blanks", " {\n\t\"id\" : 1 ,\r\n \"any\" : [ \" a b \" ] } ", `{"id":1,"any":[" a b "]}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := formOf(order)
			require.NoError(t, f.SetJSON([]byte(tc.in)))
			want := tc.out
			if want == "" {
				want = tc.in
			}
			require.Equal(t, want, sent(t, f))
			f.rows = f.rows[:0]
			screen(f)
			require.Equal(t, want, sent(t, f))
		})
	}
}

func TestSetJSONErrors(t *testing.T) {
	f := formOf(order)
	require.NoError(t, f.SetJSON([]byte(`{"id":7}`)))
	for in, want := range map[string]string{
		``:        "unexpected end of text",
		`{"id":`:  "unexpected end of text",
		`{} {}`:   "unexpected text after the end of the value",
		`{'a':1}`: "at byte 1",
		strings.Repeat("[", 300) + strings.Repeat("]", 300): "nested too deeply",
	} {
		require.ErrorContains(t, f.SetJSON([]byte(in)), want, in)
		require.Equal(t, `{"id":7}`, sent(t, f))
	}
}

// TestRoundTrip checks that JSON returns what SetJSON was given, for values
// that fit a schema and values that do not.
func TestRoundTrip(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		in := anyValue(rnd, 0)
		f := formOf(order)
		require.NoError(t, f.SetJSON([]byte(in)))
		out := sent(t, f)
		require.JSONEq(t, in, out)
		require.NoError(t, f.SetJSON([]byte(out)))
		require.Equal(t, out, sent(t, f))
		for f.Next() {
			f.ToggleFold()
		}
		require.Equal(t, out, sent(t, f), "folding changes nothing")
	}
}

func anyValue(rnd *rand.Rand, depth int) string {
	names := []string{"id", "note", "tags", "size", "extras", "address", "lines", "any", "street", "zip", "sku", "n", "x", "", "a/b~c"}
	switch n := rnd.IntN(9); {
	case depth == 0 || depth < 5 && n < 3:
		var members []string
		for _, i := range rnd.Perm(len(names))[:rnd.IntN(len(names))] {
			members = append(members, fmt.Sprintf("%q:%s", names[i], anyValue(rnd, depth+1)))
		}
		return "{" + strings.Join(members, ",") + "}"
	case depth < 5 && n < 5:
		var items []string
		for range rnd.IntN(4) {
			items = append(items, anyValue(rnd, depth+1))
		}
		return "[" + strings.Join(items, ",") + "]"
	case n == 5:
		return []string{"0", "-1", "1.0", "1e2", "12345678901234567890"}[rnd.IntN(5)]
	case n == 6:
		return []string{"true", "false", "null"}[rnd.IntN(3)]
	}
	return []string{`"m"`, `"milk"`, `""`, `"a b"`, `"\u001b[2J"`, `"漢字"`}[rnd.IntN(6)]
}

func TestInvalidTextBecomesString(t *testing.T) {
	f := formOf(order)
	press(t, f, "12a")
	require.True(t, f.Select("/any"))
	press(t, f, `{"a":`)
	raw, err := f.JSON()
	require.Equal(t, `{"id":"12a","any":"{\"a\":"}`, string(raw))
	var text *TextError
	require.ErrorAs(t, err, &text)
	require.Equal(t, "id is not a number", err.Error())
	problems, err := f.Problems()
	require.NoError(t, err)
	require.Equal(t, []Problem{{Path: "/id", Text: "is not a number"}, {Path: "/any", Text: "is not JSON"}}, problems)

	require.NoError(t, f.SetJSON(raw))
	require.Equal(t, string(raw), sent(t, f))
}

func TestCrowdedValuesAreJSONText(t *testing.T) {
	for name, tc := range map[string]struct{ schema, value string }{
		"many items":   {`{"type":"object","properties":{"v":{"type":"array","items":{"type":"integer"}}}}`, `{"v":[` + strings.Repeat("1,", 2*maxParts) + `1]}`},
		"many members": {`{"type":"object","properties":{"v":{"type":"object","properties":{"a":{}}}}}`, `{"v":{` + members(2*maxParts) + `}}`},
		"at the root":  {`{"type":"object","properties":{"v":{}}}`, `{` + members(2*maxParts) + `}`},
		"deep":         {`{"type":"object","properties":{"v":{"$ref":"#"}}}`, strings.Repeat(`{"v":`, 50) + `1` + strings.Repeat(`}`, 50)},
		"wide and deep": {`{"type":"array","items":{"type":"array","items":{"type":"array","items":{"type":"integer"}}}}`,
			`[` + strings.Repeat(`[[1,2,3],[1,2,3],[1,2,3],[1,2,3],[1,2,3],[1,2,3],[1,2,3],[1,2,3]],`, 500) + `[]]`},
	} {
		t.Run(name, func(t *testing.T) {
			f := formOf(tc.schema)
			require.NoError(t, f.SetJSON([]byte(tc.value)))
			require.Equal(t, tc.value, sent(t, f))
			require.LessOrEqual(t, f.fields, maxFields+maxParts)
			require.Equal(t, 1+count(f.root.children), f.fields)
			screen(f)
		})
	}
}

func members(n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(`"m%d":%d`, i, i))
	}
	return strings.Join(out, ",")
}

func TestStrangeSchemas(t *testing.T) {
	for _, schema := range []string{
		``, `null`, `true`, `5`, `"x"`, `[]`, `{`, `{"type":5}`, `{"type":["object"]}`, `{"type":[]}`, `{"properties":5}`,
		`{"type":"object","properties":[]}`, `{"type":"object","properties":{"a":null,"b":5,"c":[]}}`,
		`{"$ref":"#"}`, `{"$ref":5}`, `{"$ref":"#/a/b"}`, `{"a":{"b":[{"type":"string"}]},"$ref":"#/a/b/0"}`,
		`{"allOf":[{"$ref":"#"}]}`, `{"anyOf":[{"$ref":"#"},{"type":"null"}]}`, `{"type":"array","items":{"$ref":"#"}}`,
		`{"enum":[]}`, `{"enum":5}`, `{"oneOf":[]}`, `{"required":{"a":1}}`, `{"type":"array","items":[{"type":"string"}]}`,
		`{"default":{"a":[1]}}`, `{"type":"object","properties":{"a":{"type":"integer","default":"x"}}}`,
		strings.Repeat(`{"properties":{"a":`, 90) + `{}` + strings.Repeat(`}}`, 90),
		`{"type":"object","properties":{` + strings.ReplaceAll(members(3000), ":", `:{"x":`)[:100] + `}`,
		`{"pad":"` + strings.Repeat("x", maxSchema) + `"}`,
	} {
		f := formOf(schema)
		screen(f)
		raw, err := f.JSON()
		require.NoError(t, err)
		require.True(t, json.Valid(raw))
		for _, in := range []string{`{"a":{"a":[{"a":1}]}}`, `[[["x"]]]`, `"s"`} {
			require.NoError(t, f.SetJSON([]byte(in)), "%.80s", schema)
			require.Equal(t, in, sent(t, f), "%.80s", schema)
		}
	}
}
