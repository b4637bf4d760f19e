package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/jq"
	"mcpdbg/session/jsonschema"
)

// TestMarks checks that no file has more than two values per mark.
func TestMarks(t *testing.T) {
	for _, text := range []string{
		"[a,b,c,[],{}]", "{a,b: c,d: {}}", "a: b\nc:\nd: e\n", "- a\n-\n- - b\n- - -\n", "? a\n: b\n? ? c\n", "a: b\rc: d\u0085e: f\u2028g: h\u2029i: j",
	} {
		root, err := decode(strings.NewReader(text))
		require.NoError(t, err, text)
		n := 0
		for all := root.Content; len(all) > 0; n++ {
			all = append(all[1:], all[0].Content...)
		}
		require.LessOrEqual(t, n, 2*marks([]byte(text))+2, text)
	}
}

// TestProgramsAreBounded checks that a jq program cannot exhaust memory or stack.
func TestProgramsAreBounded(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("no time")
	cancel(why)
	_, _, err := (*Vars)(nil).holds(ctx, "range(infinite) | empty", nil)
	require.ErrorIs(t, err, why)

	for _, program := range []string{"reduce range(20000) as $i (1; [.])", "reduce range(20000) as $i (1; {a: .})", "[range(600000)]", `"x" * 2000000`} {
		_, err = (*Vars)(nil).captured(t.Context(), program, nil)
		require.ErrorContains(t, err, "the result is too large: the limits are 1048576 bytes and 10000 levels", program)
	}
	got, ok, err := (*Vars)(nil).holds(t.Context(), `"x" * 2000000, "y" * 2000000`, nil)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "string too large to show", got)
	raw, err := (*Vars)(nil).captured(t.Context(), `reduce range(9000) as $i ({"a": [1.5, "b"]}; [.])`, nil)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("[", 9000)+`{"a":[1.5,"b"]}`+strings.Repeat("]", 9000), string(raw))
}

// TestNumbersAreBounded checks that a server cannot make a program calculate for hours.
func TestNumbersAreBounded(t *testing.T) {
	digits := strings.Repeat("7", jq.MaxDigits)
	for _, tc := range []struct{ program, value, want string }{
		{".n * .n > 0", `{"n":` + digits + `}`, ""},
		{".ok", `{"n":[` + digits + `7],"ok":true}`, "has 1001 digits"},
		{".n | tonumber > 0", `{"n":"` + digits + `"}`, ""},
		{".n | tonumber > 0", `{"n":"` + digits + `7"}`, "has 1001 digits"},
		{".n | tonumber > 0", `{"n":"x` + digits + `"}`, "invalid number"},
		{".n | tonumber == 17", `{"n":17}`, ""},
		{".n | fromjson | .a > 0", `{"n":"{\"a\":` + digits + `}"}`, ""},
		{".n | fromjson | .a > 0", `{"n":"{\"a\":` + digits + `7}"}`, "has 1001 digits"},
		{"(.n | fromjson) == .m", `{"n":"\"` + digits + `7x\"","m":"` + digits + `7x"}`, ""},
		{"def tonumber: 3; .n | tonumber == 3", `{"n":"x"}`, ""},
		{".s | length > 0", `{"s":"` + strings.Repeat("s", maxProgramValue) + `"}`, "exceed the jq limit of 8388608"},
	} {
		value, err := decodeForJQ([]byte(tc.value))
		ok := false
		if err == nil {
			_, ok, err = (*Vars)(nil).holds(t.Context(), tc.program, value)
		}
		if tc.want == "" {
			require.NoError(t, err, tc.program)
			require.True(t, ok, tc.program)
			continue
		}
		require.ErrorContains(t, err, tc.want, tc.program)
	}
}

// TestSchemasAreBounded checks that a schema that would take years is stopped.
func TestSchemasAreBounded(t *testing.T) {
	for _, draft := range []string{"https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"} {
		years := fmt.Sprintf(`{"$schema": %q, "definitions": {"d0": {"type": "string"}`, draft)
		for i := range 60 {
			years += fmt.Sprintf(`, "d%d": {"allOf": [{"$ref": "#/definitions/d%d"}, {"$ref": "#/definitions/d%d"}]}`, i+1, i, i)
		}
		years += `}, "allOf": [{"$ref": "#/definitions/d60"}]}`
		_, err := violations([]byte(years), []byte(`"x"`))
		require.ErrorContains(t, err, "the check took too long", draft)
	}
	long := []byte(`"` + strings.Repeat("a", 1<<20) + `"`)
	found, err := violations([]byte(`{"pattern": "a$"}`), long)
	require.NoError(t, err)
	require.Empty(t, found)
	_, err = violations([]byte(`{"allOf": [`+strings.Repeat(`{"pattern": "a$"},`, 100)+`{}]}`), long)
	require.ErrorContains(t, err, "the check took too long")
	_, err = violations([]byte(`{"pattern": "(a?){1000}b"}`), long)
	require.ErrorContains(t, err, "the check took too long", "one pattern of many steps")
	found, err = violations([]byte(`{"format": "date", "items": {"pattern": "^a$"}}`), []byte(`["a", "b"]`))
	require.NoError(t, err)
	require.Equal(t, []jsonschema.Problem{{Path: "/1", Text: "does not match ^a$"}}, found)
	found, err = violations([]byte(`{"format": "date"}`), []byte(`"today"`))
	require.NoError(t, err)
	require.Len(t, found, 1, "formats are still checked")
}

