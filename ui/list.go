package ui

import (
	"bytes"

	"mcpdbg/ui/filter"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/table"
	"mcpdbg/ui/theme"
)

// scrollCells is how far one step to the side goes.
const scrollCells = 8

// list is what panes that list rows have in common.
type list struct{ *table.Table }

func (l list) setSize(w, h int) { l.SetSize(w, h) }

func (l list) paint(out *paint.Lines, focused bool) { l.Paint(out, focused) }

// move moves the cursor.
func (l list) move(action string) bool {
	switch action {
	case actUp:
		l.Move(-1)
	case actDown:
		l.Move(1)
	case actPageUp:
		l.Page(-1)
	case actPageDown:
		l.Page(1)
	case actHalfUp:
		l.HalfPage(-1)
	case actHalfDown:
		l.HalfPage(1)
	case actTop:
		l.Home()
	case actBottom:
		l.End()
	case actLeft:
		l.ScrollX(-scrollCells)
	case actRight:
		l.ScrollX(scrollCells)
	default:
		return false
	}
	return true
}

// highlight is the text that was searched for, wherever lists show it. The
// panes share it.
type highlight struct {
	lower   []byte // ASCII in lower case; nothing is highlighted if it is empty
	version uint32 // changes with the text
}

// set changes what is highlighted.
func (h *highlight) set(text string) {
	h.version++
	h.lower = bytes.ToLower([]byte(text))
	for _, c := range h.lower {
		if c >= 0x80 {
			h.lower = nil // found by folding that the screen does not repeat
			return
		}
	}
}

// paint adds text to a column, hits in a style of their own. It looks at no
// more of the text than can be seen.
func (h *highlight) paint(c *table.Cells, column int, style, hit theme.Style, text []byte) {
	const bytesPerCell = 4
	seen := text[:min(len(text), c.Width(column)*bytesPerCell)]
	for len(h.lower) > 0 {
		i := filter.IndexFold(seen, h.lower)
		if i < 0 {
			break
		}
		c.Bytes(column, style, seen[:i])
		c.Bytes(column, hit, seen[i:i+len(h.lower)])
		seen, text = seen[i+len(h.lower):], text[i+len(h.lower):]
	}
	c.Bytes(column, style, text)
}
