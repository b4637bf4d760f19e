package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Parse parses a text. ok is false for a text made to keep the parser busy, which returns
// the document of Plain.
func Parse(markdown []byte) (d *Document, ok bool) {
	if !ordinary(markdown) {
		return Plain(markdown), false
	}
	w := &walker{source: markdown, doc: &Document{}}
	w.blocks(newParser().Parse(text.NewReader(markdown)), nil, 0)
	return w.doc, true
}

const (
	// maxMarks is how many brackets, stars and underscores may follow each other without
	// an empty line. The parser compares each with those before.
	maxMarks = 4000
	// maxPrefix is how many signs of quotes and lists may begin a line.
	maxPrefix = 240
)

// ordinary reports whether the parser's time is in proportion to a text.
func ordinary(markdown []byte) bool {
	marks := 0
	for line := range bytes.Lines(markdown) {
		if len(bytes.TrimSpace(line)) == 0 {
			marks = 0
		}
		for _, c := range line {
			if c == '[' || c == '*' || c == '_' {
				marks++
			}
		}
		rest := bytes.TrimLeft(line, " \t>-+*")
		if marks > maxMarks || len(line)-len(rest) > maxPrefix {
			return false
		}
	}
	return true
}

func newParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), util.Prioritized(tables{}, 200))...),
	)
}

type walker struct {
	source []byte
	doc    *Document
	cell   bool // in a cell of a table, where a bar in code has a backslash
}

func (w *walker) add(b block, levels []level) {
	if len(w.doc.blocks) >= maxBlocks {
		return
	}
	b.levels = append([]level(nil), levels...)
	w.doc.blocks = append(w.doc.blocks, b)
}

func (w *walker) blocks(parent ast.Node, levels []level, depth int) {
	if depth > maxNesting {
		w.add(paragraphOf("(nested too deeply)", source), levels)
		return
	}
	tight := false
	if list, ok := parent.Parent().(*ast.List); ok {
		tight = list.IsTight
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		before := len(w.doc.blocks)
		w.block(n, levels, depth)
		if len(w.doc.blocks) == before {
			continue
		}
		w.doc.blocks[before].tight = tight || n == parent.FirstChild() && len(levels) > 0
		marked(levels)
	}
}

func paragraphOf(text string, l look) block {
	return block{kind: paragraph, rich: rich{text, []run{{len(text), l}}}}
}

func (w *walker) block(n ast.Node, levels []level, depth int) {
	switch n := n.(type) {
	case *ast.Heading:
		var b builder
		b.add(mark, strings.Repeat("#", n.Level)+" ")
		w.inlines(&b, n, strong, depth)
		w.add(block{kind: heading, rich: b.rich()}, levels)
	case *ast.Paragraph, *ast.TextBlock:
		var b builder
		w.inlines(&b, n, 0, depth)
		if b.text.Len() > 0 {
			w.add(block{kind: paragraph, rich: b.rich()}, levels)
		}
	case *ast.FencedCodeBlock:
		w.add(block{kind: program, rich: colored(string(n.Language(w.source)), w.lines(n))}, levels)
	case *ast.CodeBlock:
		w.add(block{kind: program, rich: colored("", w.lines(n))}, levels)
	case *ast.HTMLBlock:
		text := w.lines(n)
		if n.HasClosure() {
			text = strings.TrimRight(text+"\n"+string(n.ClosureLine.Value(w.source)), "\n")
		}
		w.add(paragraphOf(text, source), levels)
	case *ast.ThematicBreak:
		w.add(block{kind: rule}, levels)
	case *ast.Blockquote:
		w.blocks(n, within(levels, level{quote: true, width: 2}), depth+1)
	case *ast.List:
		w.list(n, levels, depth+1)
	case *extast.Table:
		w.table(n, levels, depth+1)
	}
}

// lines returns the text of a block that is not parsed further.
func (w *walker) lines(n ast.Node) string {
	var all []byte
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		all = append(all, segment.Value(w.source)...)
	}
	return unpacked(all)
}

func within(levels []level, more level) []level {
	if len(levels) >= maxLevels {
		return levels
	}
	return append(levels[:len(levels):len(levels)], more)
}

func (w *walker) list(list *ast.List, levels []level, depth int) {
	number := list.Start
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		mark := "-"
		if list.IsOrdered() {
			mark = strconv.Itoa(number) + string(list.Marker)
			number++
		}
		before := len(w.doc.blocks)
		w.blocks(n, within(levels, level{mark: mark, width: len(mark) + 1, first: true}), depth)
		if len(w.doc.blocks) == before { // an empty item has a mark, too
			w.add(block{kind: paragraph}, within(levels, level{mark: mark, width: len(mark) + 1, first: true}))
		}
		if len(w.doc.blocks) > before {
			w.doc.blocks[before].tight = list.IsTight && (n != list.FirstChild() || len(levels) > 0)
		}
		marked(levels)
	}
}

func marked(levels []level) {
	for i := range levels {
		levels[i].first = false
	}
}

func (w *walker) table(n *extast.Table, levels []level, depth int) {
	t := &table{}
	for _, a := range n.Alignments[:min(len(n.Alignments), maxColumns)] {
		t.columns = append(t.columns, column{right: a == extast.AlignRight, center: a == extast.AlignCenter})
	}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		cells := make([]rich, len(t.columns))
		at := 0
		for cell := row.FirstChild(); cell != nil && at < len(cells); cell = cell.NextSibling() {
			var b builder
			w.cell = true
			w.inlines(&b, cell, 0, depth)
			w.cell = false
			cells[at] = b.rich()
			at++
		}
		t.rows = append(t.rows, cells)
	}
	if len(t.rows) > 0 && len(t.columns) > 0 {
		w.add(block{kind: grid, table: t}, levels)
	}
}
