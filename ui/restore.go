package ui

import (
	"os"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// leaveScreen ends all modes that the interface sets in a terminal.
const leaveScreen = ansi.ResetModeSynchronizedOutput + ansi.ResetModifyOtherKeys + "\x1b[<u" + // pops the keyboard mode of kitty
	ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr +
	ansi.ResetModeBracketedPaste + ansi.ResetModeFocusEvent + ansi.ResetModeUnicodeCore +
	ansi.ResetStyle + ansi.SetModeTextCursorEnable + ansi.ResetModeAltScreenSaveCursor

// SaveScreen returns a function that puts the terminal on standard output back
// into its present state, for a program that has to exit while Run still runs.
func SaveScreen() (restore func()) {
	settings := saveTerminal(os.Stdout)
	return func() {
		settings()
		if IsTerminal(os.Stdout) {
			_, _ = os.Stdout.WriteString(leaveScreen) // there is nothing left to do about an error
		}
	}
}

// Save returns a function that puts the terminal back into its present state, for
// a program that has to exit during ReadLine.
func (t *TTY) Save() (restore func()) { return saveTerminal(t.in) }

// saveTerminal returns a function that restores the settings of a terminal. They
// are those of the device, whichever file it is opened by.
func saveTerminal(f *os.File) (restore func()) {
	state, err := term.GetState(f.Fd())
	if err != nil {
		return func() {} // not a terminal
	}
	return func() { _ = term.Restore(f.Fd(), state) }
}
