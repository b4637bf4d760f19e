package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/wire"
)

// startSearch searches for text from the cursor of the focused pane.
func (sc *sessionScreen) startSearch(text string) (tea.Cmd, error) {
	if err := sc.rows.SetSearch(text); err != nil {
		return nil, err
	}
	sc.app.canvas.markAll()
	if sc.app.panes.focus == detailID {
		return sc.findInDetail(0), nil
	}
	return sc.rows.Start(sc.focusedList()), nil
}

// endSearch forgets the text that n and N search for.
func (sc *sessionScreen) endSearch() {
	_ = sc.rows.SetSearch("") // an empty text is never wrong
	sc.app.canvas.markAll()
}

// findNext selects the next match below (1) or above (-1) the cursor of the
// focused pane.
func (sc *sessionScreen) findNext(by int) tea.Cmd {
	if sc.app.panes.focus == detailID {
		return sc.findInDetail(by)
	}
	return sc.rows.FindNext(sc.focusedList(), by)
}

// focusedList returns the list of rows in the focused pane, or else the traffic.
func (sc *sessionScreen) focusedList() wire.ListID {
	list, _ := listOf(sc.app.panes.focus)
	return list
}

// findInDetail searches the row shown in the detail pane.
func (sc *sessionScreen) findInDetail(by int) tea.Cmd {
	cmd, text := sc.detail.Search(sc.app.ctx, sc.rows.Search.Text, by)
	sc.app.Notify(text)
	return cmd
}
