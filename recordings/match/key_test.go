package match

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEqualParamsHaveOneKey(t *testing.T) {
	rules := &Rules{List: []Rule{
		{Action: ActionIgnore, Pointer: "/params/arguments/*/trace"},
		{Action: ActionKeep, Pointer: "/params/_meta/tenant"},
		{Action: ActionMask, Method: "tools/call:now", Pointer: "/params/arguments/at", Type: TypeTime},
	}}
	for _, c := range []struct {
		name string
		a, b string
		same bool
	}{
		{"missing and empty", ``, `{}`, true},
		{"order and white space", `{"a":1,"b":[true,null]}`, " {\t\"b\" : [ true , null ] , \"a\":1 } ", true},
		{"forms of a number", `{"a":[1,1.0,1e0,10e-1,100E-2]}`, `{"a":[1.0,1,1,1,1]}`, true},
		{"zero", `[0,-0,0.00,0e9]`, `[0,0,0,0]`, true},
		{"big numbers", `[12345678901234567890123]`, `[12345678901234567890124]`, false},
		{"big numbers with a point", `[12345678901234567890123.0]`, `[12345678901234567890123]`, true},
		{"number and text", `[1]`, `["1"]`, false},
		{"huge exponents", `[1e99999999999999999999]`, `[1e99999999999999999999]`, true},
		{"escapes", `{"\u0061":"\u00e9\/\ud83d\ude00"}`, `{"a":"é/😀"}`, true},
		{"lone surrogates", `["\uD800"]`, `["\ud800"]`, true},
		{"order of elements", `[1,2]`, `[2,1]`, false},
		{"empty members", `{"a":{}}`, `{"a":[]}`, false},
		{"_meta", `{"_meta":{"progressToken":1,"x":2},"a":1}`, `{"a":1}`, true},
		{"kept _meta", `{"_meta":{"tenant":1,"x":2}}`, `{"_meta":{"tenant":1}}`, true},
		{"kept _meta that differs", `{"_meta":{"tenant":1}}`, `{"_meta":{"tenant":2}}`, false},
		{"nested _meta counts", `{"a":{"_meta":1}}`, `{"a":{}}`, false},
		{"ignored", `{"arguments":{"x":{"trace":1,"y":2}}}`, `{"arguments":{"x":{"y":2}}}`, true},
		{"ignored elsewhere", `{"arguments":{"trace":1}}`, `{"arguments":{}}`, false},
		{"masked", `{"name":"now","arguments":{"at":"2026-11-21T10:00:00Z"}}`, `{"name":"now","arguments":{"at":"2025-01-01T00:00:00.5+01:00"}}`, true},
		{"masked for another call", `{"name":"then","arguments":{"at":"2026-11-21T10:00:00Z"}}`, `{"name":"then","arguments":{"at":"2025-01-01T00:00:00Z"}}`, false},
		{"not of the masked type", `{"name":"now","arguments":{"at":"noon"}}`, `{"name":"now","arguments":{"at":"2025-01-01T00:00:00Z"}}`, false},
		{"equal names", `{"a":1,"a":2}`, `{"a":2,"a":1}`, false},
		{"not JSON", `{"a":`, `{"a":`, true},
		{"two kinds of not JSON", `{"a":`, `{"a":1`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, _ := AppendKey(nil, "tools/call", []byte(c.a), rules)
			b, _ := AppendKey(nil, "tools/call", []byte(c.b), rules)
			require.Equal(t, c.same, string(a) == string(b), "%s\n%s", a, b)
			require.Equal(t, c.same, Hash(a) == Hash(b))
			require.Equal(t, c.same, Equal(a, b))
		})
	}
}

func TestKeyOfUnreadableParamsIsTheirBytes(t *testing.T) {
	deep := strings.Repeat("[", 201) + strings.Repeat("]", 201)
	for _, params := range []string{`{"a":`, `{"a":1}x`, "\xff", deep, strings.Repeat("[", 1<<20)} {
		key, err := AppendKey([]byte("before "), "ping", []byte(params), &Rules{List: []Rule{{Action: ActionIgnore}}})
		require.ErrorIs(t, err, ErrNotCanonical)
		require.Equal(t, "before ping\n"+params, string(key))
	}
}

