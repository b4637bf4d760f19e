package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

func (w *walker) inlines(b *builder, parent ast.Node, l look, depth int) {
	if depth > maxNesting {
		b.add(source, "(nested too deeply)")
		return
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		w.inline(b, n, l, depth+1)
	}
}

func (w *walker) inline(b *builder, n ast.Node, l look, depth int) {
	switch n := n.(type) {
	case *ast.Text:
		b.add(l, w.words(n))
		switch {
		case n.HardLineBreak():
			b.add(l, "\n")
		case n.SoftLineBreak():
			b.add(l, " ")
		}
	case *ast.String:
		b.add(l, unpacked(n.Value))
	case *ast.CodeSpan:
		b.add(l|code, "`"+w.literal(n)+"`")
	case *ast.Emphasis:
		if n.Level == 1 {
			l |= emphasis
		} else {
			l |= strong
		}
		w.inlines(b, n, l, depth)
	case *ast.Link:
		w.link(b, n, string(n.Destination), l, depth)
	case *ast.Image:
		b.add(l|address, "image ")
		w.link(b, n, string(n.Destination), l, depth)
	case *ast.AutoLink:
		b.add(l|link, string(n.URL(w.source)))
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			b.add(l|source, string(segment.Value(w.source)))
		}
	}
}

// link appends the text of a link and, unless that is the same, its address.
func (w *walker) link(b *builder, n ast.Node, to string, l look, depth int) {
	before := b.text.Len()
	w.inlines(b, n, l|link, depth)
	switch b.text.String()[before:] {
	case to:
	case "":
		b.add(l|link, to)
	default:
		b.add(l|address, " ("+to+")")
	}
}

func (w *walker) words(n *ast.Text) string {
	text := n.Segment.Value(w.source)
	if n.IsRaw() || !strings.ContainsAny(string(text), `\&`) {
		return unpacked(text)
	}
	return unpacked(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(text))))
}

func (w *walker) literal(n *ast.CodeSpan) string {
	var text strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			text.Write(t.Segment.Value(w.source))
		}
	}
	code := strings.ReplaceAll(unpacked([]byte(text.String())), "\n", " ")
	if w.cell {
		code = strings.ReplaceAll(code, `\|`, "|")
	}
	return code
}
