package content

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
)

const (
	// maxPictures is the maximum number of pictures of one message that are decoded.
	maxPictures = 20
	// quick is the longest text that is parsed without a command.
	quick = 32 << 10
)

type pictured struct {
	view  *View
	part  *Part
	whole *kit.Picture
	err   error
}

// Pictures returns a command that decodes the first picture that is not decoded yet; the
// others follow. Decoded, visible ones go to the terminal, if that shows pictures itself.
// It returns nil if there is nothing to decode, or pictures cannot be shown.
func (v *View) Pictures() tea.Cmd {
	if !v.style.shows() || v.pictures.Err() != nil {
		return nil
	}
	sent, found := v.style.graphics.On(), 0
	var next *Part
	for i, p := range v.parts.list {
		b, ok := p.shown.(*pictureBody)
		if !ok {
			continue
		}
		if found++; found > maxPictures {
			break
		}
		v.style.graphics.Ask()
		if next == nil && (b.whole == nil || sent && b.whole.PNG == nil) {
			next = p
		}
		if sent && i < len(v.starts) && v.starts[i] < v.top+v.h && v.starts[i]+v.lines(i) > v.top {
			b.place(v.style)
		}
	}
	if next == nil || v.decoding {
		return nil
	}
	v.decoding = true
	return func() tea.Msg {
		whole, err := decode(v.pictures, next, sent)
		return pictured{v, next, whole, err}
	}
}

func decode(ctx context.Context, p *Part, sent bool) (*kit.Picture, error) {
	data, err := p.Bytes()
	if err != nil {
		return nil, err
	}
	return kit.DecodePicture(ctx, data, sent)
}

func (msg pictured) Deliver(c host.Context) tea.Cmd {
	v := msg.view
	v.decoding = false
	switch {
	case v.pictures.Err() != nil:
		return nil
	case msg.err != nil:
		msg.part.shown = nil
		msg.part.facts = wording.Join("  ", msg.part.facts, "not shown: "+msg.err.Error())
	default:
		b := msg.part.shown.(*pictureBody)
		if b.whole == nil {
			msg.part.facts = wording.Join("  ", msg.part.facts, msg.whole.Flaw)
		}
		b.whole = msg.whole
	}
	v.lay()
	c.Host.Redraw()
	return v.Pictures()
}

type rendered struct {
	view *View
	part *Part
	form form
	body body
}

func (msg rendered) Deliver(c host.Context) tea.Cmd {
	msg.part.form, msg.part.shown = msg.form, msg.body
	msg.view.lay()
	c.Host.Redraw()
	return nil
}

// CanSwitch reports whether the part under the cursor has another form, or why not.
func (v *View) CanSwitch() (bool, string) {
	p := v.Selected()
	switch {
	case p == nil || p.text == nil || p.Link != "":
		return false, "the part under the cursor is not a text"
	case p.form == plainForm && p.best != jsonForm && len(p.text) > maxRendered:
		return false, "Markdown is shown up to " + wording.Size(maxRendered)
	}
	return true, ""
}

// OtherForm names the form that Switch would show, "" if there is none.
func (v *View) OtherForm() string {
	if ok, _ := v.CanSwitch(); !ok {
		return ""
	}
	switch v.Selected().otherForm() {
	case jsonForm:
		return "as JSON tree"
	case markdownForm:
		return "as Markdown"
	}
	return "as plain text"
}

// otherForm returns the form to switch to: plain text, and from there the one that
// suits the part, Markdown if none does.
func (p *Part) otherForm() form {
	switch {
	case p.form != plainForm:
		return plainForm
	case p.best != plainForm:
		return p.best
	}
	return markdownForm
}

// Switch shows the part under the cursor as plain text, or in the form that suits it:
// as a tree for JSON, else as Markdown.
func (v *View) Switch() tea.Cmd {
	if ok, _ := v.CanSwitch(); !ok {
		return nil
	}
	p := v.Selected()
	to := p.otherForm()
	work := func() tea.Msg { return rendered{v, p, to, bodyOf(p.text, to)} }
	if len(p.text) > quick {
		return work
	}
	p.form, p.shown = to, bodyOf(p.text, to)
	v.lay()
	return nil
}
