package send

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

var errEmpty = errors.New("nothing to send")

// maxFields is the longest text that a form takes, in bytes.
const maxFields = 1 << 20

func (p *Composer) send(c host.Context) tea.Cmd {
	switch p.view {
	case formView:
		return p.sendForm(c)
	case jsonView:
		return p.sendJSON(c)
	case rawView:
		return p.sendRaw(c)
	}
	return p.sendMessage(c)
}

// sendMessage confirms before sending text other than JSON.
func (p *Composer) sendMessage(c host.Context) tea.Cmd {
	written := p.area.Value()
	if len(written) <= MaxChecked {
		line, err := oneLine(written)
		return p.sendLine(c, line, err)
	}
	return func() tea.Msg {
		line, err := oneLine(written)
		return host.Result{Then: func(c host.Context) tea.Cmd { return p.sendLine(c, line, err) }}
	}
}

// err is why it is not a valid message.
func (p *Composer) sendLine(c host.Context, text []byte, err error) tea.Cmd {
	if errors.Is(err, errEmpty) {
		c.Host.Warn("send: " + err.Error())
		return nil
	}
	send := func(c host.Context) tea.Cmd {
		written, instead := p.area.Value(), p.instead
		if instead == nil {
			p.remember(draftMessage, written)
			p.area.SetValue("")
		}
		p.close(c)
		switch {
		case instead != nil && written == instead.text:
			return instead.take(c, nil)
		case instead != nil:
			return instead.take(c, text)
		}
		return sendText(c, text)
	}
	if err == nil {
		return send(c)
	}
	c.Host.Confirm(c.Workspace, &host.Dialog{
		Title: "Send this anyway?",
		Lines: []string{"It is not JSON: " + err.Error() + "."},
		Yes:   send,
	})
	return nil
}

func sendText(c host.Context, text []byte) tea.Cmd {
	if c.Workspace.Session == nil {
		return host.DriveLine(c, text)
	}
	s, ctx := c.Workspace.Session, c.Host.Lifetime()
	c.Workspace.Overview = false // the message is what the user wants to see
	return func() tea.Msg {
		_, err := s.SendWith(ctx, session.ActBody{Act: session.ActCompose}, text, false)
		return host.Result{What: "send", Err: err, Text: "sent"}
	}
}

// oneLine removes only line breaks between the tokens of JSON; text that is not valid
// JSON is returned unchanged, with an error.
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

func (p *Composer) sendForm(c host.Context) tea.Cmd {
	arguments, ok := formValue(c, p.form, &p.refused)
	if !ok {
		return nil
	}
	return p.sendArguments(c, arguments)
}

func (p *Composer) sendJSON(c host.Context) tea.Cmd {
	text := p.json.Value()
	if strings.TrimSpace(text) == "" {
		text = "{}"
	}
	arguments := []byte(text)
	problems, _ := p.form.Validate(arguments)
	if !json.Valid(arguments) {
		c.Host.Warn("not sent: not valid JSON; the raw view sends any bytes")
		return nil
	}
	if len(problems) > 0 && !sendAnyway(c, &p.refused, text, placedProblem(arguments, problems[0])) {
		return nil
	}
	return p.sendArguments(c, arguments)
}

func (p *Composer) sendArguments(c host.Context, arguments []byte) tea.Cmd {
	t := p.target
	p.refused = ""
	p.remember(t.draft(), string(arguments))
	p.close(c)
	return host.SendComposed(c, t.title(), t.method(), t.request(c.Workspace, arguments), 0)
}

func toggleTask(p *Composer, _ host.Context) tea.Cmd {
	p.target.asTask = !p.target.asTask
	return nil
}

