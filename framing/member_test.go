package framing

import (
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
