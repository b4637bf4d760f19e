package help

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// ScopePalette is the scope of the palette's actions.
const ScopePalette = "palette"

// The names of the actions.
const (
	ActPalette    = host.ActPalette
	ActRunCommand = "palette-run"
)

// PaletteActions are those of the palette.
func PaletteActions() []host.Action {
	recent := &recent{}
	return []host.Action{
		{Entry: host.Entry{ID: ActPalette, Keys: []string{":", "ctrl+p"}, Scope: keymap.Global, Title: "commands", Help: "Find a command by name and run it.", Last: true}, Do: func(c host.Context) tea.Cmd { return openPalette(c, recent) }},
		{Entry: host.Entry{ID: ActRunCommand, Keys: []string{"enter"}, Scope: ScopePalette, Title: "run", Help: "Run the selected command, or show why it is unavailable.", Priority: 90, Now: host.HideIf(func(v *Palette) bool { return len(v.picker.Shown) == 0 })}, Do: host.On(runCommand)},
		host.Override(host.Entry{Name: host.CloseName, Scope: ScopePalette, Help: "Close the commands."}),
	}
}

// A recent is the ids of the actions that the palette carried out, the latest first.
type recent struct{ ids []string }

// maxRecent is how many actions are on top while nothing is typed.
const maxRecent = 5

func (r *recent) add(id string) {
	r.ids = slices.DeleteFunc(r.ids, func(other string) bool { return other == id })
	r.ids = slices.Insert(r.ids, 0, id)
	r.ids = r.ids[:min(len(r.ids), maxRecent)]
}

// place returns where an action is among them, their number if it is not.
func (r *recent) place(id string) int {
	if at := slices.Index(r.ids, id); at >= 0 {
		return at
	}
	return len(r.ids)
}

// A command is an action, with a word that it takes or without.
type command struct {
	keymap.Entry
	word string
}

// A Palette finds actions by name.
type Palette struct {
	recent   *recent
	commands []command // those without a word first, in the order shown while nothing is typed
	plain    int       // how many have no word
	worded   int       // how many are commands: words of the screen with their help follow,
	words    int       // and up to here, then what actions do elsewhere
	picker   kit.Picker
	block    paint.Lines
}

func openPalette(c host.Context, used *recent) tea.Cmd {
	v := newPalette(offered(c), used)
	v.addHelp(c.Host.Actions(), c.Host.Beneath(c.Workspace))
	c.Host.Open(c.Workspace, v)
	return nil
}

// offered returns the actions that can be reached from the focused part, except those
// that open the palette, with the reasons why some are not possible now.
func offered(c host.Context) []keymap.Entry {
	return slices.DeleteFunc(c.Host.Actions().Offered(c.Host.Beneath(c.Workspace), c), func(e keymap.Entry) bool {
		return e.ID == ActPalette || e.ID == host.ActGridPalette
	})
}

// newPalette lists actions: those used last, the other possible ones in the order of
// importance in the footer, and those that are not possible now.
func newPalette(offered []keymap.Entry, used *recent) *Palette {
	v := &Palette{recent: used}
	for _, e := range offered {
		v.commands = append(v.commands, command{Entry: e})
	}
	sort.SliceStable(v.commands, func(i, j int) bool {
		a, b := &v.commands[i], &v.commands[j]
		return cmp.Or(compareBools(a.Disabled != "", b.Disabled != ""), cmp.Compare(used.place(a.ID), used.place(b.ID)), cmp.Compare(b.Priority, a.Priority)) < 0
	})
	v.plain = len(v.commands)
	for i := range v.plain {
		for _, word := range v.commands[i].Words {
			v.commands = append(v.commands, command{v.commands[i].Entry, word})
		}
	}
	v.worded = len(v.commands)
	for i := range words {
		v.commands = append(v.commands, words[i].commands()...)
	}
	v.words = len(v.commands)
	v.picker.Find = v.find
	v.list()
	return v
}

