package kit

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"
)

// pickNow returns the text under the cursor of a picker.
func pickNow(p *Picker) string {
	i, ok := p.Current()
	if !ok {
		return ""
	}
	return p.Items[i]
}

func TestPicker(t *testing.T) {
	var p Picker
	require.Empty(t, pickNow(&p), "the zero value is empty")
	p.Set([]string{"resend", "restart", "copy", "close stdin"})
	require.Equal(t, "resend", pickNow(&p))

	p.Move(Down)
	require.Equal(t, "restart", pickNow(&p))
	p.Set([]string{"new", "resend", "restart", "copy", "close stdin"})
	require.Equal(t, "restart", pickNow(&p), "the cursor stays where it was")
	p.Move(Bottom)
	p.Move(Down)
	require.Equal(t, "close stdin", pickNow(&p), "it stops at the end")
	p.Move(Top)
	p.Move(Up)
	require.Equal(t, "new", pickNow(&p))

	require.True(t, p.Typed(tea.KeyPressMsg{Code: 'c', Text: "c"}))
	require.True(t, p.Typed(tea.PasteMsg{Content: "s\x1bt\n"}))
	require.Equal(t, "cst ", p.Query, "control characters are dropped, and a line end is a blank")
	require.True(t, p.Ask("cst"))
	require.Equal(t, "close stdin", pickNow(&p), "letters match in order")
	require.Len(t, p.Shown, 1)
	require.True(t, p.Typed(tea.KeyPressMsg{Code: tea.KeyBackspace}))
	require.False(t, p.Typed(tea.KeyPressMsg{Code: 'x', Mod: tea.ModCtrl}))
	require.True(t, p.Typed(tea.KeyPressMsg{Code: 'z', Text: "z"}))
	require.Empty(t, pickNow(&p), "nothing matches")
	p.Move(Down)
	p.Clear()
	require.Len(t, p.Shown, 5)
}

// TestHistoryKeepsTheDraft checks that going back and forth returns what had been typed.
func TestHistoryKeepsTheDraft(t *testing.T) {
	var h History
	require.Equal(t, "typed", h.Step(-1, "typed"), "nothing is earlier")
	h.Add("one")
	h.Add("two")
	require.Equal(t, "two", h.Step(-1, "typed"))
	require.Equal(t, "one", h.Step(-1, "two"))
	require.Equal(t, "two", h.Step(1, "one"))
	require.Equal(t, "typed", h.Step(1, "two"))
}
