package spelling

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	known := []string{"expect", "except", "tool", "Name", strings.Repeat("x", longest+1)}
	for word, want := range map[string]string{
		"expect": "expect", "expcet": "expect", "excpt": "except", "TOOLS": "tool", "NAM": "Name",
		"capture": "", strings.Repeat("x", longest+1): "", strings.Repeat("x", longest): "",
	} {
		require.Equal(t, want, Nearest(word, known), word)
	}
	require.Empty(t, Nearest("a", nil))
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 2}, {"flaw", "lawn", 2}} {
		require.Equal(t, c.want, distance(c.a, c.b))
		require.Equal(t, c.want, distance(c.b, c.a))
	}
}