// says returns the line below a text, for a number of cells: its problems or its state.
func (p *Composer) says(th *paint.Theme, cells int) (string, paint.Style) {
	text := []byte(p.Text().Value())
	if len(text) > MaxChecked {
		return TooLongToCheck, th.Odd
	}
	switch p.view {
	case rawView:
		return rawPreview(p.raw.Value(), th, cells)
	case jsonView:
		if len(bytes.TrimSpace(text)) == 0 {
			return "empty: {} is sent", th.Dim
		}
		problems, err := p.form.Validate(text)
		return jsonStatus(th, text, problems, err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return "ctrl+t: raw bytes; C: forms in the catalog", th.Dim
	}
	if problem := syntaxError(text); problem != "" {
		return "x " + problem, th.Failed
	}
	return "", paint.Style{}
}

// otherView goes to the next view: from a form to its JSON, to the message of both, to
// raw bytes. Nothing that was written is lost.
func (p *Composer) otherView(c host.Context) tea.Cmd {
	switch p.view {
	case formView:
		arguments, _ := p.form.JSON() // an invalid text is in it as a string
		p.json.SetValue(spreadJSON(arguments))
		p.view = jsonView
	case jsonView:
		return p.toMessage(c)
	case messageView:
		switch i := p.instead; {
		case i != nil && p.area.Value() == i.text:
			if p.raw.Value() == i.shown { // of an edit that was reverted
				p.raw.SetValue(i.raw)
				i.shown = i.raw
			}
		case i != nil || strings.TrimSpace(p.raw.Value()) == "" && len(p.area.Value()) <= MaxChecked:
			line, _ := oneLine(p.area.Value())
			p.raw.SetValue(escapeBytes(append(line, '\n')))
			if i != nil {
				i.shown = p.raw.Value()
			}
		}
		p.view = rawView
	case rawView:
		if p.view = messageView; p.target != nil {
			p.view = formView
		}
	}
	p.show(c)
	return nil
}

// toForm turns the arguments into the form, and returns the params of the request.
func toForm(p *Composer, c host.Context) (params json.RawMessage, ok bool) {
	arguments := []byte(cmp.Or(strings.TrimSpace(p.json.Value()), "{}"))
	if params = p.target.request(c.Workspace, arguments); params == nil {
		c.Host.Warn("not valid JSON yet")
		return nil, false
	}
	if len(arguments) > maxFields {
		c.Host.Warn("too long for the form")
		return nil, false
	}
	if err := p.form.SetJSON(arguments); err != nil {
		c.Host.Warn("does not fit the form: " + err.Error())
		return nil, false
	}
	return params, true
}

// toMessage turns the arguments into the form and a message that can be edited freely.
func (p *Composer) toMessage(c host.Context) tea.Cmd {
	params, ok := toForm(p, c)
	if !ok {
		return nil
	}
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, p.nextID(), p.target.method(), withMeta(c.Workspace, params))
	p.remember(draftMessage, p.area.Value())
	p.area.SetValue(spreadJSON(line))
	p.view = messageView
	p.show(c)
	return nil
}

// endLine ends raw bytes with a newline.
func endLine(p *Composer, c host.Context) tea.Cmd {
	if text := p.raw.Value(); !strings.HasSuffix(text, `\n`) {
		p.raw.SetValue(text + `\n`)
	}
	c.Host.Redraw()
	return p.keepLater(c)
}

func withMeta(w *workspace.Workspace, params json.RawMessage) json.RawMessage {
	if w.Status.Server.Era != mcp.Modern {
		return params
	}
	return append([]byte(`{"_meta":`+modernMeta(w.Status.Server.Protocol)+`,`), params[1:]...)
}

func (p *Composer) editElsewhere(c host.Context) tea.Cmd {
	switch p.view {
	case formView:
		return editField(c, p.form, p.keepLater)
	case rawView:
		return editBox(c, p.Text(), ".txt", p.keepLater)
	}
	return editBox(c, p.Text(), ".json", p.keepLater)
}

func (p *Composer) copyCall(c host.Context) tea.Cmd {
	method, params := "", []byte(nil)
	switch p.view {
	case formView, jsonView:
		arguments := []byte(p.json.Value())
		if p.view == formView {
			arguments, _ = p.form.JSON()
		}
		method, params = p.target.method(), p.target.request(c.Workspace, arguments)
	default:
		line, err := oneLine(p.area.Value())
		m := framing.Scan(line)
		if err != nil || m.Kind != framing.Request {
			c.Host.Warn("only a request has a command line")
			return nil
		}
		method, params = string(m.Method.Of(line)), m.Params.Of(line)
	}
	text, err := p.options.CommandLine(c.Workspace.Shown.Source.Header(), method, params)
	if err != nil {
		c.Host.Warn("copy: " + err.Error())
		return nil
	}
	return func() tea.Msg { return host.Clipboard("mcpdbg command line", "", text, "", false) }
}
