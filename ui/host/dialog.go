package host

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/kit"
)

// A Dialog covers the panes until it is answered. It is a question if Yes is
// set; the default answer is no.
type Dialog struct {
	Title string
	Lines []string // may be untrusted text
	Yes   func(Context) tea.Cmd
	// Always is a second yes, which also prevents the question next time; nil if there is
	// none. AlwaysText is what it does.
	Always     func(Context) tea.Cmd
	AlwaysText string
	// No is what the default answer does instead: "keep it".
	No    string
	About Subject
}

// A Subject is what a dialog is about, to close it once it no longer applies.
type Subject uint8

// The subjects of dialogs.
const (
	AboutAction Subject = iota // what the user is about to do
	AboutStart                 // a server that did not start
	AboutWatch                 // a round of a watch
	AboutQuit                  // the end of the program
)

// Add adds a paragraph, unless it is empty.
func (d *Dialog) Add(title string, lines ...string) {
	text := strings.TrimSpace(strings.Join(lines, "\n"))
	if text == "" {
		return
	}
	d.Lines = append(d.Lines, "", title)
	for line := range strings.SplitSeq(text, "\n") {
		d.Lines = append(d.Lines, "  "+line)
	}
}

// A Prompt is a line of text that the user types in place of the footer.
type Prompt struct {
	Label string
	Hint  string // shown while the text is empty
	Text  string
	// Accept takes the text. On an error the prompt stays open and shows it.
	Accept func(Context, string) (tea.Cmd, error)
	// Check reports errors while the user types; nil accepts any text.
	Check func(text string) error
	// Complete returns the completions of a text; nil has none.
	Complete func(text string) []string
	// Cancelled undoes the effects of typing; nil if there are none.
	Cancelled func()
}

// A Menu is most of a view that is a box with a picker, drawn by its owner with Box.
type Menu struct {
	kit.Menu
	Of string // the scope of its actions
}

// Scope implements View.
func (m *Menu) Scope() string { return m.Of }

// Picks returns the picker that the movement actions move.
func (m *Menu) Picks() *kit.Picker { return &m.Picker }

// Update narrows the list by typed text.
func (m *Menu) Update(_ Context, msg tea.Msg) tea.Cmd {
	m.Typed(msg)
	return nil
}
