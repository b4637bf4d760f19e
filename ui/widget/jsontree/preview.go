package jsontree

import (
	"bytes"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/termsafe"
)

const (
	// previewBytes is how much of a container its preview reads.
	previewBytes = 4 << 10
	// previewText is the maximum width of one value in a preview, in cells.
	previewText = 40
	// previewCut is the least room for the beginning of a value, in cells.
	previewCut = 8
)

// A preview is the beginning of a folded container, in one line:
// {name: "echo", title: "Echo Tool", …} or [1, 2, 3, … 40].
type preview struct {
	items []previewItem
	tail  string // represents the members that are not in items
}

type previewItem struct {
	keyOff, keyEnd int // without quotes if the key is a plain word
	off, end       int
	after          string // the end of a value that is cut or a container
}

// preview returns the beginning of a folded container that fits in room cells; without
// items if nothing fits.
func (t *Tree) preview(l *line, room int) preview {
	limit := min(len(t.doc), l.off+previewBytes)
	if l.end != unknown {
		limit = min(limit, l.end)
	}
	doc := t.doc[:limit] // so that nothing is read beyond
	p := preview{tail: t.previewTail(l)}
	room -= len("{}")
	g := &gap{in: doc[l.off], pos: l.off + 1}
	for budget := previewBytes; !g.skipping; {
		n, ok, err := g.next(doc, &budget)
		if !ok && (err == nil || !g.skipping) {
			break
		}
		left, last := room, g.index == l.count
		if len(p.items) > 0 {
			left -= len(", ")
		}
		if !last {
			left -= len(", ") + termsafe.Width(p.tail)
		}
		item, cells := t.previewItem(&n, limit, left)
		if cells == 0 {
			break
		}
		room -= cells
		if len(p.items) > 0 {
			room -= len(", ")
		}
		p.items = append(p.items, item)
		if last {
			p.tail = ""
		}
	}
	return p
}

func (t *Tree) previewTail(l *line) string {
	if t.doc[l.off] == '[' && l.count != unknown {
		return t.options.Ellipsis + " " + wording.Thousands(l.count)
	}
	return t.options.Ellipsis
}

// previewItem returns the item of a member and its width in cells; zero if it does not
// fit in room. The document is read up to limit.
func (t *Tree) previewItem(n *line, limit, room int) (item previewItem, cells int) {
	if n.keyEnd > 0 {
		item.keyOff, item.keyEnd = n.keyOff, n.keyEnd
		if isWord(t.doc[n.keyOff+1 : n.keyEnd-1]) {
			item.keyOff, item.keyEnd = n.keyOff+1, n.keyEnd-1
		}
		used, width := termsafe.Fit(t.doc[item.keyOff:item.keyEnd], max(room, 0), t.options)
		if item.keyOff+used < item.keyEnd {
			return item, 0
		}
		cells = width + len(": ")
	}
	item.off = n.off
	switch c := t.doc[n.off]; c {
	case '{', '[':
		item.end, item.after = n.off+1, t.options.Ellipsis+string(closer(c))
		switch {
		case n.count == 0:
			item.after = string(closer(c))
		case c == '[' && n.count != unknown:
			item.after = t.previewTail(n) + "]"
		}
		cells += 1 + termsafe.Width(item.after)
	case '"':
		return t.previewValue(item, n, `"`, limit, room, cells)
	default:
		return t.previewValue(item, n, "", limit, room, cells)
	}
	if cells > room {
		return item, 0
	}
	return item, cells
}

// previewValue completes the item of a string or another scalar. A long one is cut, and
// ends in an ellipsis and quote.
func (t *Tree) previewValue(item previewItem, n *line, quote string, limit, room, cells int) (previewItem, int) {
	end := n.end
	if end == unknown {
		end = limit
	}
	most := min(room-cells, previewText)
	used, width := termsafe.Fit(t.doc[item.off:end], max(most, 0), t.options)
	if item.off+used == n.end && (quote != "" || n.end < limit) {
		item.end = n.end
		return item, cells + width
	}
	item.after = t.options.Ellipsis + quote
	if most < previewCut {
		return item, 0
	}
	used, width = termsafe.Fit(t.doc[item.off:end], most-termsafe.Width(item.after), t.options)
	item.end = item.off + wholeEscapes(t.doc[item.off:end], used)
	return item, cells + width + termsafe.Width(item.after)
}

// wholeEscapes returns at most n bytes of a string that do not end within an escape.
func wholeEscapes(text []byte, n int) int {
	from := bytes.LastIndexByte(text[:n], '\\')
	if from < 0 || escaped(text, from) || from+max(escapeLen(text, from), 2) <= n {
		return n
	}
	return from
}

func (v preview) text(doc []byte, open byte) []byte {
	text := []byte{open}
	for i, item := range v.items {
		if i > 0 {
			text = append(text, ", "...)
		}
		if item.keyEnd > 0 {
			text = append(text, doc[item.keyOff:item.keyEnd]...)
			text = append(text, ": "...)
		}
		text = append(text, doc[item.off:item.end]...)
		text = append(text, item.after...)
	}
	if v.tail != "" {
		text = append(append(text, ", "...), v.tail...)
	}
	return append(text, closer(open))
}

func (p *painter) preview(text []byte) {
	for len(text) > 0 {
		from, to := len(text), len(text)
		if q := p.t.query; q != "" {
			if i := newMatcher(q).first(text); i >= 0 {
				from, to = i, i+len(q)
			}
		}
		p.l.Bytes(p.t.theme.Dim, text[:from])
		if from < to {
			p.l.Bytes(p.t.theme.Match, text[from:to])
		}
		text = text[to:]
	}
}
