package traffic

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/workspace"
)

// setFold reports whether that changed anything.
func (t *Pane) setFold(row int, fold bool) bool {
	if !t.listing().plain() {
		return t.passing.SetFold(row, fold)
	}
	return t.ws.Shown.Index.SetFold(row, fold)
}

func (t *Pane) setFolds(fold bool) {
	t.unfolded = !fold
	t.ws.Shown.Index.SetFolds(fold)
	t.passing.SetAll(fold)
}

// rows is 0 if there is no flood.
func (t *Pane) foldUnderCursor() (row, rows int, folded bool) {
	row, ok := t.Cursor()
	if !ok {
		return 0, 0, false
	}
	rows, folded = t.Listed().Fold(row)
	return row, rows, folded
}

// exchangeUnderCursor returns the exchange of the row under the cursor, if its
// parts can be listed or are.
func (t *Pane) exchangeUnderCursor() (number int, ok bool) {
	row, ok := t.Cursor()
	if !ok || t.view != Exchanges || !t.listing().plain() {
		return 0, false
	}
	x := t.ws.Shown.Index.Exchanges
	number = x.Of(row)
	return number, x.HasParts(number) || x.Unfolded(number) || t.Viewed(number) != number
}

// foldable reports whether the row under the cursor can be folded or unfolded,
// and if not, why.
func (t *Pane) foldable() (bool, string) {
	if _, ok := t.exchangeUnderCursor(); ok {
		return true, ""
	}
	_, rows, _ := t.foldUnderCursor()
	return rows > 0, "the selected row has nothing folded"
}

// unfold reports whether that changed anything; the text is for the user.
func (t *Pane) unfold() (changed bool, text string) {
	row, rows, folded := t.foldUnderCursor()
	if rows > 0 {
		t.setFold(row, false)
		return folded, ""
	}
	number, ok := t.exchangeUnderCursor()
	if !ok {
		return false, ""
	}
	any, more := t.ws.Shown.Index.Exchanges.Unfold(number)
	t.Select(row)
	if b, batch := t.ws.Shown.Index.Exchanges.Batch(number); more && batch {
		text = fmt.Sprintf("the first %s elements of this batch of %s", wording.Thousands(workspace.MaxParts), wording.Thousands(b.Elements))
	} else if more {
		text = fmt.Sprintf("the first %s messages of this call; the messages list all", wording.Thousands(workspace.MaxParts))
	}
	return any, text
}

// fold folds the row, or the exchange or the flood that it is a part of.
func (t *Pane) fold() (changed bool) {
	row, rows, folded := t.foldUnderCursor()
	if rows > 0 {
		return !folded && t.setFold(row, true)
	}
	number, ok := t.exchangeUnderCursor()
	if !ok || !t.ws.Shown.Index.Exchanges.Fold(number) {
		return false
	}
	t.Select(number)
	return true
}

// Act moves the cursor. Among the exchanges, right unfolds a row and left folds it.
func (t *Pane) Act(action string) bool {
	if t.view != Exchanges || action != kit.Left && action != kit.Right {
		t.part = -1
		if t.view == Exchanges && t.moveRunning(action) {
			return true
		}
		return t.List.Act(action)
	}
	if action == kit.Left {
		t.changed = t.fold() || t.changed
		return true
	}
	changed, _ := t.unfold()
	t.changed = t.changed || changed
	return true
}

func (r *Lists) unfoldRow(c host.Context) tea.Cmd {
	changed, text := r.Traffic.unfold()
	r.changed = r.changed || changed
	if text != "" {
		c.Host.Notify(text)
	}
	return nil
}

func (r *Lists) toggleFlood(c host.Context) tea.Cmd {
	if r.Traffic.fold() {
		r.changed = true
		return nil
	}
	return r.unfoldRow(c)
}

// Unfold unfolds the flood under the cursor of the wire view, and reports whether there
// was one.
func (r *Lists) Unfold() bool {
	row, _, folded := r.Traffic.foldUnderCursor()
	if !folded || r.Traffic.view == Exchanges {
		return false
	}
	r.Traffic.setFold(row, false)
	r.changed = true
	return true
}

func (r *Lists) toggleFloods(c host.Context) tea.Cmd {
	r.Traffic.setFolds(r.Traffic.unfolded)
	if r.Traffic.unfolded {
		c.Host.Notify("bursts of notifications: all rows shown")
	} else {
		c.Host.Notify("bursts of notifications: folded, each with a count")
	}
	r.changed = true
	return nil
}
