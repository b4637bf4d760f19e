package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"
)

// pickNow is the text under the cursor of a picker.
func pickNow(p *picker) string {
	i, ok := p.current()
	if !ok {
		return ""
	}
	return p.items[i]
}

func TestPicker(t *testing.T) {
	var p picker
	require.Empty(t, pickNow(&p), "the zero value has nothing")
	p.set([]string{"resend", "restart", "copy", "close stdin"})
	require.Equal(t, "resend", pickNow(&p))

	p.move(actDown)
	require.Equal(t, "restart", pickNow(&p))
	p.set([]string{"new", "resend", "restart", "copy", "close stdin"})
	require.Equal(t, "restart", pickNow(&p), "the cursor stays where it was")
	p.move(actBottom)
	p.move(actDown)
	require.Equal(t, "close stdin", pickNow(&p), "it stops at the end")
	p.move(actTop)
	p.move(actUp)
	require.Equal(t, "new", pickNow(&p))

	require.True(t, p.typed(tea.KeyPressMsg{Code: 'c', Text: "c"}))
	require.True(t, p.typed(tea.PasteMsg{Content: "s\x1bt\n"}))
	require.Equal(t, "cst", p.query, "controls are not taken")
	require.Equal(t, "close stdin", pickNow(&p), "letters in their order")
	require.Len(t, p.shown, 1)
	require.True(t, p.typed(tea.KeyPressMsg{Code: tea.KeyBackspace}))
	require.False(t, p.typed(tea.KeyPressMsg{Code: 'x', Mod: tea.ModCtrl}))
	require.True(t, p.typed(tea.KeyPressMsg{Code: 'z', Text: "z"}))
	require.Empty(t, pickNow(&p), "nothing matches")
	p.move(actDown)
	require.True(t, p.clear())
	require.False(t, p.clear())
	require.Len(t, p.shown, 5)
}
