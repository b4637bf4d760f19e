package content

import (
	"encoding/base64"
	"fmt"
	"mime"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/markdown"
)

// A Part is one thing that a message contains.
type Part struct {
	// Link is the address of a resource that can be read; "" for other parts.
	Link string

	number int // from 1; 0 for one that is not counted
	label  string
	facts  string
	viewed string // the end of a file name with which a viewer opens it, "" for none
	failed bool   // an error
	mime   string
	text   []byte // of a text, or JSON
	data   string // base64 of a picture, a sound or a blob
	form   form   // in which the text is shown
	best   form   // that suits it
	long   bool   // Markdown that is too long to be laid out without a request
	shown  body   // nil without one
}

type form uint8

const (
	plainForm form = iota
	markdownForm
	jsonForm
)

// Limits of a part.
const (
	// MaxBytes is the longest message that is divided into parts, in bytes.
	MaxBytes = 16 << 20
	// maxParts is the maximum number of parts.
	maxParts = 1000
	// maxPlain is how much of a text is shown, in bytes; saving a part saves all of it.
	maxPlain = 1 << 20
	// maxMarkdown is the longest text that is shown as Markdown without a request, in
	// bytes.
	maxMarkdown = 256 << 10
	// maxRendered is the longest text that is shown as Markdown at all.
	maxRendered = 4 << 20
	// maxTree is the maximum number of lines of a tree that are unfolded at first.
	maxTree = 40
)

// Name returns a name for the part, for messages about it.
func (p *Part) Name() string {
	if p.number > 0 {
		return fmt.Sprintf("part %d", p.number)
	}
	return p.label
}

// Text returns the text of the part; ok is false if it has none.
func (p *Part) Text() (text string, ok bool) { return string(p.text), p.text != nil }

// Suffix returns the end of a file name for the part.
func (p *Part) Suffix() string {
	switch kind, _, _ := strings.Cut(p.mime, ";"); kind {
	case "":
	case "text/plain":
		return ".txt"
	case "text/markdown":
		return ".md"
	case "image/jpeg":
		return ".jpg"
	case "audio/wav":
		return ".wav"
	default:
		if all, err := mime.ExtensionsByType(kind); err == nil && len(all) > 0 {
			return all[0]
		}
	}
	switch {
	case p.form == jsonForm:
		return ".json"
	case p.form == markdownForm:
		return ".md"
	case p.text != nil:
		return ".txt"
	}
	return ".bin"
}

// Bytes returns the content of a saved file: the text, or the decoded data. It decodes,
// so use it in a command.
func (p *Part) Bytes() ([]byte, error) {
	if p.data == "" {
		return p.text, nil
	}
	data, err := base64.StdEncoding.DecodeString(p.data)
	if err != nil {
		return nil, fmt.Errorf("not valid base64: %w", err)
	}
	return data, nil
}

// Viewed returns the end of a file name with which another program shows the data, "" for
// data that none should open.
func (p *Part) Viewed() string { return p.viewed }

// HasBytes reports whether the part can be saved.
func (p *Part) HasBytes() bool { return p.data != "" || p.text != nil }

func (p *Part) build() {
	p.shown = bodyOf(p.text, p.form)
}

func bodyOf(text []byte, f form) body {
	switch f {
	case jsonForm:
		return &treeBody{doc: text}
	case markdownForm:
		d, _ := markdown.Parse(text)
		return &textBody{Document: d}
	}
	if len(text) <= maxPlain {
		return &textBody{Document: markdown.Plain(text)}
	}
	return &textBody{
		Document: markdown.Plain([]byte(wording.Cut(string(text[:min(len(text), maxPlain+4)]), maxPlain))),
		rest:     fmt.Sprintf("the first %s of %s", wording.Size(maxPlain), wording.Size(int64(len(text)))),
	}
}

func sizeOf(n int) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	return wording.Size(int64(n))
}
