package tty

import (
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// leaveScreen resets all modes that the interface sets in a terminal.
const leaveScreen = ansi.ResetModeSynchronizedOutput + ansi.ResetModifyOtherKeys + "\x1b[<u" + // pops the keyboard mode of kitty
	ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr +
	ansi.ResetModeBracketedPaste + ansi.ResetModeFocusEvent + ansi.ResetModeUnicodeCore +
	ansi.ResetStyle + ansi.SetModeTextCursorEnable + ansi.ResetModeAltScreenSaveCursor

// SaveScreen returns a function that restores the terminal on standard output, for a
// program that has to exit before Run returns.
func SaveScreen() (restore func()) {
	settings := SaveSettings(os.Stdout)
	return func() {
		settings()
		if IsTerminal(os.Stdout) {
			_, _ = os.Stdout.WriteString(leaveScreen) // too late for an error
		}
	}
}

// Save returns a function that restores the terminal, for a program that has to exit
// during ReadLine.
func (t *TTY) Save() (restore func()) { return SaveSettings(t.in) }

// SaveSettings returns a function that restores the settings of a terminal, which belong
// to the device, whichever file opened it.
func SaveSettings(f *os.File) (restore func()) {
	state, err := term.GetState(f.Fd())
	if err != nil {
		return func() {} // not a terminal
	}
	return func() { _ = term.Restore(f.Fd(), state) }
}

const defaultWidth = 80

// Width returns the width of a terminal.
func Width(f *os.File) int {
	if width, _, err := term.GetSize(f.Fd()); err == nil && width > 0 {
		return width
	}
	return defaultWidth
}

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(f.Fd()) }

// LatestSize returns a filter that puts the present size of the terminal into messages.
// The library reads sizes on several goroutines, so an earlier one can arrive last.
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
