package form

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnchecked(t *testing.T) {
	f := props(`"a":{"type":"string","pattern":"^(?!x)"},"b":{"type":"string"}`)
	schema, err := f.compiled()
	require.NoError(t, err)
	require.Equal(t, []string{"^(?!x)"}, schema.Unchecked())
	require.Contains(t, screen(f), "cannot check the pattern ^(?!x)")
	f.Next()
	require.NotContains(t, screen(f), "cannot check")

	f = props(`"a":{"$ref":"https://example.com/x"}`)
	_, err = f.Problems()
	require.ErrorContains(t, err, "which is not loaded")
	require.Contains(t, screen(f), "cannot check: the schema refers to https://example.com/x")
}

func TestProblemsOfFields(t *testing.T) {
	f := formOf(order)
	require.Nil(t, f.problemsOf(t))
	require.True(t, f.FirstError())
	require.Equal(t, "/id", f.Path())
	require.Contains(t, screen(f), " >   id *      E required              whole number")
	press(t, f, "5")
	require.False(t, f.FirstError())

	require.NoError(t, f.SetJSON([]byte(`{"id":1,"lines":[{"sku":"a"},{"n":1.5,"sku":"b","x":1}],"extras":["eggs"]}`)))
	require.Equal(t, []string{"/extras/0: is not one of the listed values", "/lines/1/n: is a number, not an integer"}, f.problemsOf(t))
	require.True(t, f.FirstError())
	require.Equal(t, "/extras", f.Path())
	f.Select("/lines")
	f.Fold(true)
	require.Contains(t, screen(f), " > + lines     2 items                 E see the fields in it")
	require.True(t, f.Select("/lines/1/n"))
	require.Contains(t, screen(f), "E not an integer (you have a number)")
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
