package check

import "mcpdbg/internal/wording"

// Limits of texts in a result, in bytes.
const (
	maxReason = 2000
	maxLine   = 500
	maxSaid   = 10
)

// conceal removes secrets and bounds lengths, whatever a server or a host wrote.
func (t *target) conceal() {
	r := &t.result
	t.texts(maxReason, &r.Message, &r.Hint)
	r.Said = r.Said[max(0, len(r.Said)-maxSaid):]
	for i := range r.Said {
		t.texts(maxLine, &r.Said[i])
	}
	for i := range r.Servers {
		t.texts(maxLine, &r.Servers[i].Name, &r.Servers[i].Version, &r.Servers[i].Protocol)
	}
	for i := range r.Steps {
		t.texts(maxReason, &r.Steps[i].Reason, &r.Steps[i].Subject)
	}
	for i := range r.Problems {
		p := &r.Problems[i]
		t.texts(maxReason, &p.Detail, &p.Name, &p.Pointer, &p.At, &p.Fingerprint)
		if p.Cause != nil {
			t.texts(maxReason, &p.Cause.Text, &p.Cause.Advice)
		}
	}
}

func (t *target) texts(limit int, texts ...*string) {
	for _, text := range texts {
		*text = wording.ClipValid(t.secrets.Text(*text), limit, wording.Ellipsis)
	}
}
