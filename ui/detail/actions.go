package detail

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/keymap"
)

// The actions of the detail pane.
const (
	actView        = "view"
	actViewContent = "view-content"
	actViewTree    = "view-tree"
	actViewText    = "view-text"
	actViewBytes   = "view-bytes"
	actViewPair    = "view-pair"
	actViewAround  = "view-stderr"
	actFold        = "fold"
	actExpandAll   = "expand-all"
	actCollapseAll = "collapse-all"
	actEditor      = "open-in-editor"
	actPager       = "open-in-pager"
	actSavePart    = "save-part"
	actViewPart    = "view-part"
	actMarkdown    = "markdown"
)

// Scope is the scope of the pane.
const Scope = "detail"

// Actions are those on the shown row. of finds the pane of the session that a context
// is about.
func Actions(of func(host.Context) *Pane) []host.Action {
	treeShown := func(c host.Context) (bool, string) { return of(c).showsTree(), "only the tree can be folded" }
	has := func(v view) func(host.Context) (bool, string) {
		return func(c host.Context) (bool, string) {
			d := of(c)
			return !d.wanted.OK || d.applies(v, d.wanted.Row), "the row is not a message"
		}
	}
	viewing := func(v view) func(host.Context) tea.Cmd {
		return func(c host.Context) tea.Cmd {
			c.Panes().OpenDetail()
			return of(c).choose(v)
		}
	}
	return slices.Concat(jqActions(of), []host.Action{
		{Entry: host.Entry{ID: actView, Keys: []string{"v"}, Scope: Scope, Title: "view", Help: "Go to the next view: content, tree, exact text, bytes in hexadecimal, request and response together, and stderr around that time. The choice is kept for other messages of the method.", Priority: 48}, Do: func(c host.Context) tea.Cmd { return of(c).nextView() }},
		{Entry: host.Entry{ID: actFold, Keys: []string{"-"}, Scope: Scope, Title: "fold", Help: "Fold the value under the cursor, or unfold it if it is folded.", Priority: 47, Enabled: treeShown}},
		{Entry: host.Entry{ID: actExpandAll, Keys: []string{"+"}, Scope: Scope, Title: "unfold", Help: "Unfold the value and everything in it, up to a limit.", Enabled: treeShown}},
		{Entry: host.Entry{ID: actCollapseAll, Keys: []string{"*"}, Scope: Scope, Title: "fold all", Help: "Fold everything.", Enabled: treeShown}},
		{Entry: host.Entry{ID: actViewContent, Scope: keymap.Global, Title: "view content", Synonyms: []string{"result", "markdown", "image", "picture"}, Help: "Show the message for reading: its texts, pictures, links and values.", Enabled: has(viewContent)}, Do: viewing(viewContent)},
		{Entry: host.Entry{ID: actViewTree, Scope: keymap.Global, Title: "view as tree", Synonyms: []string{"json"}, Help: "Show the message as a tree.", Enabled: has(viewTree)}, Do: viewing(viewTree)},
		{Entry: host.Entry{ID: actViewText, Scope: keymap.Global, Title: "view as text", Synonyms: []string{"raw", "json"}, Help: "Show the exact text of the message."}, Do: viewing(viewText)},
		{Entry: host.Entry{ID: actViewBytes, Scope: keymap.Global, Title: "view as bytes", Help: "Show the bytes of the message in hexadecimal."}, Do: viewing(viewBytes)},
		{Entry: host.Entry{ID: actViewPair, Keys: []string{"b"}, Scope: keymap.Global, Title: "both", Help: "Show the request next to its response.", Enabled: host.HasPartner}, Do: viewing(viewPair)},
		{Entry: host.Entry{ID: actViewAround, Scope: keymap.Global, Title: "stderr around", Help: "Show stderr around the time of the selected row.", Enabled: host.HasSelection}, Do: viewing(viewAround)},
		{Entry: host.Entry{ID: actEditor, Keys: []string{"ctrl+e"}, Scope: keymap.Global, Title: "open in editor", Help: "Open a copy of the selected row in $VISUAL or $EDITOR.", Enabled: host.HasSelection}, Do: func(c host.Context) tea.Cmd { return openOutside(c, editCopy) }},
		{Entry: host.Entry{ID: actPager, Keys: []string{"P"}, Scope: keymap.Global, Title: "open in pager", Help: "Open the selected row in $PAGER.", Enabled: host.HasSelection}, Do: func(c host.Context) tea.Cmd { return openOutside(c, host.Page) }},
	}, partActions(of))
}

// OtherSide goes to the other message of the pair view, and reports whether that is shown.
func (d *Pane) OtherSide() bool {
	if d.pair == nil {
		return false
	}
	d.pair.at = 1 - d.pair.at
	d.tree, d.changed = d.pair.tree(), true
	return true
}

func openOutside(c host.Context, open func(c host.Context, text []byte, suffix string) tea.Cmd) tea.Cmd {
	source, row := c.Workspace.Shown.Source, c.Workspace.Selected.Row
	return func() tea.Msg {
		e, err := source.Entry(row, host.MaxEdited)
		if err != nil {
			return host.Result{What: "open", Err: err}
		}
		text, suffix := documentOf(&e), ".txt"
		var spread bytes.Buffer
		if json.Indent(&spread, text, "", "  ") == nil {
			text, suffix = append(spread.Bytes(), '\n'), ".json"
		}
		return host.Result{Then: func(c host.Context) tea.Cmd {
			if e.Cut {
				c.Host.Warn(fmt.Sprintf("the copy has only the first %s of %s", wording.Size(int64(len(text))), wording.Size(e.FullSize)))
			}
			return open(c, text, suffix)
		}}
	}
}

// The edited text is discarded.
func editCopy(c host.Context, text []byte, suffix string) tea.Cmd {
	return host.Edit(c, text, suffix, func(c host.Context, edited []byte, err error) tea.Cmd {
		switch {
		case err != nil:
			c.Host.Warn("editor: " + err.Error())
		case !bytes.Equal(edited, text):
			c.Host.Notify("the log is unchanged: only a copy was edited (R edits and re-sends a message)")
		}
		return nil
	})
}
