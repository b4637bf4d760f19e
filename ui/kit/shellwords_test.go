package kit

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"": "''", "a-b_c.d/e:f=g@h,1+%": "a-b_c.d/e:f=g@h,1+%", "a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "é": "'é'", "a\nb": "'a\nb'",
	} {
		require.Equal(t, want, QuoteWord(word))
	}
}

func TestSplitWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                            nil,
		"  a  b ":                     {"a", "b"},
		`a 'b c' "d e" f\ g`:          {"a", "b c", "d e", "f g"},
		`'it'\''s' "a\"b" "\n" ''`:    {"it's", `a"b`, `\n`, ""},
		`x=${NAME} "$HOME" --a="b c"`: {"x=${NAME}", "$HOME", "--a=b c"},
	} {
		got, err := SplitWords(text)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
		back, err := SplitWords(QuoteWords(got))
		require.NoError(t, err)
		require.Equal(t, got, back)
	}
	for _, text := range []string{"'", `"a\"`, `a\`} {
		_, err := SplitWords(text)
		require.Error(t, err, text)
	}
}
