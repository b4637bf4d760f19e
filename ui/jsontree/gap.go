package jsontree

import (
	"bytes"

	"mcpdbg/ui/termsafe"
)

// gap is a part of the document that is not shown yet: children of a
// container, or text of a string or of a document that is not JSON.
type gap struct {
	in    byte // '{', '[', '"', or zero for a document as text
	pos   int  // where to go on: before the comma, or at the next text
	stop  int  // where what is shown again begins; zero if nothing is
	index int  // of the next child
	end   int  // of text
	width int  // of text, in cells
	// skip looks for the end of the child before the gap.
	skip     skipper
	skipping bool
}

// at is where the gap begins in the document.
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
// If the budget is spent before the end of the child is found, its end is
// unknown and the gap skipping. So it is too if the document ends in the
// child; then the child is returned with the error.
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

// endChild goes on looking for the end of the child before the gap.
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

// nextText returns one line of text: up to a line break, or as much as fits in
// the width.
func (g *gap) nextText(doc []byte, budget *int) (n line, ok bool, err *SyntaxError) {
	end := g.end
	if g.stop > 0 {
		end = g.stop
	}
	if g.pos >= end {
		return line{}, false, nil
	}
	text := doc[g.pos:end]
	used, _ := termsafe.Fit(text, max(g.width, termsafe.LongestEscape), termsafe.Options{})
	text = text[:used]
	if g.in == '"' {
		text = text[:stringBreak(doc[g.pos:end], used)]
	} else if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = text[:i+1]
	}
	n = line{kind: textLine, index: g.index, off: g.pos, end: g.pos + len(text)}
	g.pos = n.end
	g.index++
	*budget -= len(text)
	return n, true, nil
}

// stringBreak returns where a line of the text of a string ends: behind the
// first `\n`, or before the escape that does not fit in limit bytes.
func stringBreak(text []byte, limit int) int {
	for p := 0; p < limit; {
		if text[p] != '\\' {
			p++
			continue
		}
		n := max(escapeLen(text, p), 1)
		if p+n > limit && p > 0 {
			return p
		}
		p += n
		if n == 2 && text[p-1] == 'n' {
			return p
		}
		limit = max(limit, p)
	}
	return limit
}
