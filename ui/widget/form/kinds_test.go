package form

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKinds fills in one field of each kind of schema.
func TestKinds(t *testing.T) {
	for _, tc := range []struct {
		name, schema string
		keys         string
		want         string
		hint         string
	}{
		{"string", `{"type":"string","minLength":1}`, "a b", `{"v":"a b"}`, "text, at least 1 character"},
		{"format", `{"type":"string","format":"email"}`, "a@b.c", `{"v":"a@b.c"}`, "email"},
		{"integer", `{"type":"integer","minimum":1,"maximum":9}`, "7", `{"v":7}`, "whole number, 1 to 9"},
		{"number", `{"type":"number","exclusiveMinimum":0}`, "1.50e3", `{"v":1.50e3}`, "number, more than 0"},
		{"boolean", `{"type":"boolean"}`, " ", `{"v":true}`, "yes or no"},
		{"boolean off", `{"type":"boolean"}`, "  ", `{"v":false}`, "yes or no"},
		{"boolean by letter", `{"type":"boolean"}`, "n", `{"v":false}`, "yes or no"},
		{"enum", `{"enum":["red","green",3,null]}`, "<right><right><right>", `{"v":3}`, "one of red, green, 3, null"},
		{"enum backwards", `{"enum":["red","green",3,null]}`, "<left>", `{"v":null}`, "one of red, green, 3, null"},
		{"enum by letters", `{"type":"string","enum":["red","rose","rust"]}`, "ru", `{"v":"rust"}`, "one of red, rose, rust"},
		{"enum by the same letter", `{"type":"string","enum":["red","rose","rust"]}`, "rr", `{"v":"rose"}`, "one of red, rose, rust"},
		{"const", `{"const":{"a":1}}`, " ", `{"v":{"a":1}}`, "one of {\"a\":1}"},
		{"titled", `{"type":"string","oneOf":[{"const":"a","title":"Apple"},{"const":"p","title":"Pear"}]}`, "pe", `{"v":"p"}`, "one of Apple, Pear"},
		{"titled by anyOf", `{"anyOf":[{"const":1,"title":"One"},{"const":2}]}`, "2", `{"v":2}`, "one of One, 2"},
		{"enumNames", `{"type":"string","enum":["a","b"],"enumNames":["Ah","Beh"]}`, "be", `{"v":"b"}`, "one of Ah, Beh"},
		{"nullable type", `{"type":["string","null"]}`, "x", `{"v":"x"}`, "text"},
		{"nullable anyOf", `{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null}`, "5", `{"v":5}`, "whole number"},
		{"null", `{"type":"null"}`, " ", `{"v":null}`, "one of null"},
		{"reference", `{"$ref":"#/$defs/n","title":"T"}`, "5", `{"v":5}`, "whole number"},
		{"allOf of one", `{"allOf":[{"$ref":"#/$defs/n"}],"description":"d"}`, "5", `{"v":5}`, "whole number"},
		{"reference to itself", `{"$ref":"#/$defs/loop"}`, `[1]`, `{"v":[1]}`, "JSON"},
		{"reference elsewhere", `{"$ref":"https://example.com/s.json"}`, `[1]`, `{"v":[1]}`, "JSON"},
		{"reference to nothing", `{"$ref":"#/$defs/none"}`, `[1]`, `{"v":[1]}`, "JSON"},
		{"anything", `{}`, `{"a": [1, "x y"]}`, `{"v":{"a":[1,"x y"]}}`, "JSON"},
		{"true", `true`, `1`, `{"v":1}`, "JSON"},
		{"one of objects", `{"anyOf":[{"type":"object","properties":{"a":{}}},{"type":"object"}]}`, `{}`, `{"v":{}}`, "object or object"},
		{"scalars", `{"type":["string","integer"]}`, `12`, `{"v":12}`, "string or integer"},
		{"scalars, a string", `{"type":["string","integer"]}`, `12a`, `{"v":"12a"}`, "string or integer"},
		{"scalars by anyOf", `{"anyOf":[{"type":"string"},{"type":"number"}]}`, `x`, `{"v":"x"}`, "string or number"},
		{"names by pattern", `{"type":"object","patternProperties":{"^a":{}}}`, `{"ab":1}`, `{"v":{"ab":1}}`, "object"},
		{"map", `{"type":"object","additionalProperties":{"type":"string"}}`, `{"a":"b"}`, `{"v":{"a":"b"}}`, "object"},
		{"tuple", `{"type":"array","prefixItems":[{"type":"string"}]}`, `["a"]`, `{"v":["a"]}`, "JSON"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := formOf(`{"type":"object","properties":{"v":` + tc.schema + `},"$defs":{"n":{"type":"integer"},"loop":{"$ref":"#/$defs/loop"}}}`)
			require.Equal(t, tc.hint, f.current().field.spec.hint)
			press(t, f, tc.keys)
			require.Equal(t, tc.want, sent(t, f))
			again := formOf(string(f.schema.root.raw))
			require.NoError(t, again.SetJSON([]byte(tc.want)))
			require.Equal(t, tc.want, sent(t, again))
		})
	}
}

func TestAbsentEmptyNull(t *testing.T) {
	f := props(`"s":{"type":"string"},"n":{"type":"integer"},"o":{"type":"object","properties":{"a":{"type":"string"}}},"l":{"type":"array","items":{"type":"string"}}`)
	require.Equal(t, `{}`, sent(t, f))
	for range 4 {
		f.Clear()
		f.Next()
	}
	require.Equal(t, `{"s":"","o":{},"l":[]}`, sent(t, f))
	f.moveTo(0)
	for range 4 {
		f.Null()
		f.Next()
	}
	require.Equal(t, `{"s":null,"n":null,"o":null,"l":null}`, sent(t, f))
	require.Contains(t, screen(f), "s   null                    E not a string")
	f.moveTo(0)
	press(t, f, "x")
	f.Next()
	f.Null()
	f.Next()
	f.Clear()
	require.Equal(t, `{"s":"x","l":null}`, sent(t, f))
	f.moveTo(0)
	press(t, f, "<backspace>")
	require.Equal(t, `{"s":"","l":null}`, sent(t, f))
	f.Clear()
	f.Next()
	press(t, f, "5<backspace>")
	require.Equal(t, `{"l":null}`, sent(t, f))
}
