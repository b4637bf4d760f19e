package send

import (
	"encoding/json"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/form"
	"mcpdbg/ui/widget/jsontree"
)

// recalling is the position in the history from which a text was set, and the
// text before that.
type recalling struct {
	steps int
	draft string
}

// recall sets the field or the text to an earlier history entry, or to a later
// one if by < 0.
func (p *Composer) recall(c host.Context, by int) tea.Cmd {
	if p.view == formView {
		if by > 0 && !p.form.HistoryPrev() || by < 0 && !p.form.HistoryNext() {
			c.Host.Warn("no more history for this field")
			return nil
		}
		return p.suggestLater(c)
	}
	sent, b := p.drafts.history(p.draftName()), p.Text()
	r := p.recalling
	if r.steps == 0 {
		r.draft = b.Value()
	}
	r.steps += by
	switch {
	case r.steps < 0 || r.steps > len(sent):
		c.Host.Warn("no more history")
		return nil
	case r.steps == 0:
		b.SetValue(r.draft)
	case p.view == jsonView:
		b.SetValue(spreadJSON([]byte(sent[r.steps-1])))
	default:
		b.SetValue(sent[r.steps-1])
	}
	p.recalling = r
	return p.keepLater(c)
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
	texts := map[string][]string{}
	for _, sent := range p.drafts.history(p.target.draft()) {
		leaves("", json.RawMessage(sent), 0, func(path, text string) {
			if !slices.Contains(texts[path], text) {
				texts[path] = append(texts[path], text)
			}
		})
	}
	for path, list := range texts {
		p.form.SetHistory(path, list)
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
