package scenario

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestPair checks that shortened texts still show their difference.
func TestPair(t *testing.T) {
	c := newConcealer(nil)
	x := strings.Repeat("x", 300)
	for _, tc := range []struct{ name, want, got, wantShown, gotShown string }{
		{"short", "one", "two", "one", "two"},
		{"short, and alike at first", strings.Repeat("x", 100) + "a", strings.Repeat("x", 100) + "b", strings.Repeat("x", 100) + "a", strings.Repeat("x", 100) + "b"},
		{"differ late", x + "a", x + "b", "…" + strings.Repeat("x", maxAlike) + "a", "…" + strings.Repeat("x", maxAlike) + "b"},
		{"one is the beginning of the other", x, x + "b", "…" + strings.Repeat("x", maxAlike), "…" + strings.Repeat("x", maxAlike) + "b"},
		{"differ at once", "a" + x, "b" + x, "a" + x[:maxShown-1] + "…", "b" + x[:maxShown-1] + "…"},
		{"differ beyond the searched part", strings.Repeat("x", maxLooked) + "a", strings.Repeat("x", maxLooked) + "b", "…" + strings.Repeat("x", maxAlike) + "…", "…" + strings.Repeat("x", maxAlike) + "…"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want, got := c.pair(tc.want, tc.got)
			require.Equal(t, tc.wantShown, want)
			require.Equal(t, tc.gotShown, got)
		})
	}
	for cut := range 8 { // within a rune, too
		want, got := c.pair(strings.Repeat("y", cut)+strings.Repeat("€", 100)+"a", strings.Repeat("y", cut)+strings.Repeat("€", 100)+"b")
		require.True(t, utf8.ValidString(want) && utf8.ValidString(got))
		require.NotEqual(t, want, got)
	}
}
