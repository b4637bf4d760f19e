package content

import (
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/jsontree"
	"mcpdbg/ui/widget/markdown"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

type style struct {
	theme    *paint.Theme
	look     termsafe.Options
	ascii    bool
	graphics *kit.Graphics
	keys     Keys
}

func (s style) shows() bool { return !s.graphics.Off && kit.ShowsPictures(s.theme, s.ascii) }

func (s style) dot() string {
	if s.ascii {
		return ", "
	}
	return " · "
}

// A body is what a part has below its first line.
type body interface {
	// layout fits the body into a width; the pane has height lines.
	layout(s style, width, height int)
	lines() int
	paint(s style, l *paint.Line, i int)
}

type textBody struct {
	*markdown.Document
	rest string // a line about the rest of it, before the key that saves all
}

func (b *textBody) layout(_ style, width, _ int) { b.Layout(width) }

func (b *textBody) lines() int {
	n := b.Lines()
	if b.rest != "" {
		n++
	}
	return n
}

func (b *textBody) paint(s style, l *paint.Line, i int) {
	if i == b.Lines() {
		l.Text(s.theme.Dim, s.look.Ellipsis+" "+b.rest+"; "+s.keys.Save+" saves all of it")
		return
	}
	b.Paint(l, i, s.theme, s.ascii)
}

type treeBody struct {
	doc  []byte
	tree *jsontree.Tree // made when it is first laid out
}

func (b *treeBody) layout(s style, width, height int) {
	const gutter = 1 // that a tree has for its cursor
	if b.tree == nil {
		b.tree = jsontree.New(b.doc, s.theme, s.look)
		b.tree.SetSize(width+gutter, height)
		b.tree.UnfoldToFit(min(max(height-2, 4), maxTree))
		return
	}
	b.tree.SetTheme(s.theme)
	b.tree.SetSize(width+gutter, height)
}

func (b *treeBody) lines() int { return b.tree.Lines() }

func (b *treeBody) paint(_ style, l *paint.Line, i int) { b.tree.PaintLine(l, i) }

// A pictureBody is a picture, once it is decoded.
type pictureBody struct {
	whole *kit.Picture
	cells kit.PictureCells // in half blocks
	held  uint32           // its number in the terminal, 0 without one
}

// minPicture is the least number of lines that a picture may take.
const minPicture = 6

func (b *pictureBody) layout(s style, width, height int) {
	was := b.cells
	b.cells = kit.PictureCells{}
	if b.whole != nil && s.shows() {
		b.cells = b.whole.Fit(min(width, kit.MaxPictureCells), min(max(height-2, minPicture), kit.MaxPictureCells))
	}
	if b.cells.Width != was.Width || b.cells.Rows() != was.Rows() {
		b.drop(s)
	}
}

// place gives the picture to the terminal, unless that has it.
func (b *pictureBody) place(s style) {
	if added, _ := s.graphics.Holds(b.held); !added && b.whole != nil && b.whole.PNG != nil && b.lines() > 0 {
		b.held = s.graphics.Add(b.whole.PNG, b.cells.Width, b.cells.Rows())
	}
}

func (b *pictureBody) drop(s style) {
	s.graphics.Remove(b.held)
	b.held = 0
}

func (b *pictureBody) blocks(s style) bool {
	_, shown := s.graphics.Holds(b.held)
	return b.lines() > 0 && !shown
}

func (b *pictureBody) lines() int { return b.cells.Rows() }

func (b *pictureBody) paint(s style, l *paint.Line, i int) {
	if b.blocks(s) {
		b.cells.Paint(l, i)
		return
	}
	kit.PaintHeldPicture(l, b.held, i, b.cells.Width)
}
