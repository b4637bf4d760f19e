package kit

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// TestRowMarks checks that each mark has a glyph of its own of one cell, with and without
// ASCII, and that letters are reversed.
func TestRowMarks(t *testing.T) {
	reversed := paint.Reversed()
	screen := Screen{Theme: paint.NewTheme(paint.Options{Profile: paint.TrueColor})}
	for _, ascii := range []bool{false, true, false} {
		screen.ASCII = ascii
		glyphs := map[string]Mark{}
		for m := NoMark + 1; m < markCount; m++ {
			style, glyph := screen.Mark(m)
			require.Equal(t, 1, termsafe.Width(glyph), "mark %d", m)
			require.NotContains(t, glyphs, glyph)
			require.NotEqual(t, "!", glyph, "the key why")
			glyphs[glyph] = m
			letter := glyph[0] >= 'A' && glyph[0] <= 'Z' || glyph[0] >= 'a' && glyph[0] <= 'z'
			if ascii {
				require.Len(t, glyph, 1)
				require.Less(t, glyph[0], byte(utf8.RuneSelf))
			}
			require.Equal(t, letter, style == m.style(screen.Theme).With(reversed), "%s is reversed", glyph)
			require.NotEmpty(t, m.Info().Words)
		}
	}
	screen.Theme = paint.NewTheme(paint.Options{Light: true})
	style, _ := screen.Mark(Failed)
	require.Equal(t, screen.Theme.Failed, style, "the marks follow the theme")
}
