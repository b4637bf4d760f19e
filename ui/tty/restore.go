package tty

import (
	"os"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// leaveScreen resets all modes that the interface sets in a terminal.
const leaveScreen = ansi.ResetModeSynchronizedOutput + ansi.ResetModifyOtherKeys + "\x1b[<u" + // pops the keyboard mode of kitty
	ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr +
	ansi.ResetModeBracketedPaste + ansi.ResetModeFocusEvent + ansi.ResetModeUnicodeCore +
	ansi.ResetStyle + ansi.SetModeTextCursorEnable + ansi.ResetModeAltScreenSaveCursor

// SaveScreen returns a function that restores the present state of the terminal
// on standard output, for a program that has to exit before Run returns.
func SaveScreen() (restore func()) {
	settings := SaveSettings(os.Stdout)
	return func() {
		settings()
		if IsTerminal(os.Stdout) {
			_, _ = os.Stdout.WriteString(leaveScreen) // an error cannot be handled any more
		}
	}
}

// Save returns a function that restores the present state of the terminal, for a
// program that has to exit during ReadLine.
func (t *TTY) Save() (restore func()) { return SaveSettings(t.in) }

// SaveSettings returns a function that restores the settings of a terminal. The
// settings belong to the device, whichever file opened it.
func SaveSettings(f *os.File) (restore func()) {
	state, err := term.GetState(f.Fd())
	if err != nil {
		return func() {} // not a terminal
	}
	return func() { _ = term.Restore(f.Fd(), state) }
}

// defaultWidth is the width of a terminal of unknown size.
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
