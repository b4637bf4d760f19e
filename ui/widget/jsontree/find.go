package jsontree

import (
	"bytes"
	"context"
)

// Find returns the offset of a text in a document: of the first occurrence at or after
// from, or, backward, of the last one that begins before from. Without an upper-case
// letter in query, ASCII letters match in either case. It searches the bytes, so escapes
// must be written as in the document. It returns false without an occurrence or if ctx is
// done.
func Find(ctx context.Context, doc []byte, query string, from int, backward bool) (offset int, found bool) {
	if query == "" {
		return 0, false
	}
	const chunk = 1 << 20
	m := newMatcher(query)
	overlap := len(query) - 1
	if backward {
		for end := min(from, len(doc)); end > 0 && ctx.Err() == nil; end -= chunk {
			start := max(end-chunk, 0)
			if i := m.last(doc[start:min(end+overlap, len(doc))]); i >= 0 {
				return start + i, true
			}
		}
		return 0, false
	}
	for start := max(from, 0); start < len(doc) && ctx.Err() == nil; start += chunk {
		if i := m.first(doc[start:min(start+chunk+overlap, len(doc))]); i >= 0 {
			return start + i, true
		}
	}
	return 0, false
}

type matcher struct {
	query []byte
	exact bool
}

func newMatcher(query string) matcher {
	lower := bytes.ToLower([]byte(query))
	return matcher{query: []byte(query), exact: string(lower) != query}
}

func (m matcher) first(text []byte) int {
	if m.exact {
		return bytes.Index(text, m.query)
	}
	// The next positions of the first letter in either case, each searched for again only
	// after it has been passed: the text is read at most twice.
	low, up := m.query[0], upper(m.query[0])
	nextLow, nextUp := indexFrom(text, low, 0), indexFrom(text, up, 0)
	for {
		p := min(nextLow, nextUp)
		if p+len(m.query) > len(text) {
			return -1
		}
		if m.matches(text[p:]) {
			return p
		}
		if nextLow == p {
			nextLow = indexFrom(text, low, p+1)
		}
		if nextUp == p {
			nextUp = indexFrom(text, up, p+1)
		}
	}
}

func (m matcher) last(text []byte) int {
	if m.exact {
		return bytes.LastIndex(text, m.query)
	}
	for p := len(text) - len(m.query); p >= 0; p-- {
		if m.matches(text[p:]) {
			return p
		}
	}
	return -1
}

func (m matcher) matches(text []byte) bool {
	for i, c := range m.query {
		if text[i] != c && text[i] != upper(c) {
			return false
		}
	}
	return true
}

// indexFrom returns the index of c at or after from, or the length of text.
func indexFrom(text []byte, c byte, from int) int {
	i := bytes.IndexByte(text[from:], c)
	if i < 0 {
		return len(text)
	}
	return from + i
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// SetQuery sets the text that Search finds and highlights. An empty one removes the
// highlighting.
func (t *Tree) SetQuery(query string) {
	t.query, t.hit = query, unknown
}

// Search moves to the next or previous hit from the cursor, wrapping around at an end of
// the document, which it reports. It combines Find and Reveal.
func (t *Tree) Search(ctx context.Context, backward bool) (found, wrapped bool) {
	if len(t.lines) == 0 {
		return false, false
	}
	from := t.lines[t.cursor].start()
	if t.hit != unknown && t.cursor == t.hitCursor {
		from = t.hit
		if !backward {
			from++
		}
	}
	hit, found := Find(ctx, t.doc, t.query, from, backward)
	if !found {
		wrapped = true
		from = 0
		if backward {
			from = len(t.doc)
		}
		hit, found = Find(ctx, t.doc, t.query, from, backward)
	}
	if found {
		t.Reveal(hit)
		t.hit, t.hitCursor = hit, t.cursor
	}
	return found, wrapped && found
}
