package probe

import (
	"strings"

	"mcpdbg/internal/wording"
)

// Limits of texts in a result, in bytes.
const (
	maxMessage = 2000
	maxLine    = 500
	maxName    = 200
)

// tidy removes secrets and bounds lengths, whatever a server or a host wrote.
func (c *target) tidy() {
	r := &c.result
	if open := c.run.opts.Open; open != nil {
		r.Debug = c.secrets.Text(open(c.index))
	}
	r.Message = strings.Join(firstLines(c.secrets.Text(r.Message)), "; ")
	c.texts(maxMessage, &r.Message, &r.Hint)
	c.texts(maxName, &r.Exit)
	for i := range r.Servers {
		c.texts(maxName, &r.Servers[i].Protocol, &r.Servers[i].Name, &r.Servers[i].Version)
	}
	for i := range r.Attempts {
		c.texts(maxMessage, &r.Attempts[i].Message)
	}
	for i := range r.Said {
		c.texts(maxLine, &r.Said[i])
	}
	for i := range r.Notices {
		n := &r.Notices[i]
		c.texts(maxMessage, &n.Text, &n.Said, &n.Hint)
	}
	for i := range r.Problems {
		p := &r.Problems[i]
		c.texts(maxMessage, &p.Detail, &p.Name, &p.Pointer, &p.At, &p.Fingerprint)
		if p.Cause != nil {
			c.texts(maxMessage, &p.Cause.Text, &p.Cause.Advice)
		}
	}
	for i := range r.Steps {
		c.texts(maxMessage, &r.Steps[i].Reason, &r.Steps[i].Subject)
		for j := range r.Steps[i].Problems {
			c.texts(maxMessage, &r.Steps[i].Problems[j])
		}
	}
	for i := range r.Drift {
		d := &r.Drift[i]
		c.texts(maxMessage, &d.Name, &d.Pointer, &d.From, &d.To)
	}
	for i := range r.Orphans {
		c.texts(maxLine, &r.Orphans[i].Command)
	}
	for i := range r.Spared {
		c.texts(maxLine, &r.Spared[i].Command)
	}
	for i := range r.CannotTell {
		c.texts(maxMessage, &r.CannotTell[i])
	}
}

func (c *target) texts(limit int, texts ...*string) {
	for _, t := range texts {
		*t = wording.ClipValid(c.secrets.Text(*t), limit, wording.Ellipsis)
	}
}

func firstLines(message string) []string {
	lines := nonBlankLines(strings.Split(message, "\n"))
	return lines[:min(len(lines), maxSaid)]
}
