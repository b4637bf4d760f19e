package ui

import (
	"bytes"
	"encoding/json"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/keymap"
)

// The actions of the detail pane.
const (
	actView        = "view"
	actViewTree    = "view-tree"
	actViewText    = "view-text"
	actViewBytes   = "view-bytes"
	actViewPair    = "view-pair"
	actViewAround  = "view-stderr"
	actOtherSide   = "other-side"
	actFold        = "fold"
	actExpandAll   = "expand-all"
	actCollapseAll = "collapse-all"
	actEditor      = "open-in-editor"
	actPager       = "open-in-pager"
)

// detailActions are what can be done with the row that is shown.
func detailActions() []action {
	return []action{
		{entry{ID: actView, Keys: []string{"v"}, Scope: scopeDetail, Title: "view", Help: "Change between the tree, the exact text, the bytes in hexadecimal, request and response together, and what stderr said around that moment.", Priority: 48}, nextView},
		{entry{ID: actOtherSide, Keys: []string{"o"}, Scope: scopeDetail, Title: "other side", Help: "In the view of a pair, go to the other message.", Priority: 46, Enabled: pairShown}, nothing((*App).otherSide)},
		{entry{ID: actFold, Keys: []string{"u"}, Scope: scopeDetail, Title: "fold", Help: "Fold or unfold the value under the cursor.", Priority: 47, Enabled: treeShown}, nil},
		{entry{ID: actExpandAll, Keys: []string{"+"}, Scope: scopeDetail, Title: "unfold all", Help: "Unfold the value and what is in it, up to a limit.", Enabled: treeShown}, nil},
		{entry{ID: actCollapseAll, Keys: []string{"-"}, Scope: scopeDetail, Title: "fold all", Help: "Fold everything.", Enabled: treeShown}, nil},
		{entry{ID: actViewTree, Scope: scopeDetail, Title: "view as tree", Help: "Show the message as a tree."}, viewing(viewTree)},
		{entry{ID: actViewText, Scope: scopeDetail, Title: "view as text", Help: "Show the exact text of the message."}, viewing(viewText)},
		{entry{ID: actViewBytes, Scope: scopeDetail, Title: "view as bytes", Help: "Show the bytes of the message in hexadecimal."}, viewing(viewBytes)},
		{entry{ID: actViewPair, Keys: []string{"b"}, Scope: keymap.Global, Title: "both", Help: "Show the request beside its response.", Enabled: hasPartner}, viewing(viewPair)},
		{entry{ID: actViewAround, Keys: []string{"a"}, Scope: keymap.Global, Title: "stderr around", Help: "Show what stderr said around the moment of the selected row.", Enabled: hasSelection}, viewing(viewAround)},
		{entry{ID: actEditor, Keys: []string{"ctrl+e"}, Scope: keymap.Global, Title: "open in editor", Help: "Open a copy of the selected row in $VISUAL or $EDITOR.", Enabled: hasSelection}, func(a *App) tea.Cmd { return a.openOutside(editCopy) }},
		{entry{ID: actPager, Keys: []string{"P"}, Scope: keymap.Global, Title: "open in pager", Help: "Open the selected row in $PAGER.", Enabled: hasSelection}, func(a *App) tea.Cmd { return a.openOutside((*App).page) }},
	}
}

func treeShown(a *App) (bool, string) {
	return a.detail.showsTree(), "only the tree can be folded"
}

func pairShown(a *App) (bool, string) {
	return a.detail.pair != nil, "only a request and its response have two sides"
}

func nextView(a *App) tea.Cmd { return a.detail.setView((a.detail.view + 1) % viewCount) }

// viewing shows the selected row in a view, full size.
func viewing(v view) func(*App) tea.Cmd {
	return func(a *App) tea.Cmd {
		if a.focus != detailID {
			a.open()
		}
		return a.detail.setView(v)
	}
}

func (a *App) otherSide() {
	a.detail.pair.other()
	a.detail.tree = a.detail.pair.tree()
	a.mark(detailID)
}

// openOutside reads the selected row and gives it to what opens it.
func (a *App) openOutside(open func(a *App, text []byte, suffix string) tea.Cmd) tea.Cmd {
	source, row := a.source, a.selected.row
	return func() tea.Msg {
		e, err := source.Entry(row, maxEdited)
		if err != nil {
			return result{what: "open", err: err}
		}
		text, suffix := documentOf(&e), ".txt"
		var spread bytes.Buffer
		if json.Indent(&spread, text, "", "  ") == nil {
			text, suffix = append(spread.Bytes(), '\n'), ".json"
		}
		return result{then: func(a *App) tea.Cmd {
			if e.Cut {
				a.complain(fmt.Sprintf("only the first %s of %s are in it", size(int64(len(text))), size(e.FullSize)))
			}
			return open(a, text, suffix)
		}}
	}
}

// editCopy opens a text in the editor; what is made of it goes nowhere.
func editCopy(a *App, text []byte, suffix string) tea.Cmd {
	return a.edit(text, suffix, func(a *App, edited []byte, err error) tea.Cmd {
		switch {
		case err != nil:
			a.complain("editor: " + err.Error())
		case !bytes.Equal(edited, text):
			a.say("the log stays as it is: what was edited was a copy (R edits a message and sends it)")
		}
		return nil
	})
}
