package ui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/help"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// The help key, and any other.
var (
	questionMark = tea.KeyPressMsg{Code: '?', Text: "?"}
	letterZ      = tea.KeyPressMsg{Code: 'z', Text: "z"}
)

// card returns the lines of the open help card, between its rules.
func (d *driver) card() []string {
	d.t.Helper()
	require.IsType(d.t, &help.Card{}, d.front.top())
	rows := d.rows()
	for i, row := range slices.Backward(rows) {
		if strings.HasPrefix(row, "── ") && !strings.Contains(row, " again: all keys ") {
			return rows[i : len(rows)-1]
		}
	}
	d.t.Fatalf("no card in\n%s", strings.Join(rows, "\n"))
	return nil
}

// TestHelpCards shows the card of each pane and of some lists.
func TestHelpCards(t *testing.T) {
	var cards uitest.Sheet
	for _, name := range []string{actTraffic, actDetail, actEvents, actSessions, "catalog", "open-session", "kill", "info"} {
		inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.do(name)
			d.take(questionMark)
			cards.Add(name, strings.Join(d.card(), "\n"))
			for _, size := range frameSizes[:4] {
				d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				require.LessOrEqual(t, len(d.card()), 14, name)
				requireExact(t, d.content(), size[0], size[1])
				d.requireHints()
			}
		})
	}
	cards.Golden(t, "helpcards")
}

// TestHelpCardLetsKeysPass checks that another key closes the card and acts, and
// that a click does.
func TestHelpCardLetsKeysPass(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.take(questionMark)
		d.take(letterZ)
		require.Nil(t, d.front.top())
		require.True(t, d.panes.zoom)
		d.take(questionMark)
		d.take(tea.KeyPressMsg{Code: ':', Text: ":"})
		require.Equal(t, help.ScopePalette, d.visible.scope())
		d.take(questionMark)
		require.IsType(t, &help.Card{}, d.front.top(), "the search is empty")
		d.write("zoom")
		require.Contains(t, d.plain(), "> zoom", "the search gets the letters")
		d.write("?")
		require.Contains(t, d.plain(), "zoom?", "and then also this one")
		d.do("palette-close", "palette-close", actZoom)

		d.take(questionMark)
		d.press(20, 33)
		require.Nil(t, d.front.top())
		require.Equal(t, stderrID, d.panes.focus)
	})
}

// TestHelpCardKeys checks that a card shows the keys of the settings, and that a
// changed key of help opens the card and then the list.
func TestHelpCardKeys(t *testing.T) {
	d := drive(t, Options{Source: workspace.NoSource(), Title: "x", Settings: Settings{Keys: map[string][]string{
		"help": {"f1"}, "catalog": {"f9"}, actNextMatch: {"f3"}, actSearch: {},
	}}}, 120, 36)
	d.take(tea.KeyPressMsg{Code: tea.KeyF1})
	card := strings.Join(d.card(), "\n")
	require.Regexp(t, `f9 +call a tool`, card)
	require.NotContains(t, card, "find text", "that action has no key")
	d.take(tea.KeyPressMsg{Code: tea.KeyF1})
	require.IsType(t, &help.List{}, d.front.top())
}

// TestHelpAtHome checks that the help key opens the card while nothing is typed.
func TestHelpAtHome(t *testing.T) {
	d := drive(t, Options{Launcher: &uitest.Launcher{T: t}}, 80, 24)
	d.take(questionMark)
	require.Contains(t, strings.Join(d.card(), "\n"), "── Open a server or a recording ──")
	d.take(letterZ)
	require.Equal(t, "z", pickerOf(d.front.top()).Query)
	d.do("home-" + kit.Down)
	d.take(questionMark)
	require.Equal(t, "z?", pickerOf(d.front.top()).Query)
}
