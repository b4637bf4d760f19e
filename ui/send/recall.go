package send

import (
	"encoding/json"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/form"
	"mcpdbg/ui/widget/jsontree"
)

// recalling is the position in the history from which a field or a text was set, and
// what it was before that.
type recalling struct {
	steps  int
	path   string // of a field
	draft  string
	absent bool
	null   bool
}

// recall sets the field or the text to an earlier history entry, or to a later
// one if by < 0.
func (p *Composer) recall(c host.Context, by int) tea.Cmd {
	sent, now := p.drafts.of(p.draftName()).Sent, recalling{}
	if p.view == formView {
		now.path, now.absent, now.null = p.form.Path(), p.form.Info().Absent, p.form.Info().Null
		now.draft, _ = p.form.Text(now.path) // there is no field without rows
		sent = p.texts[now.path]
	} else {
		now.draft = p.Text().Value()
	}
	if r := p.recalling; r.steps > 0 && r.path == now.path {
		now = r
	}
	if now.steps += by; now.steps < 0 || now.steps > len(sent) {
		c.Host.Warn("no more history")
		return nil
	}
	text := now.draft
	if now.steps > 0 {
		text = sent[now.steps-1]
	}
	switch {
	case p.view == formView && now.steps == 0 && now.absent:
		p.form.Clear()
	case p.view == formView && now.steps == 0 && now.null:
		p.form.Clear()
		p.form.Null()
	case p.view == formView:
		_ = p.form.SetText(now.path, text+"\n") // SetText drops one; an earlier text that the schema no longer allows is skipped
	case p.view == jsonView && now.steps > 0:
		p.json.SetValue(spreadJSON([]byte(text)))
	default:
		p.Text().SetValue(text)
	}
	p.recalling = now
	return p.Edited(c)
}

func (p *Composer) draftName() string {
	switch p.view {
	case messageView:
		return draftMessage
	case rawView:
		return draftRaw
	}
	return p.target.draft()
}

func (p *Composer) setHistory() {
	p.texts = map[string][]string{}
	for _, sent := range p.drafts.of(p.target.draft()).Sent {
		leaves("", json.RawMessage(sent), 0, func(path, text string) {
			if !slices.Contains(p.texts[path], text) {
				p.texts[path] = append(p.texts[path], text)
			}
		})
	}
}

// leaves visits the values in an object, with their JSON Pointers: the text of
// a string, the JSON of anything else.
func leaves(path string, raw json.RawMessage, depth int, take func(path, text string)) {
	const deepest = 8
	var text string
	if json.Unmarshal(raw, &text) == nil {
		take(path, text)
		return
	}
	if depth > 0 {
		take(path, string(raw))
	}
	if depth == deepest {
		return
	}
	for name, value := range jsontree.Members(raw) {
		leaves(form.Below(path, name), value, depth+1, take)
	}
}
