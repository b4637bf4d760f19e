package copies

import (
	"errors"
	"fmt"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
)

// The actions of the copy menu.
const (
	actCopyMenu  = "copy-menu"
	actCopyThis  = "copy-this"
	actWriteThis = "write-this"
)

// ScopeCopy is the scope of the copy menu.
const ScopeCopy = "copy"

// CopyActions are those of the copy menu.
func CopyActions() []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: actCopyMenu, Keys: []string{"y"}, Scope: keymap.Global, Title: "copy", Synonyms: []string{"save", "clipboard", "curl", "command line", "shell"}, Help: "Copy or write to a file: the message, a value, its path, or a command line that re-sends it.", Priority: 66, Enabled: host.HasSelection}, Do: openMenu},
		{Entry: host.Entry{ID: actCopyThis, Keys: []string{"enter"}, Scope: ScopeCopy, Title: "copy", Help: "Copy to the terminal's clipboard (OSC 52).", Priority: 90}, Do: host.On(copyThis)},
		{Entry: host.Entry{ID: actWriteThis, Keys: []string{"ctrl+s"}, Scope: ScopeCopy, Title: "write to a file", Help: "Enter a name and write a new file.", Priority: 80}, Do: host.On(writeThis)},
		host.Override(host.Entry{Name: host.CloseName, ID: "close-copy", Scope: ScopeCopy, Help: "Close the menu.", Priority: 70}),
	}
}

type copyable struct {
	name   string
	shown  string // after the name in the menu; may be empty
	kind   string // if not empty, the report has it and what is shown, instead of the name
	suffix string // of a file name
	text   func() (string, error)
	lines  bool // has several lines, with line breaks added by mcpdbg
}

type copyMenu struct {
	host.Menu
	forms []copyable
	n     int // number of the row, for a file's name
}

// Nil if nothing matches.
func (m *copyMenu) chosen() *copyable {
	i, ok := m.Current()
	if !ok {
		return nil
	}
	return &m.forms[i]
}

func openMenu(c host.Context) tea.Cmd {
	m := &copyMenu{Menu: host.Menu{Of: ScopeCopy}, forms: copyables(c), n: c.Workspace.EntryRow(c.Workspace.Selected.Number) + 1}
	names := make([]string, len(m.forms))
	for i, f := range m.forms {
		names[i] = f.name
	}
	m.Set(names)
	c.Host.Open(c.Workspace, m)
	return nil
}

const (
	// menuWidth is the width of the menu including its border.
	menuWidth = 60
	// shownAt is the column after the names.
	shownAt = 26
)

func (m *copyMenu) Draw(c host.Context) {
	m.Box(c, menuWidth, "Copy", func(l *paint.Line, i int) {
		l.Text(paint.Style{}, m.forms[i].name)
		if shown := m.forms[i].shown; shown != "" {
			l.PadTo(shownAt)
			l.Text(c.Host.Screen().Theme.Dim, shown)
		}
	})
}

func copyThis(c host.Context, m *copyMenu) tea.Cmd {
	f := m.chosen()
	if f == nil {
		return nil
	}
	c.Host.Close(m)
	instead := writeInstead(c)
	return func() tea.Msg {
		text, err := f.text()
		if err != nil {
			return host.Result{What: "copy", Err: err}
		}
		name := f.name
		if f.kind != "" {
			name = f.shown
		}
		return host.Clipboard(name, f.kind, text, instead, f.lines)
	}
}

func writeInstead(c host.Context) string {
	return c.Host.Key(actCopyMenu) + ", " + c.Host.Key(actWriteThis) + " writes a file"
}

func writeThis(c host.Context, m *copyMenu) tea.Cmd {
	f := m.chosen()
	if f == nil {
		return nil
	}
	c.Host.Close(m)
	name := fmt.Sprintf("mcpdbg-%d%s", m.n, f.suffix)
	c.Host.Prompt(c.Workspace, host.Prompt{
		Label: "write to", Hint: "a new file", Text: name,
		Accept: func(c host.Context, name string) (tea.Cmd, error) {
			if strings.TrimSpace(name) == "" {
				return nil, nil
			}
			return func() tea.Msg {
				text, err := f.text()
				if err == nil {
					err = c.Host.Save(name, text)
				}
				return host.Result{What: "write", Err: err, Text: f.name + ": " + wording.Size(int64(len(text))) + " written to " + name}
			}, nil
		},
	})
	return nil
}

// WriteNew writes a new file that only its owner can read. It fails if the file
// exists.
func WriteNew(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
