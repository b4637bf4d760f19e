package framing

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCursorTokens(t *testing.T) {
	for text, want := range map[string][]string{
		` { "a" : [1.5e+3,true , null],"\"}" :"\\"}` + "\n": {`{`, `"a"`, `:`, `[`, `1.5e+3`, `,`, `true`, `,`, `null`, `]`, `,`, `"\"}"`, `:`, `"\\"`, `}`},
		`1/*"*/`:  {`1`, `/`, `*`, `"*/`},
		"a\x00é":  {"a", "\x00", "\xc3", "\xa9"},
		`"\"`:     {`"\"`},
		" \t\r\n": nil,
		``:        nil,
	} {
		c, got := Cursor{Data: []byte(text)}, []string(nil)
		for token := range c.Tokens() {
			got = append(got, string(token))
		}
		require.Equal(t, want, got, text)
		require.Equal(t, len(text), c.At, text)
	}
}

func TestCursorOfCutText(t *testing.T) {
	const text = `{"a":[{"b":"c\"d"}],"e":1}`
	for n := range len(text) {
		c := Cursor{Data: []byte(text[:n])}
		require.Equal(t, text[:n], string(c.Value()))
		require.Equal(t, n > 0, c.Cut, n)
	}
	for text, want := range map[string]string{`"a\"`: `a\"`, `"`: "", `"a"`: "a", ` "" `: "", `1`: ""} {
		c := Cursor{Data: []byte(text)}
		require.Equal(t, want, string(c.Text()), text)
		require.Equal(t, strings.Count(text, `"`) == 1 || strings.HasSuffix(text, `\"`), c.Cut, text)
	}
}

// TestCursorAllocatesNothing walks a message in each way.
func TestCursorAllocatesNothing(t *testing.T) {
	line := []byte(scanSeeds[0])
	require.Zero(t, testing.AllocsPerRun(100, func() {
		c := Cursor{Data: line}
		for range c.Tokens() {
			c.Peek()
		}
		for c.At = 1; c.Item(); c.Value() {
			c.Name()
		}
	}))
}

// FuzzCursor compares the cursor with encoding/json. In text that is not JSON it must
// move on until the end.
func FuzzCursor(f *testing.F) {
	for _, seed := range scanSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, tokens := Cursor{Data: text}, 0
		for token := range c.Tokens() {
			require.NotEmpty(t, token)
			tokens++
		}
		require.Equal(t, len(text), c.At)
		items := 0
		for c.At = 0; c.Item(); items++ {
			c.Name()
			c.Value()
			require.LessOrEqual(t, c.At, len(text))
		}
		require.LessOrEqual(t, items, len(text))
		if !json.Valid(text) {
			return
		}
		c = Cursor{Data: text}
		require.Equal(t, string(bytes.TrimSpace(text)), string(c.Value()))
		require.False(t, c.Cut)
		var want bytes.Buffer
		require.NoError(t, json.Compact(&want, text))
		c.At = 0
		require.Equal(t, want.String(), string(bytes.Join(slices.Collect(c.Tokens()), nil)))
		requireParts(t, text)
	})
}

// requireParts compares the members and elements of a value, and theirs.
func requireParts(t *testing.T, value []byte) {
	c := Cursor{Data: value}
	switch c.Peek() {
	case '{':
		want := map[string]json.RawMessage{}
		require.NoError(t, json.Unmarshal(value, &want))
		got := map[string]json.RawMessage{}
		for c.Token(); c.Item(); {
			var name string
			require.NoError(t, json.Unmarshal([]byte(`"`+string(c.Name())+`"`), &name))
			got[name] = c.Value()
			requireParts(t, got[name])
		}
		require.Equal(t, want, got)
	case '[':
		want := []json.RawMessage{}
		require.NoError(t, json.Unmarshal(value, &want))
		got := []json.RawMessage{}
		for c.Token(); c.Item(); {
			got = append(got, c.Value())
			requireParts(t, got[len(got)-1])
		}
		require.Equal(t, want, got)
	case '"':
		require.Equal(t, string(bytes.TrimSpace(value)), `"`+string(c.Text())+`"`)
	}
	c.Value()
	require.Zero(t, c.Peek())
	require.Equal(t, len(value), c.At)
}
