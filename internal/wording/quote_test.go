package wording

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{"": "''", "a-b_c./d:e,f@g+": "a-b_c./d:e,f@g+", "a b": "'a b'", "it's": `'it'\''s'`, "a=b": "'a=b'", "~/x": "'~/x'", "é": "'é'"} {
		require.Equal(t, want, ShellWord(word, ""))
	}
	require.Equal(t, "A=~/x%", Quote("A=~/x%"))
	require.Equal(t, "run 'a b'", CommandLine([]string{"run", "a b"}))
}

func TestPointer(t *testing.T) {
	require.Equal(t, "/a~1b/~0c~01/", Pointer("a/b", "~c~1", ""))
	require.Empty(t, Pointer())
	for _, name := range []string{"", "a/b", "~", "~0", "~1/~01"} {
		require.Equal(t, name, UnescapePointer(EscapePointer(name)))
	}
}