func TestRedactedValuesAreEqualToAnything(t *testing.T) {
	key := func(params string) []byte {
		k, err := AppendKey(nil, "tools/call", []byte(params), nil)
		require.NoError(t, err)
		return k
	}
	a := key(`{"token":"[redacted:0badcafe]","list":[1,"Bearer [redacted:1]"],"z":1}`)
	require.True(t, HasRedacted(a))
	require.True(t, Equal(a, key(`{"token":{"x":2},"list":[1,"Bearer s3cr3t"],"z":1.0}`)))
	require.False(t, Equal(a, key(`{"token":"s3cr3t","list":[1,"Basic s3cr3t"],"z":1}`)), "only the mark matches")
	require.True(t, Equal(a, key(`{"token":"[redacted:feedface]","list":[1,"[redacted:2]"],"z":1}`)), "another salt")
	require.False(t, Equal(a, key(`{"token":"s3cr3t","list":[2,""],"z":1}`)))
	require.False(t, Equal(a, key(`{"token":"s3cr3t","list":[1,"",3],"z":1}`)))
	require.False(t, Equal(a, key(`{"list":[1,""],"z":2}`)))
	require.False(t, Equal(a, []byte("tools/list\n{}")))
	require.False(t, Equal(a, []byte("tools/call\n{")))
	deep := strings.Repeat("[ ", 300) + `"[redacted]"` + strings.Repeat(" ]", 300)
	require.False(t, Equal([]byte("x\n"+deep), []byte("x\n[1]")), "it is not compared in parts")
}

func TestOnlyTheRedactedPartMatches(t *testing.T) {
	const mark, other = "[redacted:aaaaaaaa]", "[redacted:bbbbbbbbbbbb]"
	for name, c := range map[string]struct {
		a, b string // texts
		same bool
	}{
		"the whole text":             {mark, "s3cret", true},
		"the whole text, twice":      {mark, other, true},
		"JSON":                       {`{"token":"` + mark + `","ok":"good"}`, `{"token":"` + other + `","ok":"good"}`, true},
		"JSON, other order":          {`{"token":"` + mark + `","ok":"good"}`, `{ "ok": "good", "token": "s3cret" }`, true},
		"JSON, another change":       {`{"token":"` + mark + `","ok":"good"}`, `{"token":"` + other + `","ok":"BAD"}`, false},
		"JSON, a member more":        {`{"token":"` + mark + `"}`, `{"token":"` + mark + `","ok":1}`, false},
		"JSON, part of a member":     {`{"h":"Bearer ` + mark + `"}`, `{"h":"Bearer abc"}`, true},
		"JSON, rest of a member":     {`{"h":"Bearer ` + mark + `"}`, `{"h":"Basic abc"}`, false},
		"JSON in JSON":               {`{"in":"{\"t\":\"` + mark + `\",\"ok\":1}"}`, `{"in":"{\"t\":\"x\",\"ok\":2}"}`, false},
		"text":                       {"token " + mark + " is good", "token s3cret is good", true},
		"text, both redacted":        {"token " + mark + " is good", "token " + other + " is good", true},
		"text, another change":       {"token " + mark + " is good", "token s3cret is BAD", false},
		"text, both, another change": {"a " + mark + " b " + mark + " c", "a " + other + " B " + other + " c", false},
		"text, two marks":            {"a " + mark + " b " + mark + " c", "a 1 b 2 c", true},
		"text, one of two":           {"a " + mark + " b " + mark + " c", "a 1 b " + other + " c", true},
		"text, overlapping ends":     {"ab" + mark + "bc", "abc", false},
		"lines":                      {"key " + mark + "\nok good\n", "key a\nok BAD\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, side := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
				var keys [2][]byte
				for i := range keys {
					key, err := AppendKey(nil, "tools/call", slices.Concat([]byte(`{"name":"x","arguments":{"text":`), quote(side[i]), []byte(`}}`)), nil)
					require.NoError(t, err)
					keys[i] = key
				}
				require.Equal(t, c.same, Equal(keys[0], keys[1]))
				require.Equal(t, c.same, EqualRedacted(quote(side[0]), quote(side[1])))
			}
		})
	}
}

func TestDiffer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want []string
	}{
		{`{"a":1}`, `{"a":1.0}`, nil},
		{``, `{"a":1}`, []string{"/a"}},
		{`{"a":1,"b":{"c":[1,2,3]},"e":0}`, `{"b":{"c":[1,5,3,4]},"d~/":1,"e":0}`, []string{"/a", "/b/c/1", "/b/c/3", "/d~0~1"}},
		{`{"a":{}}`, `{"a":[]}`, []string{"/a"}},
		{`[1,2]`, `[]`, []string{"/0", "/1"}},
		{`{`, `{}`, []string{""}},
		{`{"_meta":1}`, `{"_meta":2}`, nil},
		{`{"a":"[redacted:1]","b":1}`, `{"a":2,"b":2}`, []string{"/b"}},
	} {
		require.Equal(t, c.want, Differences([]byte(c.a), []byte(c.b)), "%s %s", c.a, c.b)
	}
	many := `[` + strings.Repeat("1,", 99) + `1]`
	require.Len(t, Differences([]byte(many), []byte(strings.ReplaceAll(many, "1", "2"))), 32)
}

