package content

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
)

// Parts are those of one message.
type Parts struct {
	list   []*Part
	number int // of the last one that is counted
	note   string

	structured *Part // the structured content of a result, nil without any
}

// Parse divides a message. text is the message, or its first bytes if full is more than
// MaxBytes; said summarizes it in that case.
func Parse(text []byte, msg framing.Message, full int64, said string) *Parts {
	p := &Parts{}
	switch {
	case full > MaxBytes:
		p.note = fmt.Sprintf("%s is too large for this view: v shows the text", wording.Size(full))
		if said != "" {
			p.add(&Part{label: "summary", facts: said})
		}
	case msg.Error.Of(text) != nil:
		p.failure(msg.Error.Of(text))
	case msg.Result.Of(text) != nil && p.task(msg.Result.Of(text)):
	case msg.Result.Of(text) != nil:
		p.object("result", msg.Result.Of(text))
	case msg.Params.Of(text) != nil:
		p.object("params", msg.Params.Of(text))
	case json.Valid(text):
		p.value("message", text)
	default:
		p.text("text", "", "", text)
	}
	return p
}

// add appends a part that is not counted.
func (p *Parts) add(part *Part) {
	if len(p.list) >= maxParts {
		p.note = fmt.Sprintf("only the first %d parts are shown: v shows the tree", maxParts)
		return
	}
	p.list = append(p.list, part)
}

func (p *Parts) count(part *Part) {
	p.number++
	part.number = p.number
	p.add(part)
}

