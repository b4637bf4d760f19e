package sshconfig

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMatchPattern(t *testing.T) {
	for _, c := range []struct {
		s, pattern string
		want       bool
	}{
		{"", "", true}, {"", "*", true}, {"a", "", false}, {"abc", "a*c", true}, {"abc", "a?c", true},
		{"abc", "*b", false}, {"abcbd", "*b?", true}, {"abc", "abc**", true}, {"abc", "a*b*c*d", false},
		{strings.Repeat("a", 5000), strings.Repeat("*a", 50) + "b", false}, // fast
	} {
		require.Equal(t, c.want, matchPattern(c.s, c.pattern), "%.20s %.20s", c.s, c.pattern)
	}
}
