package jq

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// run returns the results of a program as JSON.
func run(t *testing.T, program, input string) (results []string, err error) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(input))
	d.UseNumber()
	var value any
	require.NoError(t, d.Decode(&value))
	code, err := Compile(program)
	if err != nil {
		return nil, err
	}
	err = Run(t.Context(), code, 1<<30, value, nil, func(result any) bool {
		text, err := json.Marshal(result)
		require.NoError(t, err)
		results = append(results, string(text))
		return len(results) < 3
	})
	return results, err
}

func TestRun(t *testing.T) {
	for _, tc := range []struct {
		program, input string
		want           []string
		err            string
	}{
		{".a[].b", `{"a":[{"b":1},{"b":"x"}]}`, []string{"1", `"x"`}, ""},
		{"empty", `null`, nil, ""},
		{"range(infinite)", `null`, []string{"0", "1", "2"}, ""},
		{"1, halt, 2", `null`, []string{"1"}, ""},
		{`1, error("no")`, `null`, []string{"1"}, "no"},
		{".a", `[]`, nil, "expected an object but got: array"},
		{".a.[", `{}`, nil, "byte 5: unexpected EOF"},
		{".a..", `{}`, nil, `byte 3: unexpected token ".."`},
		{".a ]", `{}`, nil, `byte 4: unexpected token "]"`},
		{"nope", `{}`, nil, "function not defined: nope/0"},
		{"input", `{}`, nil, "input(s)/0 is not allowed"},
		{"env", `{}`, []string{"{}"}, ""},
		{".n | tonumber", `{"n":"` + strings.Repeat("7", MaxDigits+1) + `"}`, nil, "has 1001 digits, the limit is 1000"},
		{".n | fromjson", `{"n":"[` + strings.Repeat("7", MaxDigits+1) + `]"}`, nil, "has 1001 digits"},
	} {
		got, err := run(t, tc.program, tc.input)
		require.Equal(t, tc.want, got, tc.program)
		if tc.err == "" {
			require.NoError(t, err, tc.program)
		} else {
			require.ErrorContains(t, err, tc.err, tc.program)
		}
	}
}

func TestVariables(t *testing.T) {
	code, err := Compile("$a + .", "$a")
	require.NoError(t, err)
	require.NoError(t, Run(t.Context(), code, 1<<30, 1, []any{2}, func(result any) bool {
		require.Equal(t, 3, result)
		return true
	}))
}

// TestRunIsBounded checks that a program cannot exhaust memory or run on forever.
func TestRunIsBounded(t *testing.T) {
	code, err := Compile(`[limit(1e9; repeat("x" * 100000))]`)
	require.NoError(t, err)
	all := func(any) bool { return true }
	require.ErrorIs(t, Run(t.Context(), code, 16<<20, nil, nil, all), ErrMemory)

	code, err = Compile("range(infinite) | empty")
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("no time")
	cancel(why)
	require.ErrorIs(t, Run(ctx, code, 1<<30, nil, nil, all), why)
}

func TestFits(t *testing.T) {
	deep := any("x")
	for range MaxLevels {
		deep = []any{deep}
	}
	shared := any("x")
	for range 100 {
		shared = map[string]any{"a": shared, "b": shared}
	}
	for _, tc := range []struct {
		value any
		limit int
		want  bool
	}{
		{"0123456789", 12, true},
		{"0123456789", 9, false},
		{[]any{"01234", "56789"}, 20, true},
		{[]any{"01234", "56789"}, 10, false},
		{map[string]any{"0123456789": nil}, 9, false},
		{deep, 1 << 20, false},
		{shared, 1 << 20, false},
	} {
		require.Equal(t, tc.want, Fits(tc.value, tc.limit), "%.100v", tc.limit)
	}
}

// FuzzCompile checks that no program makes the compiler panic.
func FuzzCompile(f *testing.F) {
	for _, program := range []string{".", ".a[0].\"b c\"", "reduce .[] as $x (0; . + $x)", "def f(g): g; f(.a)", `"\(1 + 2)"`, "try error catch .", ".a..", "@base64d", "label $x | break $x"} {
		f.Add(program)
	}
	f.Fuzz(func(t *testing.T, program string) {
		if len(program) > 1<<10 {
			return
		}
		code, err := Compile(program)
		require.NotEqual(t, code == nil, err == nil)
	})
}