func (p *Parts) failure(raw []byte) {
	var e struct {
		Code    json.Number     `json:"code"`
		Message *string         `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if json.Unmarshal(raw, &e) != nil || e.Message == nil {
		p.value("error", raw)
		return
	}
	facts := e.Code.String()
	if code, err := strconv.Atoi(facts); err == nil && mcp.CodeName(code) != "" {
		facts += " " + mcp.CodeName(code)
	}
	part := &Part{label: "error", facts: facts, failed: true, text: []byte(*e.Message)}
	part.build()
	p.add(part)
	if e.Data != nil {
		p.anything("data", e.Data)
	}
}

func (p *Parts) anything(label string, raw []byte) {
	var text string
	if json.Unmarshal(raw, &text) == nil && raw[0] == '"' {
		p.text(label, "", "", []byte(text))
		return
	}
	p.value(label, raw)
}

func (p *Parts) value(label string, raw []byte) *Part {
	part := &Part{label: label, facts: sizeOf(len(raw)), text: raw, form: jsonForm, best: jsonForm}
	part.build()
	p.add(part)
	return part
}

func (p *Parts) object(label string, raw []byte) {
	var o struct {
		IsError     json.RawMessage `json:"isError"`
		Description json.RawMessage `json:"description"`
		Content     json.RawMessage `json:"content"`
		Contents    json.RawMessage `json:"contents"`
		Messages    json.RawMessage `json:"messages"`
		Structured  json.RawMessage `json:"structuredContent"`
		Role        json.RawMessage `json:"role"`
		Action      json.RawMessage `json:"action"`
		Model       json.RawMessage `json:"model"`
	}
	if json.Unmarshal(raw, &o) != nil || o.Content == nil && o.Contents == nil && o.Messages == nil && o.Structured == nil || o.Action != nil {
		p.value(label, raw)
		return
	}
	if string(o.IsError) == "true" {
		p.add(&Part{label: "error", facts: "isError: the tool reported a failure", failed: true})
	}
	if text := textOf(o.Description); text != "" {
		p.text("description", "", "", []byte(text))
	}
	role := textOf(o.Role)
	if model := textOf(o.Model); model != "" {
		p.add(&Part{label: "model", facts: model})
	}
	for _, raw := range elements(o.Content) {
		p.block(role, raw)
	}
	for _, raw := range elements(o.Contents) {
		p.resource("", raw)
	}
	for _, raw := range elements(o.Messages) {
		p.message(raw)
	}
	if o.Structured != nil {
		p.structured = p.value("structured", o.Structured)
	}
}

// "" for values other than a string.
func textOf(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// Another value is the only element.
func elements(raw json.RawMessage) (all []json.RawMessage) {
	if len(raw) == 0 {
		return nil
	}
	if json.Unmarshal(raw, &all) != nil || raw[0] != '[' {
		return []json.RawMessage{raw}
	}
	return all
}

func (p *Parts) message(raw json.RawMessage) {
	var m struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &m) != nil || m.Content == nil {
		p.counted(&Part{label: "message", text: raw, form: jsonForm})
		return
	}
	for _, raw := range elements(m.Content) {
		p.block(m.Role, raw)
	}
}

// counted adds a part with a number whose facts are its size.
func (p *Parts) counted(part *Part) {
	part.facts = wording.Join("  ", sizeOf(len(part.text)), part.facts)
	part.best = part.form
	part.build()
	p.count(part)
}

type block struct {
	Type        string          `json:"type"`
	Text        *string         `json:"text"`
	Data        *string         `json:"data"`
	MimeType    string          `json:"mimeType"`
	Resource    json.RawMessage `json:"resource"`
	URI         string          `json:"uri"`
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Size        *int            `json:"size"`
	Annotations struct {
		Audience []string     `json:"audience"`
		Priority *json.Number `json:"priority"`
	} `json:"annotations"`
}

// block adds a content block; role is that of a message, or "".
func (p *Parts) block(role string, raw json.RawMessage) {
	var b block
	if json.Unmarshal(raw, &b) != nil {
		p.counted(&Part{label: wording.Join("  ", role, "block"), text: raw, form: jsonForm})
		return
	}
	switch {
	case b.Type == "text" && b.Text != nil:
		p.text(wording.Join("  ", role, "text"), b.MimeType, b.notes(), []byte(*b.Text))
	case (b.Type == "image" || b.Type == "audio") && b.Data != nil:
		p.media(wording.Join("  ", role, cmp.Or(b.MimeType, b.Type)), b.MimeType, b.notes(), *b.Data)
	case b.Type == "resource" && b.Resource != nil:
		p.resource(wording.Join("  ", role, "resource"), b.Resource)
	case b.Type == "resource_link" && b.URI != "":
		p.link(role, b)
	default:
		p.counted(&Part{label: wording.Join("  ", role, cmp.Or(b.Type, "block")), text: raw, form: jsonForm})
	}
}

func (b *block) notes() string {
	var notes string
	if len(b.Annotations.Audience) > 0 {
		notes = "for " + strings.Join(b.Annotations.Audience, ", ")
	}
	if b.Annotations.Priority != nil {
		notes = wording.Join("  ", notes, "priority "+b.Annotations.Priority.String())
	}
	return notes
}

func (p *Parts) link(role string, b block) {
	facts := b.URI
	if name := cmp.Or(b.Title, b.Name); name != "" {
		facts = wording.Join("  ", facts, strconv.Quote(name))
	}
	facts = wording.Join("  ", facts, b.MimeType)
	if b.Size != nil {
		facts = wording.Join("  ", facts, sizeOf(*b.Size))
	}
	part := &Part{label: wording.Join("  ", role, "link"), facts: wording.Join("  ", facts, b.notes()), Link: b.URI}
	if b.Description != "" {
		part.text = []byte(b.Description)
		part.build()
		part.text = nil
	}
	p.count(part)
}

func (p *Parts) resource(label string, raw json.RawMessage) {
	var r struct {
		URI      string  `json:"uri"`
		MimeType string  `json:"mimeType"`
		Text     *string `json:"text"`
		Blob     *string `json:"blob"`
	}
	if json.Unmarshal(raw, &r) != nil || r.Text == nil && r.Blob == nil {
		p.counted(&Part{label: cmp.Or(label, "contents"), text: raw, form: jsonForm})
		return
	}
	label = wording.Join("  ", label, cmp.Or(r.MimeType, "no type"))
	if r.Text != nil {
		p.text(label, r.MimeType, r.URI, []byte(*r.Text))
		return
	}
	p.media(label, r.MimeType, r.URI, *r.Blob)
}

func (p *Parts) text(label, mime, facts string, text []byte) {
	part := &Part{label: label, mime: mime, facts: facts, text: text, form: formOf(mime, text)}
	if part.text == nil {
		part.text = []byte{}
	}
	part.long = part.form == plainForm && len(text) > maxMarkdown && len(text) <= maxRendered && isMarkdown(mime, text)
	p.counted(part)
}

func formOf(mime string, text []byte) form {
	switch trimmed := bytes.TrimSpace(text); {
	case len(trimmed) > 1 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid(trimmed):
		return jsonForm
	case len(text) <= maxMarkdown && isMarkdown(mime, text):
		return markdownForm
	}
	return plainForm
}

func (p *Parts) media(label, mime, facts, data string) {
	part := &Part{label: label, mime: mime, data: data, viewed: host.ViewerSuffix(mime, beginning(data))}
	size := base64.StdEncoding.DecodedLen(len(data)) - strings.Count(data[max(len(data)-2, 0):], "=")
	if h, err := kit.InspectPicture(beginning(data)); err == nil {
		part.facts = fmt.Sprintf("%dx%d", h.Width, h.Height)
		part.shown = &pictureBody{}
	}
	part.facts = wording.Join("  ", part.facts, sizeOf(size), facts)
	p.count(part)
}

// beginning decodes the beginning of base64, with the header of a picture.
func beginning(data string) []byte {
	const most = 64 << 10 // of a JPEG, tables and a preview may come first
	head, _ := base64.StdEncoding.DecodeString(data[:min(len(data), most)/4*4])
	return head
}

// guessed is how much of a text is read to guess its form, in bytes.
const guessed = 16 << 10

func isMarkdown(mime string, text []byte) bool {
	return strings.HasPrefix(mime, "text/markdown") || looksLikeMarkdown(mime, text)
}

// looksLikeMarkdown reports whether a text without a type of its own is probably
// Markdown: it has a heading, a fence or a table, or several list items, or bold
// words.
func looksLikeMarkdown(mime string, text []byte) bool {
	if mime != "" && mime != "text/plain" {
		return false
	}
	items := 0
	for line := range bytes.Lines(text[:min(len(text), guessed)]) {
		line := strings.TrimSpace(string(line))
		hashes := len(line) - len(strings.TrimLeft(line, "#"))
		switch {
		case hashes >= 1 && hashes <= 6 && strings.HasPrefix(line[hashes:], " "),
			strings.HasPrefix(line, "```"),
			strings.HasPrefix(line, "|--"), strings.HasPrefix(line, "| --"), strings.HasPrefix(line, "|:-"),
			between(line, "**", "**"), between(line, "](", ")"):
			return true
		case strings.HasPrefix(line, "- "), strings.HasPrefix(line, "* "):
			items++
		}
	}
	return items > 1
}

func between(line, begin, end string) bool {
	_, after, ok := strings.Cut(line, begin)
	return ok && strings.Index(after, end) > 0
}
