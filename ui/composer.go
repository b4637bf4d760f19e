package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/form"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

// A composeView is a way to write what is sent.
type composeView uint8

// The views. A form and its JSON are two views of the same arguments; the other
// two have texts of their own.
const (
	composeMessage composeView = iota // one message, as JSON
	composeForm                       // fields, of a tool, a prompt or a template
	composeJSON                       // what the form holds, as JSON
	composeRaw                        // any bytes, written with escapes
)

// A composer is where messages are written. What is in it is kept when it is
// closed.
type composer struct {
	open bool
	view composeView

	area    textBox // composeMessage
	json    textBox // composeJSON
	raw     textBox // composeRaw
	target  *callee // of form and JSON; nil if there was none yet
	form    *form.Form
	drawn   int    // ids given to drafts
	fresh   uint64 // revision of the form when it was opened
	saving  bool   // drafts will be saved soon
	refused string // what was not sent because of problems: the next time it is

	completing completing
	recalling  recalling
	drafts     *drafts
}

func newComposer(d *drafts) *composer {
	c := &composer{area: newTextBox(composerHint), json: newTextBox(jsonHint), raw: newTextBox(rawHint), drafts: d}
	c.area.SetValue(d.text(draftMessage))
	c.raw.SetValue(d.text(draftRaw))
	return c
}

// box is the text of the view, nil in the form.
func (c *composer) box() *textBox {
	switch c.view {
	case composeMessage:
		return &c.area
	case composeJSON:
		return &c.json
	case composeRaw:
		return &c.raw
	}
	return nil
}

// scope is the part of the action table that is in force.
func (c *composer) scope() string {
	if c.view == composeForm {
		return scopeForm
	}
	return scopeComposer
}

func (c *composer) setSize(w, h int) {
	for _, b := range []*textBox{&c.area, &c.json, &c.raw} {
		b.setSize(w, h-composeFoot(h))
	}
	if c.form != nil {
		c.form.SetSize(w, h)
	}
}

// composeFoot is how many of h lines below a text say what is wrong with it,
// and what it could be.
func composeFoot(h int) int { return between(0, h-3, 2) }

// update takes a key, or what was pasted.
func (a *App) updateComposer(msg tea.Msg) tea.Cmd {
	c := a.composer
	if c.view == composeForm {
		if !a.typeField(c.form, msg) {
			return nil
		}
		return tea.Batch(a.suggestLater(), a.keepLater())
	}
	before := c.box().Value()
	cmd, err := c.box().update(msg)
	if err != nil {
		a.complain(err.Error() + ": ctrl+e opens it in your editor")
	}
	if c.box().Value() != before {
		c.completing.tokens, c.recalling = nil, recalling{}
		cmd = tea.Batch(cmd, a.keepLater())
	}
	return cmd
}

func (c *composer) paint(a *App, out *paint.Lines, w, h int) {
	if c.view == composeForm {
		c.form.SetTheme(a.theme)
		c.form.Paint(out, true)
		return
	}
	out.Resize(w, h)
	foot := composeFoot(h)
	c.box().paint(a, out, h-foot)
	if foot > 0 {
		said, style := c.says(a)
		l := out.Line(h - 1)
		l.PadTo(1)
		l.Text(style, said)
	}
	if foot > 1 && len(c.completing.tokens) > 0 {
		l := out.Line(h - 2)
		l.PadTo(1)
		l.Text(a.theme.Key, "tab ")
		for _, token := range c.completing.tokens {
			l.Text(theme.Style{}, " ")
			l.Text(a.theme.Text, token)
		}
	}
}

// titles are what the border says: on the right, what the text is.
func (c *composer) titles(a *App) (left, right string) {
	switch c.view {
	case composeForm:
		problems, err := c.form.Problems()
		right = "valid"
		switch {
		case err != nil:
			right = "cannot be checked"
		case len(problems) > 0:
			right = fmt.Sprintf("%d to mend", len(problems))
		}
		return "Compose " + c.target.title(), right + c.target.unlisted(a)
	case composeJSON:
		return "Compose " + c.target.title(), "JSON" + c.target.unlisted(a)
	case composeRaw:
		return "Compose raw bytes", ""
	}
	if long := len(c.area.long); long > 0 {
		return "Compose", size(int64(long)) + ", not checked"
	}
	text := strings.TrimSpace(c.area.Value())
	if text == "" {
		return "Compose", "empty"
	}
	if m := framing.Scan([]byte(text)); m.Valid() {
		return "Compose", "valid " + m.Kind.String()
	}
	return "Compose", "not JSON"
}

// nextID gives an id for a draft. It is not one of the session's own, which
// are mcpdbg-N.
func (c *composer) nextID() string {
	c.drawn++
	return fmt.Sprintf(`"ui-%d"`, c.drawn)
}

// compose opens the composer as it was left, with a draft to begin with if it is
// empty.
func (a *App) compose() {
	c := a.composer
	if c.view == composeMessage && strings.TrimSpace(c.area.Value()) == "" {
		c.area.SetValue(a.draft())
	}
	a.openComposer()
}

func (a *App) openComposer() {
	c := a.composer
	c.open = true
	for _, b := range []*textBox{&c.area, &c.json, &c.raw} {
		b.area.Blur()
	}
	if b := c.box(); b != nil {
		b.area.Focus()
	}
	a.arrange()
}

// closeComposer closes the composer and keeps what is in it.
func (a *App) closeComposer() {
	a.composer.open = false
	a.composer.completing = completing{}
	a.keepDraft()
	a.arrange()
}

// draft is a message to begin with.
func (a *App) draft() string {
	params := ""
	if server := a.status.Server; server.Era == mcp.Modern {
		params = `,"params":{"_meta":` + modernMeta(server.Protocol) + `}`
	}
	return `{"jsonrpc":"2.0","id":` + a.composer.nextID() + `,"method":"` + mcp.MethodToolsList + `"` + params + `}`
}

// modernMeta is what a request of the modern era carries in _meta.
func modernMeta(protocol string) string {
	return fmt.Sprintf(`{%q:%q,%q:{"name":"mcpdbg","version":""},%q:{}}`,
		mcp.MetaProtocolVersion, protocol, mcp.MetaClientInfo, mcp.MetaClientCapabilities)
}

// withID replaces the id of a request.
func withID(line []byte, m framing.Message, id string) []byte {
	if m.Kind != framing.Request {
		return line
	}
	return append(append(bytes.Clone(line[:m.ID.Start]), id...), line[m.ID.End:]...)
}

// spread writes a message over several lines, to be edited.
func spread(line []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, line, "", "  ") != nil || bytes.Count(out.Bytes(), []byte{'\n'}) > maxDraftLines {
		return string(line)
	}
	return out.String()
}

// clickComposer selects the field on a line of the screen.
func (a *App) clickComposer(y int) tea.Cmd {
	c := a.composer
	if c.view != composeForm || !c.form.SelectLine(y-a.layout.pane[composerID].Inner().Y) {
		return nil
	}
	a.mark(composerID)
	return a.suggestLater()
}

// wheelComposer scrolls the fields.
func (a *App) wheelComposer(lines int) {
	if c := a.composer; c.view == composeForm {
		c.form.Scroll(lines)
		a.mark(composerID)
	}
}
