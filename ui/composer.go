package ui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/grid"
)

const (
	// maxDraft is how many bytes can be edited; the text field gets slow with
	// long texts.
	maxDraft = 64 << 10
	// maxDraftLines is how many lines of a message are spread out for editing;
	// a longer one is edited in one line.
	maxDraftLines = 400
)

// A composer is the text field in which a message is written. Its text is kept
// when it is closed.
type composer struct {
	open  bool
	area  textarea.Model
	drawn int // ids given to drafts
}

func newComposer() *composer {
	area := textarea.New()
	area.Prompt = ""
	area.ShowLineNumbers = false
	area.CharLimit = maxDraft
	area.MaxHeight = 0
	area.Placeholder = composerHint
	area.SetStyles(areaStyles())
	return &composer{area: area}
}

func (c *composer) setSize(w, h int) {
	c.area.SetWidth(w)
	c.area.SetHeight(h)
}

func (c *composer) update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	c.area, cmd = c.area.Update(msg)
	return cmd
}

func (c *composer) paint(out *grid.Lines, w, h int) {
	out.Resize(w, h)
	rows := strings.Split(c.area.View(), "\n")
	for y := range min(h, len(rows)) {
		out.Line(y).Rendered(rows[y])
	}
}

// titles are what the border says: on the right, what the text is.
func (c *composer) titles() (left, right string) {
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

// compose opens the composer, with a draft to begin with if it is empty.
func (a *App) compose() {
	if strings.TrimSpace(a.composer.area.Value()) == "" {
		a.composer.area.SetValue(a.draft())
	}
	a.openComposer()
}

func (a *App) openComposer() {
	a.composer.open = true
	a.composer.area.Focus()
	a.arrange()
}

func (a *App) closeComposer() {
	a.composer.open = false
	a.composer.area.Blur()
	a.arrange()
}

// draft is a message to begin with.
func (a *App) draft() string {
	params := ""
	if server := a.status.Server; server.Era == mcp.Modern {
		params = fmt.Sprintf(`,"params":{"_meta":{%q:%q,%q:{"name":"mcpdbg","version":""},%q:{}}}`,
			mcp.MetaProtocolVersion, server.Protocol, mcp.MetaClientInfo, mcp.MetaClientCapabilities)
	}
	return `{"jsonrpc":"2.0","id":` + a.composer.nextID() + `,"method":"` + mcp.MethodToolsList + `"` + params + `}`
}

// editSelected takes the selected message into the composer.
func (a *App) editSelected() tea.Cmd {
	source, row, id := a.source, a.selected.row, a.composer.nextID()
	return func() tea.Msg {
		if row.Len > maxDraft {
			return result{what: "edit", err: fmt.Errorf("%s is too much to edit here, at most %s", size(int64(row.Len)), size(maxDraft))}
		}
		e, err := source.Entry(row, 0)
		if err != nil {
			return result{what: "edit", err: err}
		}
		text := spread(withID(e.Payload, e.Msg, id))
		return result{then: func(a *App) tea.Cmd {
			a.composer.area.SetValue(text)
			a.openComposer()
			return nil
		}}
	}
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

var errEmpty = errors.New("there is nothing to send")

// send sends what is written: JSON in one line, other text after a question.
func (a *App) send() tea.Cmd {
	text, err := oneLine(a.composer.area.Value())
	if errors.Is(err, errEmpty) {
		a.complain("send: " + err.Error())
		return nil
	}
	send := func(a *App) tea.Cmd {
		a.composer.area.Reset()
		a.closeComposer()
		return a.sendText(text)
	}
	if err == nil {
		return send(a)
	}
	a.dialog = &dialog{
		title: "Send this as it is?",
		lines: []string{"It is not JSON: " + err.Error() + "."},
		yes:   send,
	}
	return nil
}

// oneLine returns the bytes to send for a text. Only line breaks between the
// tokens of JSON are taken out; text that is no JSON is returned as it is, with
// an error.
func oneLine(text string) ([]byte, error) {
	text = strings.Trim(text, "\r\n")
	if strings.TrimSpace(text) == "" {
		return nil, errEmpty
	}
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		return []byte(text), err
	}
	if strings.ContainsAny(text, "\r\n") {
		return out.Bytes(), nil
	}
	return []byte(text), nil
}
