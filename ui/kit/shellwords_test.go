package kit

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQuoteWord(t *testing.T) {
	for word, want := range map[string]string{
		"": "''", "a-b_c.d/e:f=g@h,1+%": "a-b_c.d/e:f=g@h,1+%", "a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "é": "'é'", "a\nb": "'a\nb'",
	} {
		require.Equal(t, want, QuoteWord(word))
	}
}
