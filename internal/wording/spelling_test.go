package wording

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

func TestNear(t *testing.T) {
	known := []string{"echo", "each", "add", "echo_all", "man", "run", "a"}
	for word, want := range map[string][]string{
		"ech": {"echo", "each", "echo_all"}, "ECHO": {"echo", "echo_all"}, "ad": {"add"}, "rnu": {"run"},
		"tap": nil, "frobnicate": nil, "": nil, strings.Repeat("x", longest+1): nil,
	} {
		require.Equal(t, want, Near(word, known), word)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"rnu", "run", 1}, {"abcd", "badc", 2}, {"flaw", "lawn", 2}} {
		require.Equal(t, c.want, distance(c.a, c.b))
		require.Equal(t, c.want, distance(c.b, c.a))
	}
}
