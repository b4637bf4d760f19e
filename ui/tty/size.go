package tty

import (
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

// LatestSize returns a filter that replaces the size in a message by the size that
// the terminal has now. The library reads sizes on several goroutines, so that an
// earlier one can arrive last.
func LatestSize(out *os.File) func(tea.Model, tea.Msg) tea.Msg {
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		if _, ok := msg.(tea.WindowSizeMsg); ok {
			if width, height, err := term.GetSize(out.Fd()); err == nil && width > 0 && height > 0 {
				return tea.WindowSizeMsg{Width: width, Height: height}
			}
		}
		return msg
	}
}
