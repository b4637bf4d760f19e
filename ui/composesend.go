package ui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/theme"
)

var errEmpty = errors.New("there is nothing to send")

// maxChecked is how many bytes of a text are looked at while it is written, and
// maxFields how many a form takes.
const (
	maxChecked = 2 << 20
	maxFields  = 1 << 20
)

// tooLongToCheck is said of a text beyond maxChecked.
const tooLongToCheck = "! too long to be checked while it is written"

// refusal is said of what the server may refuse.
const refusal = "not sent, ctrl+s again sends it: "

// send sends what is written.
func (a *App) send() tea.Cmd {
	switch a.composer.view {
	case composeForm:
		return a.sendForm()
	case composeJSON:
		return a.sendJSON()
	case composeRaw:
		return a.sendRaw()
	}
	return a.sendMessage()
}

// sendMessage sends JSON in one line, other text after a question.
func (a *App) sendMessage() tea.Cmd {
	written := a.composer.area.Value()
	if len(written) <= maxChecked {
		line, err := oneLine(written)
		return a.sendLine(line, err)
	}
	return func() tea.Msg {
		line, err := oneLine(written)
		return result{then: func(a *App) tea.Cmd { return a.sendLine(line, err) }}
	}
}

// sendLine sends a message in one line; err says that it is none.
func (a *App) sendLine(text []byte, err error) tea.Cmd {
	if errors.Is(err, errEmpty) {
		a.complain("send: " + err.Error())
		return nil
	}
	send := func(a *App) tea.Cmd {
		c := a.composer
		c.drafts.sent(draftMessage, c.area.Value())
		c.area.SetValue("")
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

// sendForm sends what the fields hold.
func (a *App) sendForm() tea.Cmd {
	arguments, ok := a.fieldsValue(a.composer.form, &a.composer.refused)
	if !ok {
		return nil
	}
	return a.sendArguments(arguments)
}

// sendJSON sends the arguments that are written as JSON.
func (a *App) sendJSON() tea.Cmd {
	c := a.composer
	text := c.json.Value()
	if strings.TrimSpace(text) == "" {
		text = "{}"
	}
	arguments := []byte(text)
	problems, _ := c.form.Validate(arguments)
	if !json.Valid(arguments) {
		a.complain("not sent: it is no JSON; the raw view sends any bytes")
		return nil
	}
	if len(problems) > 0 && !a.insisted(&c.refused, text, placed(arguments, problems[0])) {
		return nil
	}
	return a.sendArguments(arguments)
}

// sendArguments makes the call that the form is for.
func (a *App) sendArguments(arguments []byte) tea.Cmd {
	c, t := a.composer, a.composer.target
	c.refused = ""
	c.drafts.sent(t.draft(), string(arguments))
	a.closeComposer()
	a.session.Act("compose", t.method(), 0)
	return a.request(t.title(), t.method(), t.params(arguments), 0)
}

// lineOf tells where in a text so many bytes are read: line and column, from 1.
func lineOf(text []byte, read int) (line, col int) {
	before := text[:between(0, read-1, len(text))]
	return 1 + bytes.Count(before, []byte{'\n'}), len(before) - bytes.LastIndexByte(before, '\n')
}

// says is what there is to know of a text, below it.
func (c *composer) says(a *App) (string, theme.Style) {
	text := []byte(c.box().Value())
	if len(text) > maxChecked {
		return tooLongToCheck, a.theme.Warn
	}
	switch c.view {
	case composeRaw:
		return rawPreview(c.raw.Value(), a.theme)
	case composeJSON:
		if len(bytes.TrimSpace(text)) == 0 {
			return "nothing: {} is sent", a.theme.Dim
		}
		problems, err := c.form.Validate(text)
		return jsonSays(a.theme, text, problems, err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return "ctrl+t: raw bytes; C: the catalog has forms", a.theme.Dim
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(text, new(json.RawMessage)); errors.As(err, &syntax) {
		line, col := lineOf(text, int(syntax.Offset))
		return fmt.Sprintf("x %d:%d: %s", line, col, syntax.Error()), a.theme.Error
	}
	return "", theme.Style{}
}

// otherView changes between the form and its JSON, or between a message and raw
// bytes. Nothing of what is written is lost.
func (a *App) otherView() tea.Cmd {
	c := a.composer
	switch c.view {
	case composeForm:
		arguments, _ := c.form.JSON() // a wrong text stands there as a string
		c.json.SetValue(spread(arguments))
		c.view = composeJSON
	case composeJSON:
		text := c.json.Value()
		if strings.TrimSpace(text) == "" {
			text = "{}"
		}
		if len(text) > maxFields {
			a.complain("too long for fields")
			return nil
		}
		if err := c.form.SetJSON([]byte(text)); err != nil {
			a.complain("the fields can't hold it: " + err.Error())
			return nil
		}
		c.view = composeForm
	case composeMessage:
		if strings.TrimSpace(c.raw.Value()) == "" && len(c.area.Value()) <= maxChecked {
			line, _ := oneLine(c.area.Value())
			c.raw.SetValue(escapeBytes(append(line, '\n')))
		}
		c.view = composeRaw
	case composeRaw:
		c.view = composeMessage
	}
	a.openComposer()
	return nil
}

// toMessage makes a message of a form, to be changed in any way, and a form of a
// message that one could have written.
func (a *App) toMessage() tea.Cmd {
	c := a.composer
	if c.view == composeMessage || c.view == composeRaw {
		if c.target == nil {
			a.complain("there is no form yet: C shows the catalog")
			return nil
		}
		c.view = composeForm
		a.openComposer()
		return nil
	}
	arguments := []byte(c.json.Value())
	if c.view == composeForm {
		arguments, _ = c.form.JSON()
	}
	params := c.target.params(arguments)
	if params == nil {
		a.complain("it is no JSON yet")
		return nil
	}
	if c.view == composeJSON && (len(arguments) > maxFields || c.form.SetJSON(arguments) != nil) {
		a.complain("too long for fields")
		return nil
	}
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, c.nextID(), c.target.method(), a.withMeta(params))
	c.drafts.sent(draftMessage, c.area.Value())
	c.area.SetValue(spread(line))
	c.view = composeMessage
	a.openComposer()
	return nil
}

// withMeta adds what the modern era wants in every request.
func (a *App) withMeta(params json.RawMessage) json.RawMessage {
	if a.status.Server.Era != mcp.Modern {
		return params
	}
	return append([]byte(`{"_meta":`+modernMeta(a.status.Server.Protocol)+`,`), params[1:]...)
}

// editElsewhere opens what is written in the person's editor: the field under
// the cursor, or all of a text.
func (a *App) editElsewhere() tea.Cmd {
	c := a.composer
	switch c.view {
	case composeForm:
		return a.editField(c.form, (*App).keepLater)
	case composeRaw:
		return a.editBox(c.box(), ".txt", (*App).keepLater)
	}
	return a.editBox(c.box(), ".json", (*App).keepLater)
}

// copyCall copies the command line of ours that makes the call.
func (a *App) copyCall() tea.Cmd {
	c := a.composer
	method, params := "", []byte(nil)
	switch c.view {
	case composeForm, composeJSON:
		arguments := []byte(c.json.Value())
		if c.view == composeForm {
			arguments, _ = c.form.JSON()
		}
		method, params = c.target.method(), c.target.params(arguments)
	default:
		line, err := oneLine(c.area.Value())
		m := framing.Scan(line)
		if err != nil || m.Kind != framing.Request {
			a.complain("only a request has a command line")
			return nil
		}
		method, params = string(m.Method.Of(line)), m.Params.Of(line)
	}
	text, err := callLine(a.source.Header(), method, params)
	if err != nil {
		a.complain("copy: " + err.Error())
		return nil
	}
	return func() tea.Msg { return toClipboard("our command line", text, false) }
}
