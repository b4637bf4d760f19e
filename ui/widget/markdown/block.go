package markdown

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

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

type kind uint8

const (
	paragraph kind = iota
	heading
	program // code, and HTML
	rule
	grid
)

type run struct {
	end  int
	look look
}

type rich struct {
	text string
	runs []run // to the end of the text, in order
}

type level struct {
	quote bool
	mark  string // of a list item: "-" for a bullet, or such as "3."
	width int    // cells, with the blank after the mark
	first bool   // first of the item, with its mark
}

type block struct {
	kind   kind
	tight  bool // no blank line before it
	levels []level
	rich
	table *table
}

// A Document is a text ready to be shown: give it a width with Layout, then paint its
// lines.
type Document struct {
	blocks []block
	width  int
	lines  []line
}

// Limits of a document.
const (
	maxBlocks = 50_000
	maxLevels = 8
	// maxNesting is how deep the nodes of the parser are followed.
	maxNesting = 100
	maxColumns = 64
)

// Plain returns a document of text as it is.
func Plain(text []byte) *Document {
	d := &Document{}
	d.blocks = []block{{tight: true, rich: rich{text: unpacked(text)}}}
	d.blocks[0].runs = []run{{end: len(d.blocks[0].text)}}
	return d
}

// unpacked returns a text with blanks for tabs and only line feeds as line breaks, none
// at its end.
func unpacked(text []byte) string {
	text = bytes.TrimRight(text, "\r\n")
	if bytes.IndexByte(text, '\r') < 0 && bytes.IndexByte(text, '\t') < 0 {
		return string(text)
	}
	return strings.NewReplacer("\r\n", "\n", "\t", "    ").Replace(string(text))
}

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

func runAt(runs []run, offset int) int {
	i, _ := slices.BinarySearchFunc(runs, offset, func(r run, offset int) int { return cmp.Compare(r.end, offset+1) })
	return i
}
