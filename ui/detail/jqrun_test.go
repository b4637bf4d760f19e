package detail

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestQuery(t *testing.T) {
	for _, tc := range []struct{ doc, expression, want, summary, err string }{
		{`{"a":{"b":1.50}}`, ".a.b", "1.50", "1 result", ""},
		{`{"a":[1,2]}`, ".a[]", "[1,2]", "2 results", ""},
		{`{"a":[1,2]}`, "empty", "[]", "0 results", ""},
		{`{"a":"\u001b[2J"}`, ".a", `"\u001b[2J"`, "1 result", ""},
		{`[]`, "range(infinite)", "", "1,000 results shown; there are more", ""},
		{`[]`, `1, "x" * 10000000`, "[1]", "1 result shown; the next one exceeds 8.0M in all", ""},
		{`[]`, `"x" * 10000000`, "", "", "the result is larger than 8.0M"},
		{`[]`, `reduce range(100) as $i (1; [., .])`, "", "", "the result is larger than 8.0M"},
		{`{"a":1}`, ".a.b", "", "", "expected an object but got: number (1)"},
		{`{"a":1}`, ".a ]", "", "", `byte 4: unexpected token "]"`},
		{`{"a":1}`, "range(infinite) | empty", "", "", "not finished within 500ms"},
		{`{"a":1} `, "input", "", "", "input(s)/0 is not allowed"},
		{`{"a":`, ".", "", "", "the message is not valid JSON"},
		{`[` + strings.Repeat("7", 2000) + `]`, ".", "", "", "has 2000 digits, the limit is 1000"},
	} {
		q := &queried{doc: []byte(tc.doc)}
		r := q.query(t.Context(), tc.expression, typing)
		if tc.err != "" {
			require.ErrorContains(t, r.err, tc.err, tc.expression)
			continue
		}
		require.NoError(t, r.err, tc.expression)
		require.Equal(t, tc.summary, r.summary, tc.expression)
		if tc.want != "" {
			require.Equal(t, tc.want, string(r.doc), tc.expression)
		}
	}
}

// TestQueryIsBounded checks that a run ends with its context, and that a message is
// not decoded if that takes too much memory.
func TestQueryIsBounded(t *testing.T) {
	q := &queried{doc: []byte("[]")}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel) // there is no event for a run that does not end
	r := q.query(ctx, "range(infinite) | empty", asked)
	require.ErrorIs(t, r.err, context.Canceled)
	require.Error(t, q.query(ctx, ".", asked).err, "nor does it begin")

	q = &queried{doc: make([]byte, maxQueried+1)}
	require.EqualError(t, q.query(t.Context(), ".", asked).err, "the message has 64.0M, the limit is 64.0M")
}

func TestSplitMember(t *testing.T) {
	for _, tc := range []struct {
		expression, head, name string
		ok                     bool
	}{
		{".", "", "", true},
		{".na", "", "na", true},
		{".a[0].b_1", ".a[0]", "b_1", true},
		{".a | map(.x", ".a | map(", "x", true},
		{`."odd key".x`, `."odd key"`, "x", true},
		{"", "", "", false},
		{"keys", "", "", false},
		{".a[0]", "", "", false},
	} {
		head, name, ok := splitMember(tc.expression)
		require.Equal(t, tc.ok, ok, tc.expression)
		if ok {
			require.Equal(t, []string{tc.head, tc.name}, []string{head, name}, tc.expression)
		}
	}
}

func TestNamesAt(t *testing.T) {
	q := &queried{doc: []byte(`{"a":[{"name":1,"title":2},{"name":3}],"b c":{"d":null}}`)}
	for head, want := range map[string][]string{
		"":              {"a", "b c"},
		".a[]":          {"name", "title"},
		".a[0] | ":      {"name", "title"},
		`."b c"`:        {"d"},
		".a | map(":     {"a", "b c", "name", "title", "d"},
		".nowhere":      {"a", "b c", "name", "title", "d"},
		"error(":        {"a", "b c", "name", "title", "d"},
		".a[0].name | ": {"a", "b c", "name", "title", "d"},
	} {
		names, err := q.namesAt(t.Context(), head)
		require.NoError(t, err, head)
		require.Equal(t, want, names, head)
	}
	var many strings.Builder
	for i := range 2 * maxNames {
		fmt.Fprintf(&many, `"n%d":0,`, i)
	}
	names, err := (&queried{doc: []byte("{" + many.String() + `"z":0}`)}).namesAt(t.Context(), "")
	require.NoError(t, err)
	require.Len(t, names, maxNames)
}

// FuzzSplitMember checks that an expression is only ever cut, and names are found for
// any of its parts.
func FuzzSplitMember(f *testing.F) {
	for _, expression := range []string{".", ".a.b", ".a[0].", "..x", "é.a", `.""`} {
		f.Add(expression)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		head, name, ok := splitMember(expression)
		if ok {
			require.Equal(t, expression, head+"."+name)
		}
	})
}
