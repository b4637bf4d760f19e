package host

import (
	"charm.land/bubbles/v2/key"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
)

// A Dialog covers the panes until it is answered. It is a question if Yes is
// set; the default answer is no.
type Dialog struct {
	Title string
	Lines []string // may be untrusted text
	Yes   func(Context) tea.Cmd
	// Always is a second yes, which also prevents the question next time; nil if there is
	// none.
	Always func(Context) tea.Cmd
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
	Limit int // characters; 0 for those of a filter
	// Accept takes the text. On an error the prompt stays open and shows it.
	Accept func(Context, string) (tea.Cmd, error)
	// Check reports errors while the user types; nil accepts any text.
	Check func(text string) error
	// Complete returns the completions of a text; nil has none.
	Complete func(text string) []string
	// Cancelled undoes the effects of typing; nil if there are none.
	Cancelled func()
}

// Dialog draws a block as a dialog, with the keys of a scope in its border.
func (c Context) Dialog(scope string, r paint.Rect, title, right string, block *paint.Lines) {
	screen := c.Host.Screen()
	screen.Dialog(r, kit.Dialog{Title: title, Right: right, Keys: c.Keys(scope, r)}, block)
}

// Keys returns the keys of a scope that fit below a dialog.
func (c Context) Keys(scope string, r paint.Rect) []key.Binding {
	return c.Host.Actions().Footer(nil, scope, c, r.W-6)
}

// Block empties a block and gives it the size of a rectangle.
func (c Context) Block(block *paint.Lines, r paint.Rect) *paint.Lines {
	block.Options = c.Host.Screen().Look()
	block.Resize(r.W, r.H)
	return block
}

// A Menu is most of a view that is a box with a picker, drawn by its owner with Box.
type Menu struct {
	kit.Picker
	Of  string // the scope of its actions
	box paint.Lines
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

// Box draws the menu in the middle of the screen, at most width cells wide; item paints
// what follows the cursor's mark.
func (m *Menu) Box(c Context, width int, title string, item func(l *paint.Line, i int)) {
	on := c.Host.Screen()
	r := on.Body().Center(min(width, on.Width-2), min(len(m.Items)+3, on.Height-2))
	c.Block(&m.box, r.Inner())
	if _, h := m.box.Size(); h > 0 {
		m.PaintQuery(on, m.box.Line(0), "type to narrow the list")
	}
	m.Paint(on, &m.box, 1, func(l *paint.Line, p kit.Pick) { item(l, p.Item) })
	c.Dialog(m.Of, r, title, "", &m.box)
}
