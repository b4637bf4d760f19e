package jsontree

// lineKind is the kind of a line of the tree.
type lineKind uint8

const (
	valueLine lineKind = iota // a value, with its key
	closeLine                 // the bracket that ends an unfolded container
	textLine                  // text of an unfolded string, or of a document that is not JSON
	moreLine                  // a gap
	errorLine                 // a syntax error
)

// unknown is the end or the count of a value that was not scanned to its end.
const unknown = -1

// line is one visible line.
type line struct {
	kind     lineKind
	unfolded bool
	depth    int32
	index    int // index among its siblings
	// keyOff and keyEnd enclose the key with its quotes; both are zero without
	// a key.
	keyOff, keyEnd int
	off, end       int
	count          int // number of children
	gap            *gap
	err            *SyntaxError
}

// start returns the offset where the line begins.
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
