package jsontree

import (
	"bytes"

	"mcpdbg/ui/widget/termsafe"
)

// gap is a part of the document not shown yet: children of a container, or text of a
// string or of a document that is not JSON.
type gap struct {
	in       byte // '{', '[', '"', or zero for a document as text
	pos      int  // where to continue: before the comma, or at the next text
	stop     int  // where the part begins that is shown again, or zero
	index    int
	end      int
	width    int // of the text, in cells
	skip     skipper
	skipping bool
}

func (g *gap) at() int {
	if g.skipping {
		return g.skip.pos
	}
	return g.pos
}

// next returns the next child or line of text. It returns false at the end of
// the gap, where pos is the closing bracket, the closing quote, the end of the
// document or stop.
//
// If the budget is spent before the end of the child, its end is unknown and
// the gap is skipping. The same is true if the document ends in the child,
// returned with the error.
func (g *gap) next(doc []byte, budget *int) (n line, ok bool, err *SyntaxError) {
	if g.in == '{' || g.in == '[' {
		return g.nextChild(doc, budget)
	}
	return g.nextText(doc, budget)
}

func (g *gap) nextChild(doc []byte, budget *int) (n line, ok bool, err *SyntaxError) {
	p := skipSpace(doc, g.pos)
	if p >= len(doc) {
		return line{}, false, syntaxError(p, unexpectedEnd)
	}
	switch {
	case doc[p] == closer(g.in):
		g.pos = p
		return line{}, false, nil
	case g.index > 0 && doc[p] != ',':
		return line{}, false, syntaxError(p, "expected ',' or '"+string(closer(g.in))+"'")
	case g.index > 0:
		p = skipSpace(doc, p+1)
	}
	if g.stop > 0 && p >= g.stop {
		g.pos = g.stop
		return line{}, false, nil
	}

	n = line{kind: valueLine, index: g.index, off: p, end: unknown, count: unknown}
	if g.in == '{' {
		keyEnd, value, err := scanKey(doc, p)
		if err != nil {
			return line{}, false, err
		}
		n.keyOff, n.keyEnd, n.off = p, keyEnd, value
	}
	if n.off >= len(doc) {
		return line{}, false, syntaxError(n.off, unexpectedEnd)
	}
	*budget -= n.off - g.pos
	g.index++

	switch doc[n.off] {
	case '{', '[', '"':
		g.skip, g.skipping = newSkipper(doc, n.off), true
		err = g.endChild(doc, &n, budget)
	default:
		if n.end, err = scanPlain(doc, n.off); err == nil {
			g.pos = n.end
			*budget -= n.end - n.off
		}
	}
	return n, err == nil, err
}

func (g *gap) endChild(doc []byte, n *line, budget *int) *SyntaxError {
	done, err := g.skip.advance(doc, budget)
	if !done {
		return err
	}
	g.skipping = false
	g.pos = g.skip.pos
	n.setEnd(doc, g.skip.pos, g.skip.commas)
	return nil
}

// nextText returns one line of text: up to a line break, or as many words as fit the
// width.
func (g *gap) nextText(doc []byte, budget *int) (n line, ok bool, err *SyntaxError) {
	end := g.textEnd()
	if g.pos >= end {
		return line{}, false, nil
	}
	text := doc[g.pos:end]
	used, _ := termsafe.Fit(text, max(g.width, termsafe.LongestEscape), termsafe.Options{})
	text = text[:g.lineBreak(text, used)]
	n = line{kind: textLine, index: g.index, off: g.pos, end: g.pos + len(text)}
	g.pos = n.end
	g.index++
	*budget -= len(text)
	return n, true, nil
}

// lineBreak returns where the first line of a text ends of which the first limit bytes
// fit.
func (g *gap) lineBreak(text []byte, limit int) int {
	if g.in == '"' {
		var ended bool
		if limit, ended = stringBreak(text, limit); ended {
			return limit
		}
	} else if i := bytes.IndexByte(text[:limit], '\n'); i >= 0 {
		return i + 1
	}
	return termsafe.Break(text, limit) // never within an escape, which has no blank and no wide character
}

func (g *gap) textEnd() int {
	if g.stop > 0 {
		return g.stop
	}
	return g.end
}

func (g *gap) ended(doc []byte) bool {
	if g.in != '{' && g.in != '[' {
		return g.pos >= g.textEnd()
	}
	if g.skipping {
		return false
	}
	p := skipSpace(doc, g.pos)
	if p < len(doc) && doc[p] == ',' && g.index > 0 && g.stop > 0 {
		return skipSpace(doc, p+1) >= g.stop
	}
	return p < len(doc) && doc[p] == closer(g.in)
}

// stringBreak returns the end of a line of a string: after the first `\n`, which ended
// reports, or before the escape that does not fit in limit bytes.
func stringBreak(text []byte, limit int) (end int, ended bool) {
	for p := 0; p < limit; {
		if text[p] != '\\' {
			p++
			continue
		}
		n := max(escapeLen(text, p), 1)
		if p+n > limit && p > 0 {
			return p, false
		}
		p += n
		if n == 2 && text[p-1] == 'n' {
			return p, true
		}
		limit = max(limit, p)
	}
	return limit, false
}
