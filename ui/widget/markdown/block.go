package markdown

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// A look is a set of properties of a run of text.
type look uint16

const (
	strong look = 1 << iota
	emphasis
	code
	link
	address // of a link
	source  // HTML
	keyword
	literal // a string of a program
	number
	comment
	name // of a member, in JSON
	mark // the hashes of a heading
)

// A kind is the kind of a block.
type kind uint8

const (
	paragraph kind = iota
	heading
	program // code, and HTML
	rule
	grid // a table
)

// A run has one look, up to an offset in the text of its block.
type run struct {
	end  int
	look look
}

// A rich is a text with looks.
type rich struct {
	text string
	runs []run // to the end of the text, in order
}

// A level is a quote or a list item around a block.
type level struct {
	quote bool
	mark  string // of a list item: "-" for a bullet, or such as "3."
	width int    // cells, with the blank after the mark
	first bool   // the block is the first one of the item, and has its mark
}

// A block is a part of a document that has lines of its own.
type block struct {
	kind   kind
	tight  bool // no blank line before it
	levels []level
	rich
	table *table
}

// A Document is a text ready to be shown. Make one with Parse or Plain, give it a
// width with Layout, then paint its lines.
type Document struct {
	blocks []block
	width  int
	lines  []line
}

// Limits of a document.
const (
	// maxBlocks is the maximum number of blocks.
	maxBlocks = 50_000
	// maxLevels is the maximum depth of quotes and lists that are shown as such.
	maxLevels = 8
	// maxNesting is how deep the nodes of the parser are followed.
	maxNesting = 100
	// maxColumns is the maximum number of columns of a table.
	maxColumns = 64
)

// Plain returns a document of text that is shown as it is.
func Plain(text []byte) *Document {
	d := &Document{}
	d.blocks = []block{{tight: true, rich: rich{text: unpacked(text)}}}
	d.blocks[0].runs = []run{{end: len(d.blocks[0].text)}}
	return d
}

// unpacked returns a text with tabs as blanks and line feeds as the only line
// breaks, without those at its end.
func unpacked(text []byte) string {
	text = bytes.TrimRight(text, "\r\n")
	if bytes.IndexByte(text, '\r') < 0 && bytes.IndexByte(text, '\t') < 0 {
		return string(text)
	}
	return strings.NewReplacer("\r\n", "\n", "\t", "    ").Replace(string(text))
}

// A builder collects the text of a block.
type builder struct {
	text strings.Builder
	runs []run
}

func (b *builder) add(l look, text string) {
	if text == "" {
		return
	}
	b.text.WriteString(text)
	if n := len(b.runs); n > 0 && b.runs[n-1].look == l {
		b.runs[n-1].end = b.text.Len()
		return
	}
	b.runs = append(b.runs, run{b.text.Len(), l})
}

func (b *builder) rich() rich { return rich{b.text.String(), b.runs} }

// runAt returns the index of the run that an offset is in.
func runAt(runs []run, offset int) int {
	i, _ := slices.BinarySearchFunc(runs, offset, func(r run, offset int) int { return cmp.Compare(r.end, offset+1) })
	return i
}
