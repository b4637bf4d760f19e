package jsontree

import (
	"bytes"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

type limits struct {
	// maximum size of a document checked when it is opened
	checked int
	// children shown at a time
	page int
	// bytes that one step scans
	step int
}

// usualLimits keep a step below a tenth of a second, also on a slow machine.
func usualLimits() limits {
	return limits{checked: 1 << 20, page: 500, step: 32 << 20}
}

// maxLines is the maximum number of unfolded lines. The rest stays behind "… more"
// until something is folded.
const maxLines = 1 << 19

// Tree is a JSON document on the screen. Make one with New or NewText.
type Tree struct {
	doc     []byte
	theme   *paint.Theme
	options termsafe.Options
	limits  limits
	err     *SyntaxError
	asText  bool

	lines         lineList
	cursor, top   int
	scrollX       int
	width, height int
	fitting       bool // unfold truncated strings where there is room, until a fold by the user

	query     string
	hit       int // offset of the last hit, or unknown
	hitCursor int // the cursor then

	content paint.Line
}

// New returns the tree of a document with its first level unfolded. It keeps doc, which
// must not be changed. Options control how text is cut and escaped.
func New(doc []byte, th *paint.Theme, options termsafe.Options) *Tree {
	return newTree(doc, th, options, usualLimits())
}

func newTree(doc []byte, th *paint.Theme, options termsafe.Options, limits limits) *Tree {
	t := &Tree{doc: doc, theme: th, options: options, limits: limits, hit: unknown}
	p := skipSpace(doc, 0)
	if len(doc) <= limits.checked {
		t.err = validate(doc)
	} else if p == len(doc) {
		t.err = syntaxError(p, unexpectedEnd)
	} else if c := doc[p]; c != '{' && c != '[' && c != '"' {
		_, t.err = scanPlain(doc, p)
	}
	if t.err != nil {
		t.showText(t.err.Offset)
		return t
	}
	t.lines = []line{t.root(p)}
	t.unfold(0)
	return t
}

// NewText returns a document as wrapped text, JSON or not.
func NewText(doc []byte, th *paint.Theme, options termsafe.Options) *Tree {
	t := &Tree{doc: doc, theme: th, options: options, limits: usualLimits(), hit: unknown}
	t.showText(0)
	return t
}

// Err returns why the document is shown as text: a *SyntaxError, or nil.
func (t *Tree) Err() error {
	if t.err == nil {
		return nil
	}
	return t.err
}

// SetTheme changes the styles.
func (t *Tree) SetTheme(th *paint.Theme) { t.theme = th }

// SetSize sets the size in cells. Text is wrapped again; unfolded strings keep their
// lines, or are folded if now fully visible.
func (t *Tree) SetSize(w, h int) {
	other := w != t.width
	t.width, t.height = max(w, 0), max(h, 0)
	switch {
	case other && t.asText:
		t.showText(t.textCursor())
	case other:
		t.foldFitting()
		if t.fitting {
			t.unfoldStrings(t.height)
		}
	}
	t.keepInSight()
}

// Lines returns the current number of lines.
func (t *Tree) Lines() int { return len(t.lines) }

// root is the line of the whole document. The children of a long one are not counted.
func (t *Tree) root(p int) line {
	n := line{kind: valueLine, off: p, end: len(bytes.TrimRight(t.doc, " \t\r\n")), count: unknown}
	if budget := t.limits.step; len(t.doc) <= budget && (n.isContainer(t.doc) || n.isString(t.doc)) {
		s := newSkipper(t.doc, p)
		if done, err := s.advance(t.doc, &budget); done && err == nil {
			n.setEnd(t.doc, s.pos, s.commas)
		}
	}
	return n
}

func (t *Tree) showText(at int) {
	t.asText = true
	t.lines = t.lines[:0]
	if t.err != nil {
		t.lines = append(t.lines, line{kind: errorLine, off: t.err.Offset, err: t.err})
	}
	g := &gap{end: len(t.doc), width: t.textWidth(0)}
	budget := t.limits.step
	t.lines = append(t.lines, t.page(g, 0, &budget)...)
	t.cursor, t.top = 0, 0
	t.Reveal(at)
}

// textCursor is the offset that stays visible when text is wrapped again.
func (t *Tree) textCursor() int {
	if t.cursor >= len(t.lines) {
		return 0
	}
	l := &t.lines[t.cursor]
	if t.err != nil && l.off <= t.err.Offset && t.err.Offset < l.end {
		return t.err.Offset
	}
	return l.off
}

func (t *Tree) textWidth(depth int32) int {
	const usual = 80 // until the size is set
	w := t.width
	if w == 0 {
		w = usual
	}
	return w - t.indent(depth) - gutter
}

type lineKind uint8

const (
	valueLine lineKind = iota // a value, with its key
	closeLine                 // the bracket that ends an unfolded container
	textLine                  // text of an unfolded string, or of a document that is not JSON
	moreLine
	errorLine
)

// unknown is the end or the count of a value not scanned to its end.
const unknown = -1

type line struct {
	kind     lineKind
	unfolded bool
	depth    int32
	index    int
	// around the key with its quotes; zero without a key
	keyOff, keyEnd int
	off, end       int
	count          int // number of children
	gap            *gap
	err            *SyntaxError
}

func (l *line) start() int {
	if l.keyEnd > 0 {
		return l.keyOff
	}
	return l.off
}

// setEnd records the end of a container or string, and the number of children.
func (l *line) setEnd(doc []byte, end, commas int) {
	l.end = end
	if l.isContainer(doc) {
		l.count = commas + 1
		if skipSpace(doc, l.off+1) == end-1 {
			l.count = 0
		}
	}
}

func (l *line) isContainer(doc []byte) bool {
	return l.kind == valueLine && (doc[l.off] == '{' || doc[l.off] == '[')
}

func (l *line) isString(doc []byte) bool {
	return l.kind == valueLine && doc[l.off] == '"'
}
