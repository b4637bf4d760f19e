package ui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/detail"
)

// The ids of the actions of the detail pane, and its scope.
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
	scopeDetail    = detail.Scope
)

// The ids of the actions of the content view.
const (
	actViewContent = "view-content"
	actSavePart    = "save-part"
	actViewPart    = "view-part"
	actMarkdown    = "markdown"
)

// TestViewsThatApply checks that only views are offered that show something of the
// selected row, and that the key for the next view goes through them.
func TestViewsThatApply(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		everything(t, d.visible.ws.Session, x)
		d.pull()
		d.do("timeline") // all rows are listed
		for what, want := range map[string]string{
			"fake: listening":         "[text] bytes  stderr ",
			"npm WARN deprecated":     "  [text] bytes  stderr ",
			"12402":                   "  [tree] text  bytes  stderr ",
			`"progressToken":2`:       "   content [tree] text  bytes  stderr ",
			`"method":"prompts/list"`: "   content [tree] text  bytes  both  stderr ",
			`"id":700`:                "   content [tree] text  bytes  stderr ",
			`"text":"missing text"`:   "  [content] tree  text  bytes  both  stderr ",
		} {
			d.visible.rows.Traffic.Select(d.row(what))
			d.do(actTraffic, actDetail)
			require.Contains(t, d.repainted(), want, what)
		}
	})
}
