package ui

import (
	"fmt"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
)

const (
	// maxCopy is the longest message that is copied, in bytes.
	maxCopy = 1 << 20
	// commonClipboard is what many terminals take at most: 100,000 bytes of
	// base64.
	commonClipboard = 74_000
)

// copySelected copies the selected message to the terminal's clipboard.
func (a *App) copySelected() tea.Cmd {
	source, row := a.source, a.selected.row
	return func() tea.Msg {
		e, err := source.Entry(row, maxCopy)
		switch {
		case err != nil:
			return result{what: "copy", err: err}
		case e.Cut:
			return result{what: "copy", err: fmt.Errorf("%s is too much for a clipboard", size(e.FullSize))}
		}
		text := string(e.Payload)
		if !e.Kind.IsStream() {
			text = session.Describe(&e)
		}
		return toClipboard("message", text, false)
	}
}

// pasteable leaves out of a text what would do something, or hide something,
// where it is pasted: controls, and what is not seen, such as marks that change
// the direction of text, or have no width. JSON without them means the same,
// unless they stand in a string.
func pasteable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, text)
}

// windowTitle is the title of the terminal's window: nothing in it may come
// from outside but letters, digits and a few marks.
func windowTitle(program string) string {
	safe := strings.Map(func(r rune) rune {
		if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./@ ", r)) {
			return r
		}
		return -1
	}, program)
	const longest = 60
	return "mcpdbg " + safe[:min(len(safe), longest)]
}
