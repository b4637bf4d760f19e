package framing

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMember(t *testing.T) {
	deep := strings.Repeat("[", 300) + strings.Repeat("]", 300)
	for object, want := range map[string]string{
		`{"name":"a"}`:                         `"a"`,
		` { "x" : 1 , "name" : {"name":2} } `:  `{"name":2}`,
		`{"_meta":{"name":1},"name":"b"}`:      `"b"`,
		`{"name":1,"name":[2]}`:                `[2]`,
		`{"x":` + deep + `,"name":true}`:       `true`,
		`{"x":"\"name\":1","nam":2,"names":3}`: "",
		`{"n\u0061me":1}`:                      "",
		`{}`:                                   "",
		`{`:                                    "",
		`{"name"`:                              "",
		`{"name":`:                             "",
		`{"name":1,`:                           "1",
		`{"name":1,}`:                          "1",
		`{"name":1 "x":2}`:                     "1",
		`["name",1]`:                           "",
		`"name"`:                               "",
		``:                                     "",
	} {
		require.Equal(t, want, string(Member([]byte(object), "name").Of([]byte(object))), object)
	}
}
func TestMembers(t *testing.T) {
	object := []byte(` {"a":1, "\"" : [2,{"b":3}] ,"c":"}"}`)
	var got []string
	for name, value := range Members(object) {
		got = append(got, string(name.Of(object)), string(value.Of(object)))
	}
	require.Equal(t, []string{`"a"`, `1`, `"\""`, `[2,{"b":3}]`, `"c"`, `"}"`}, got)
}

func TestEscape(t *testing.T) {
	for text, want := range map[string]struct {
		r rune
		n int
	}{
		`\nx`: {'\n', 2}, `\"`: {'"', 2}, `\\`: {'\\', 2}, `\/`: {'/', 2}, `\u00e9x`: {'é', 6},
		`\ud83d\ude00`: {'😀', 12}, `\ud83dx`: {0xd83d, 6}, `\ud83d\u0041`: {0xd83d, 6}, `\ude00`: {0xde00, 6},
		``: {}, `n`: {}, `\`: {}, `\x`: {}, `\u12`: {}, `\u12x4`: {}, `\ud83d\ude0`: {0xd83d, 6},
	} {
		r, n := Escape([]byte(text))
		require.Equal(t, want.r, r, text)
		require.Equal(t, want.n, n, text)
	}
}

// TestMembersOfAnyDepth checks values that are nested deeper than one word has bits.
func TestMembersOfAnyDepth(t *testing.T) {
	for _, depth := range []int{1, 62, 63, 64, 65, 200, MaxDepth - 1, MaxDepth, MaxDepth + 1} {
		value := strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth)
		object := []byte(`{"a":` + value + `,"b":` + value + `,"c":1}`)
		array := []byte("[" + value + "," + value + "]")
		elements := slices.Collect(Elements(array))
		if depth >= MaxDepth { // one level is open around it
			require.Equal(t, Span{}, Member(object, "c"), depth)
			require.Empty(t, elements, depth)
			continue
		}
		require.Equal(t, "1", string(Member(object, "c").Of(object)), depth)
		require.Equal(t, value, string(Member(object, "b").Of(object)), depth)
		require.Len(t, elements, 2, depth)
		require.Equal(t, value, string(elements[1].Of(array)), depth)
	}
}

// FuzzPick compares decoding the picked members with decoding the whole object.
func FuzzPick(f *testing.F) {
	for _, text := range []string{
		`{}`, `null`, `[{"isError":true}]`, `"isError"`, `{"isError":true}`, ` { "a" : {"isError":true} , "isError" : false } `,
		`{"isError":false,"isError":true}`, `{"isError":true,"ISERROR":false}`, `{"\u0069sError":true}`, `{"i\u017fError":true}`,
		`{"iſError":true}`, `{"isError":"x"}`, `{"isError":true,"isError":null}`, `{"isError\u0000":true}`, `{"\ud800":1,"isError":true}`,
		`{"resultType":"input_required","inputRequests":{"a":{"method":"m"}},"content":[1,2]}`, `{"resultType":{"resultType":"x"}}`,
		`{"inputRequests":{"a":1},"inputrequests":{"b":{"method":"n"}}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !Scan([]byte(text)).Valid() {
			return
		}
		type fields struct {
			Type     string                     `json:"resultType"`
			Requests map[string]json.RawMessage `json:"inputRequests"`
			IsError  bool                       `json:"isError"`
		}
		var whole, picked fields
		picks := Pick([]byte(text), "resultType", "inputRequests", "isError")
		wholeErr, pickedErr := json.Unmarshal([]byte(text), &whole), json.Unmarshal(picks, &picked)
		require.Equal(t, whole, picked, "%s", picks)
		if m := Scan([]byte(text)); m.Kind != Batch && text[0] == '{' {
			require.Equal(t, wholeErr == nil, pickedErr == nil, "%s", picks)
		}
	})
}

func TestPickKeepsOrderAndBytes(t *testing.T) {
	require.Equal(t, `{"a":1.0,"\u0061":{"c" : 2},"A":[ ]}`, string(Pick([]byte(`{"a":1.0,"b":3,"\u0061":{"c" : 2}, "A" : [ ]}`), "a")))
	require.Equal(t, `{}`, string(Pick([]byte(`[1]`), "a")))
}

func TestIDValue(t *testing.T) {
	for raw, want := range map[string]string{
		``: ``, `1`: `1`, `1.0`: `1.0`, `null`: `null`, `"a"`: `"a"`, `"\u0061"`: `"a"`, `"\ud83d\ude00"`: `"😀"`,
		`"\ud800"`: `"\ud800"`, `"\ud801"`: `"\ud801"`, `"\"`: `"\"`,
	} {
		require.Equal(t, want, string(IDValue([]byte(raw))), raw)
	}
}

func TestPlain(t *testing.T) {
	for size := range 40 {
		plain := strings.Repeat("ü ~!#[]\x7f", size)[:size]
		require.Equal(t, size, Plain([]byte(plain)))
		for _, stop := range []string{`"`, `\`, "\x00", "\x1f", "\n"} {
			require.Equal(t, size, Plain([]byte(plain+stop+plain)), "%d %q", size, stop)
		}
	}
}
