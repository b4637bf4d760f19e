package kit

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/paint"
)

// TestFieldIsEdited checks that a field is edited at its cursor, and a secret only at
// its end.
func TestFieldIsEdited(t *testing.T) {
	keys := map[rune]tea.KeyPressMsg{
		'<': {Code: tea.KeyBackspace}, '^': {Code: tea.KeyHome}, '$': {Code: tea.KeyEnd}, 'W': {Code: 'w', Mod: tea.ModCtrl},
	}
	for typed, want := range map[string][2]string{ // plain, secret
		"ab":        {"ab", "ab"},
		"ab<c":      {"ac", "ac"},
		"b^a":       {"ab", "ba"},
		"b^a$c":     {"abc", "bac"},
		"^<<a":      {"a", "a"},
		"one twoW":  {"one ", "one "},
		"one two W": {"one ", "one "},
		"a b^W":     {"a b", "a "},
	} {
		for i, want := range want {
			f := NewField(i == 1)
			for _, r := range typed {
				key, ok := keys[r]
				if !ok {
					key = tea.KeyPressMsg{Code: r, Text: string(r)}
				}
				f.Update(key)
			}
			require.Equal(t, want, string(f.Text), "%q", typed)
			f.Wipe()
			f.Add("x")
			require.Equal(t, "x", string(f.Text))
		}
	}
}

// TestFieldShowsItsCursor checks that the text around the cursor is visible.
func TestFieldShowsItsCursor(t *testing.T) {
	f := NewField(false)
	f.Add("begin " + strings.Repeat("x", 30) + " end")
	shown := func() string {
		var out paint.Lines
		out.Resize(12, 1)
		f.Paint(out.Line(0), &paint.Theme{}, false, true)
		return strings.TrimRight(ansi.Strip(out.Painted(0).String()), " ")
	}
	require.Equal(t, "xxxxxxx end", shown())
	f.Step(-100)
	require.Equal(t, "begin xxxxxx", shown())
	f.Step(3)
	require.Equal(t, "begin xxxxxx", shown())
	f.Step(30)
	require.Equal(t, "xxxxxxxxxxx", shown())
}

// TestTextBoxKeepsText checks that a text that the widget would change is not put into it.
func TestTextBoxKeepsText(t *testing.T) {
	b := NewTextBox("")
	for text, held := range map[string]bool{"two\nlines": true, "a\tb": false, "a\x1bb": false, "\xff": false} {
		b.SetValue(text)
		require.Equal(t, text, b.Value())
		require.Equal(t, held, b.Long == "", "%q", text)
	}
	b.SetValue("a\tb")
	_, err := b.Update(tea.PasteMsg{Content: "x"})
	require.ErrorContains(t, err, "cannot be edited here")
}