// list puts the names into the picker.
func (v *Palette) list() {
	names := make([]string, len(v.commands))
	for i, c := range v.commands {
		if names[i] = c.Title; i < v.worded {
			names[i] = strings.TrimSpace(c.Title + " " + c.word)
		}
	}
	v.picker.Set(names)
}

// addHelp adds what actions do in other parts of the screen.
func (v *Palette) addHelp(actions *keymap.Table[host.Context], scope string) {
	for _, e := range actions.Elsewhere(scope) {
		of, _ := actions.Scope(e.Scope)
		v.commands = append(v.commands, command{keymap.Entry{ID: ActMenu, Keys: e.Keys, Title: "help: " + e.Title, Help: of.Title + ": " + e.Help}, ""})
	}
	v.list()
}

// Scope implements host.View.
func (*Palette) Scope() string { return ScopePalette }

// Picks implements host.Picking.
func (v *Palette) Picks() *kit.Picker { return &v.picker }

// Current returns the action under the cursor, or "", and its word.
func (v *Palette) Current() (action, word string) {
	if i, ok := v.picker.Current(); ok {
		return v.commands[i].ID, v.commands[i].word
	}
	return "", ""
}

// Update implements host.View.
func (v *Palette) Update(_ host.Context, msg tea.Msg) tea.Cmd {
	v.picker.Typed(msg)
	return nil
}

// A command that is not possible leaves the palette open; carrying it out shows the
// reason.
func runCommand(c host.Context, v *Palette) tea.Cmd {
	action, word := v.Current()
	if action == "" {
		return nil
	}
	if i, _ := v.picker.Current(); i >= v.worded || v.reasons(c)[action] == "" {
		c.Host.Close(v)
		v.recent.add(action)
	}
	return c.Host.Do(c.Workspace, action, word)
}

func (v *Palette) reasons(c host.Context) map[string]string {
	reasons := map[string]string{}
	for _, e := range offered(c) {
		reasons[e.ID] = e.Disabled
	}
	return reasons
}

// Back implements host.Stepping.
func (v *Palette) Back(c host.Context) tea.Cmd {
	c.Host.Close(v)
	return nil
}

// The sizes of the palette and of its columns, in cells.
const (
	paletteWidth  = 116
	paletteHeight = 20
	commandWidth  = 24
)

// Draw implements host.View.
func (v *Palette) Draw(c host.Context) {
	screen := c.Host.Screen()
	room := screen.Body()
	r := room.Center(paletteWidth, paletteHeight)
	r.Y = room.Y
	in := r.Inner()
	c.Block(&v.block, in)
	v.picker.PaintQuery(screen, v.block.Line(0), "type the name of a command")
	if len(v.picker.Shown) == 0 && in.H > 1 {
		v.block.Line(1).Text(screen.Theme.Dim, "  No matching command or help")
	}
	reasons := v.reasons(c)
	v.picker.Paint(screen, &v.block, 1, func(l *paint.Line, m kit.Pick) {
		v.paintItem(screen, l, m, reasons[v.commands[m.Item].ID])
	})
	c.Dialog(ScopePalette, r, "Commands", fmt.Sprintf("%d of %d", len(v.picker.Shown), v.plain), &v.block)
}

func (v *Palette) paintItem(screen *kit.Screen, l *paint.Line, m kit.Pick, reason string) {
	picked := v.commands[m.Item]
	keys := strings.Join(picked.Keys, " ")
	text, style := picked.Help, screen.Theme.Dim
	if reason != "" && m.Item < v.worded {
		text, style = "not now: "+reason, screen.Theme.Odd
	}
	screen.PaintHits(l, v.picker.Items[m.Item], m.Hits)
	l.PadTo(commandWidth)
	l.Text(paint.Style{}, " ")
	l.Field(style, []byte(text), max(l.Room()-termsafe.Width(keys)-2, 0), termsafe.Left)
	l.Text(paint.Style{}, " ")
	l.Text(screen.Theme.Accent, keys)
}
