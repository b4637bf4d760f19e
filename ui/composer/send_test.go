package composer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": 1}`:                   `{"a": 1}`,
		"{\"a\": 1.0,\n \"b\":[]}\n": `{"a":1.0,"b":[]}`,
		"\n{\"a\": 1}\r\n":           `{"a": 1}`,
	} {
		got, err := oneLine(text)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	got, err := oneLine("two\nlines")
	require.Error(t, err)
	require.Equal(t, "two\nlines", string(got))
	_, err = oneLine(" \n ")
	require.ErrorIs(t, err, errEmpty)
}