// TestVariablesAreBounded checks that expanding a large captured value cannot exhaust
// memory, in one step or in many.
func TestVariablesAreBounded(t *testing.T) {
	v := (*Vars)(nil).own()
	third := json.RawMessage(`"` + strings.Repeat("x", maxExpanded/3) + `"`)
	require.NoError(t, v.keep("x", third))
	require.NoError(t, v.keep("one", json.RawMessage("1")))
	_, err := v.text(strings.Repeat("x", maxExpanded) + "${one}") // the fastest way
	require.ErrorIs(t, err, errExpanded)
	_, err = v.json([]byte(`["${x}","${x}","${x}"]`))
	require.ErrorIs(t, err, errExpanded)
	_, err = v.json([]byte(`["${x}","${x}"]`))
	require.NoError(t, err)

	const times = maxKept / (maxExpanded / 3)
	n := 1
	for ; err == nil && n < 2*times; n++ {
		require.NoError(t, v.keep("x", third), "the same one again")
		err = v.keep(fmt.Sprint("y", n), third)
	}
	require.ErrorContains(t, err, "captured values exceed 64 MiB")
	require.Equal(t, times, n)
	require.False(t, v.has(fmt.Sprint("y", n-1)))
}

// TestProgramsGetOnlyVariablesTheyName checks that other variables, of which there can
// be thousands, are not passed.
func TestProgramsGetOnlyVariablesTheyName(t *testing.T) {
	known := func(name string) bool { return name != "" && name != "no" }
	for program, want := range map[string][]string{
		".a": nil, "$b + $a_1": {"a_1", "b"}, `"\($a)$" | $no | $a`: {"a"}, "$a-b": {"a"}, "$$a": {"a"}, "$": nil, "$é": nil,
	} {
		require.Equal(t, want, named(program, known), program)
	}
}

// TestBeginning checks how much of a line regular expressions see.
func TestBeginning(t *testing.T) {
	require.Equal(t, "short", beginning("short"))
	require.Len(t, beginning(make([]byte, 1<<20)), maxLooked)
}

// TestPair checks that shortened texts still show their difference.
func TestPair(t *testing.T) {
	c := newConcealer(nil)
	x := strings.Repeat("x", 300)
	for _, tc := range []struct{ name, want, got, wantShown, gotShown string }{
		{"short", "one", "two", "one", "two"},
		{"short, and alike at first", strings.Repeat("x", 100) + "a", strings.Repeat("x", 100) + "b", strings.Repeat("x", 100) + "a", strings.Repeat("x", 100) + "b"},
		{"differ late", x + "a", x + "b", "…" + strings.Repeat("x", maxAlike) + "a", "…" + strings.Repeat("x", maxAlike) + "b"},
		{"one is the beginning of the other", x, x + "b", "…" + strings.Repeat("x", maxAlike), "…" + strings.Repeat("x", maxAlike) + "b"},
		{"differ at once", "a" + x, "b" + x, "a" + x[:maxShown-1] + "…", "b" + x[:maxShown-1] + "…"},
		{"differ beyond the searched part", strings.Repeat("x", maxLooked) + "a", strings.Repeat("x", maxLooked) + "b", "…" + strings.Repeat("x", maxAlike) + "…", "…" + strings.Repeat("x", maxAlike) + "…"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want, got := c.pair(tc.want, tc.got)
			require.Equal(t, tc.wantShown, want)
			require.Equal(t, tc.gotShown, got)
		})
	}
	for cut := range 8 { // within a rune, too
		want, got := c.pair(strings.Repeat("y", cut)+strings.Repeat("€", 100)+"a", strings.Repeat("y", cut)+strings.Repeat("€", 100)+"b")
		require.True(t, utf8.ValidString(want) && utf8.ValidString(got))
		require.NotEqual(t, want, got)
	}
}