func TestTypeOf(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        Type
	}{
		{"at", `"2026-11-21T10:00:00.123456Z"`, TypeTime},
		{"at", `"2026-11-21 10:00"`, TypeTime},
		{"at", `"Sat, 21 Nov 2026 10:00:00 GMT"`, TypeTime},
		{"at", `"2026-11-21"`, TypeNone},
		{"at", `1763719200`, TypeEpoch},
		{"at", `1763719200123`, TypeEpoch},
		{"at", `1763719200.5`, TypeEpoch},
		{"at", `"1763719200"`, TypeEpoch},
		{"size", `176371920`, TypeNone},
		{"id", `"7d444840-9dc0-11d1-b245-5ffdce74fad2"`, TypeID},
		{"id", `"01ARZ3NDEKTSV4RRFFQ69G5FAV"`, TypeID},
		{"id", `"da39a3ee5e6b4b0d"`, TypeID},
		{"id", `"aaaaaaaaaaaaaaaaaa"`, TypeNone},
		{"took", `"1.5s"`, TypeDuration},
		{"took", `"PT3.2S"`, TypeDuration},
		{"elapsed_ms", `12`, TypeDuration},
		{"durationMs", `12.5`, TypeDuration},
		{"items", `12`, TypeNone},
		{"pid", `4121`, TypePID},
		{"ppid", `4121`, TypePID},
		{"rapid", `4121`, TypeNone},
		{"port", `8080`, TypePort},
		{"report", `8080`, TypeNone},
		{"dir", `"/tmp/mcp-x1/y"`, TypeTempPath},
		{"dir", `"/home/x"`, TypeNone},
		{"text", `"hello"`, TypeNone},
		{"flag", `true`, TypeNone},
		{"none", `""`, TypeNone},
	} {
		require.Equal(t, c.want, TypeOf(c.name, []byte(c.value)), "%s %s", c.name, c.value)
	}
}

func FuzzKey(f *testing.F) {
	for _, seed := range []string{`{"b":[1.50,-0,1e400],"a":{"\u0041":"\ud83d\ude00\n","_meta":{}}}`, `["[redacted:x]",12345678901234567890123]`, `{"a":1,"a":2}`, `{"a":`, `{"\u`, `[ { "x" : ] }`} {
		f.Add([]byte(seed))
	}
	rules := &Rules{List: []Rule{{Action: ActionIgnore, Pointer: "/params/*/x"}, {Action: ActionMask, Pointer: "/params/b", Type: TypeAny}}}
	f.Fuzz(func(t *testing.T, params []byte) {
		_, _ = AppendKey(nil, "m", params, rules)
		_ = Differences(params, []byte(`{"a":{"b":[1]}}`))
		look := func(_ []string, _, _ []byte) bool { return true }
		Diff(params, []byte(`{"a":{"b":[1]}}`), look)
		Diff([]byte(`[{"a":1},2]`), params, look)
		Diff(params, slices.Concat(params[:len(params)/2], params), look)
		canonical, err := AppendCanonical(nil, params)
		if err != nil {
			require.Equal(t, string(params), string(canonical))
			return
		}
		again, err := AppendCanonical(nil, canonical)
		require.NoError(t, err)
		require.Equal(t, string(canonical), string(again))
		require.Empty(t, Differences(params, canonical))

		reordered := map[string]json.RawMessage{}
		names := 0
		for range Each(canonical) {
			names++
		}
		if canonical[0] != '{' || json.Unmarshal(params, &reordered) != nil || len(reordered) != names {
			return // not an object, or one with a duplicate name
		}
		sorted, err := json.Marshal(reordered)
		require.NoError(t, err)
		third, err := AppendCanonical(nil, sorted)
		require.NoError(t, err)
		if !strings.Contains(string(canonical), `\ud`) { // which encoding/json replaces in names
			require.Equal(t, string(canonical), string(third))
		}
	})
}

// Nested arrays take time in proportion to their depth, also with redacted text.
func TestDiffOfNestedArrays(t *testing.T) {
	nested := func(text string) []byte {
		return []byte(strings.Repeat("[", 150) + `"` + text + `","[redacted:a]"` + strings.Repeat("]", 150))
	}
	visits := 0
	Diff(nested("a"), nested("b"), func([]string, []byte, []byte) bool {
		visits++
		return true
	})
	require.Equal(t, 151, visits)
}
