package ui

import (
	"bytes"
	"encoding/json"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/form"
)

// A callee is what a form is for: a tool, a prompt or a template of resources.
type callee struct {
	item *catalogItem
}

// The methods that a form sends.
const (
	methodPromptsGet = "prompts/get"
	methodRead       = "resources/read"
)

func (t *callee) method() string {
	switch t.item.member {
	case memberPrompts:
		return methodPromptsGet
	case memberTemplates:
		return methodRead
	}
	return mcp.MethodToolsCall
}

func (t *callee) title() string { return t.method() + " " + t.item.key }

// draft is the name of its draft.
func (t *callee) draft() string { return t.item.member + " " + t.item.key }

// schema describes the arguments.
func (t *callee) schema() json.RawMessage {
	var all []form.Argument
	switch t.item.member {
	case memberPrompts:
		for _, a := range t.item.arguments {
			all = append(all, form.Argument{Name: a.Name, Title: a.Title, Description: a.Description, Required: a.Required})
		}
		return form.Arguments(all)
	case memberTemplates:
		for _, name := range templateVariables(t.item.key) {
			all = append(all, form.Argument{Name: name})
		}
		return form.Arguments(all)
	}
	if t.item.input == nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	return t.item.input
}

// params are the params of the request, for arguments that are valid JSON.
func (t *callee) params(arguments []byte) json.RawMessage {
	if t.item.member == memberTemplates {
		var values map[string]any
		_ = json.Unmarshal(arguments, &values) // of no object there are no values
		texts := map[string]string{}
		for name, value := range values {
			if text, ok := value.(string); ok {
				texts[name] = text
			} else if value != nil {
				texts[name] = fmt.Sprint(value)
			}
		}
		return uriParams(expand(t.item.key, texts))
	}
	name, _ := json.Marshal(t.item.key) // always encodes
	var out bytes.Buffer
	out.WriteString(`{"name":`)
	out.Write(name)
	out.WriteString(`,"arguments":`)
	if json.Compact(&out, arguments) != nil {
		return nil
	}
	out.WriteByte('}')
	return out.Bytes()
}

// unlisted says that the server does not list it any more.
func (t *callee) unlisted(a *App) string {
	for _, l := range a.catalog.lists {
		if l.Member == t.item.member && l.complete && !l.busy() && l.find(t.item.key) == nil {
			return "  ! the server does not list it any more"
		}
	}
	return ""
}

// composeFor opens the form of an item, with the draft there is of it.
func (a *App) composeFor(item *catalogItem) tea.Cmd {
	return a.composeWith(item, nil)
}

// composeWith opens the form of an item with arguments; nil means its draft. If
// they are no JSON, they are shown as they are.
func (a *App) composeWith(item *catalogItem, arguments []byte) tea.Cmd {
	for len(a.overlays) > 0 {
		a.pop()
	}
	a.keepDraft()
	c := a.composer
	t := &callee{item: item}
	if arguments == nil {
		arguments = []byte(c.drafts.text(t.draft()))
	}
	c.target, c.view, c.refused, c.completing = t, composeForm, "", completing{}
	c.form = form.New(t.schema(), form.Options{Theme: a.theme, Text: a.look()})
	if len(arguments) > maxFields || len(arguments) > 0 && c.form.SetJSON(arguments) != nil {
		c.view = composeJSON
		c.json.SetValue(string(arguments))
	}
	c.fresh = c.form.Revision()
	c.setHistory()
	a.openComposer()
	return a.suggestLater()
}

// editSelected takes the selected message into the composer: a call of what the
// catalog knows into its form.
func (a *App) editSelected() tea.Cmd {
	source, row, id := a.source, a.selected.row, a.composer.nextID()
	return func() tea.Msg {
		if row.Len > maxEdited {
			return result{what: "edit", err: fmt.Errorf("%s is too much to edit, at most %s", size(int64(row.Len)), size(maxEdited))}
		}
		e, err := source.Entry(row, 0)
		if err != nil {
			return result{what: "edit", err: err}
		}
		text := spread(withID(e.Payload, e.Msg, id))
		member, key, arguments, ok := formable(&e)
		return result{then: func(a *App) tea.Cmd {
			if !ok {
				return a.editText(text)
			}
			return a.editCall(member, key, arguments, text)
		}}
	}
}

// editCall opens a call in its form, if the catalog knows what it calls, else as
// text.
func (a *App) editCall(member, key string, arguments []byte, text string) tea.Cmd {
	for _, l := range a.catalog.lists {
		if l.Member != member {
			continue
		}
		open := func(a *App) tea.Cmd {
			if item := l.find(key); item != nil {
				return a.composeWith(item, arguments)
			}
			return a.editText(text)
		}
		return a.afterReading(l, open)
	}
	return a.editText(text)
}

// afterReading does something once what the log tells of a list is read.
func (a *App) afterReading(l *catalogList, do func(*App) tea.Cmd) tea.Cmd {
	read := a.readCatalog(l)
	if read == nil {
		return do(a)
	}
	return func() tea.Msg {
		msg, _ := read().(result)
		return result{then: func(a *App) tea.Cmd { return tea.Batch(msg.then(a), do(a)) }}
	}
}

// formable tells whether a message is one that a form could have sent.
func formable(e *session.Entry) (member, key string, arguments []byte, ok bool) {
	if e.Msg.Kind != framing.Request {
		return "", "", nil, false
	}
	switch string(e.Msg.Method.Of(e.Payload)) {
	case mcp.MethodToolsCall:
		member = memberTools
	case methodPromptsGet:
		member = memberPrompts
	default:
		return "", "", nil, false
	}
	arguments = []byte("{}")
	for name, value := range members(e.Msg.Params.Of(e.Payload)) {
		switch name {
		case "name":
			if json.Unmarshal(value, &key) != nil {
				return "", "", nil, false
			}
		case "arguments":
			arguments = value
		case "_meta": // each request has its own
		default:
			return "", "", nil, false
		}
	}
	return member, key, arguments, key != ""
}

// editText takes a message into the composer as text.
func (a *App) editText(text string) tea.Cmd {
	c := a.composer
	c.view = composeMessage
	c.drafts.sent(draftMessage, c.area.Value()) // what was there can be recalled
	c.area.SetValue(text)
	a.openComposer()
	return nil
}
