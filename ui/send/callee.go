package send

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/form"
	"mcpdbg/ui/widget/jsontree"
	"mcpdbg/ui/workspace"
)

// A callee is the subject of a form: a tool, a prompt or a resource template.
type callee struct {
	item   *workspace.CatalogItem
	asTask bool // the user wants a task
}

func (t *callee) method() string {
	switch t.item.Member {
	case workspace.MemberPrompts:
		return mcp.MethodPromptsGet
	case workspace.MemberTemplates:
		return mcp.MethodReadResource
	}
	return mcp.MethodToolsCall
}

func (t *callee) title() string { return t.method() + " " + t.item.Key }

func (t *callee) draft() string { return t.item.Member + " " + t.item.Key }

func (t *callee) schema() json.RawMessage {
	var all []form.Argument
	switch t.item.Member {
	case workspace.MemberPrompts:
		for _, a := range t.item.Arguments {
			all = append(all, form.Argument{Name: a.Name, Title: a.Title, Description: a.Description, Required: a.Required})
		}
		return form.Arguments(all)
	case workspace.MemberTemplates:
		for _, name := range workspace.TemplateVariables(t.item.Key) {
			all = append(all, form.Argument{Name: name})
		}
		return form.Arguments(all)
	}
	if t.item.Input == nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	return t.item.Input
}

// arguments must be valid JSON.
func (t *callee) params(arguments []byte) json.RawMessage {
	if t.item.Member == workspace.MemberTemplates {
		var values map[string]any
		_ = json.Unmarshal(arguments, &values) // without an object there are no values
		texts := map[string]string{}
		for name, value := range values {
			if text, ok := value.(string); ok {
				texts[name] = text
			} else if value != nil {
				texts[name] = fmt.Sprint(value)
			}
		}
		return host.URIParams(workspace.ExpandTemplate(t.item.Key, texts))
	}
	name, _ := json.Marshal(t.item.Key) // always encodes
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

// taskSupport returns whether calls of it may or must be tasks, as the server
// declares it.
func (t *callee) taskSupport(w *workspace.Workspace) string {
	server := w.Status.Server
	if t.item.Member != workspace.MemberTools || !server.RunsTasks() {
		return session.TaskForbidden
	}
	return session.TaskSupport(t.item.Raw)
}

// Since revision 2026-07-28 that is the server's decision, and nothing of it is in a
// call.
func (t *callee) isTask(w *workspace.Workspace) bool {
	return w.Status.Server.Era != mcp.Modern && (t.asTask || t.taskSupport(w) == session.TaskRequired)
}

// request returns the params of the request as params does, for a task if it is to
// be one.
func (t *callee) request(w *workspace.Workspace, arguments []byte) json.RawMessage {
	params := t.params(arguments)
	if params == nil || !t.isTask(w) {
		return params
	}
	params, _ = session.AsTask(params, 0) // they are an object
	return params
}

// unlisted returns a warning if the server no longer lists it.
func (t *callee) unlisted(w *workspace.Workspace) string {
	for _, l := range w.Shown.Catalog.Lists {
		if l.Member == t.item.Member && l.Complete && !l.Busy() && l.Find(t.item.Key) == nil {
			return "no longer listed"
		}
	}
	return ""
}

// ComposeItem opens the form of an item of the catalog, with its draft.
func (p *Composer) ComposeItem(c host.Context, item *workspace.CatalogItem) tea.Cmd {
	return p.composeWith(c, &callee{item: item}, nil)
}

// composeWith opens the form of an item with arguments; nil means its draft.
// Arguments that are not valid JSON are shown unchanged.
func (p *Composer) composeWith(c host.Context, t *callee, arguments []byte) tea.Cmd {
	for _, v := range c.Host.Views(c.Workspace) {
		c.Host.Close(v)
	}
	if p.instead != nil {
		p.close(c)
	}
	p.keepDraft()
	drafted := arguments == nil
	if drafted {
		arguments = []byte(p.drafts.of(t.draft()).Text)
	}
	p.target, p.view, p.refused, p.completing = t, formView, "", completing{}
	blank := p.blankForm(c)
	if len(arguments) > maxFields || len(arguments) > 0 && p.form.SetJSON(arguments) != nil {
		p.view = jsonView
		p.json.SetValue(string(arguments))
	}
	p.form.FirstError()
	p.fresh = p.form.Revision()
	delete(p.kept, t.draft())
	if now, _ := p.form.JSON(); drafted && (p.view == jsonView || !bytes.Equal(blank, now)) {
		p.kept[t.draft()] = time.UnixMilli(p.drafts.of(t.draft()).Used)
	}
	p.setHistory()
	p.show(c)
	return p.suggestLater(c)
}

func (p *Composer) blankForm(c host.Context) []byte {
	p.form = newForm(c, p.target.schema(), inComposerForm, inComposerForm+actSend, false)
	p.fresh = p.form.Revision()
	arguments, _ := p.form.JSON() // defaults that are not valid are in it as strings
	return arguments
}

func (p *Composer) clear(c host.Context) tea.Cmd {
	name := p.draftName()
	p.refused, p.completing, p.recalling = "", completing{}, recalling{}
	if b := p.Text(); b != nil {
		p.remember(name, b.Value())
		b.SetValue("")
	}
	if p.view == formView || p.view == jsonView {
		if p.view == formView {
			arguments, _ := p.form.JSON()
			p.remember(name, string(arguments))
		}
		blank := p.blankForm(c)
		if p.view == jsonView {
			p.json.SetValue(spreadJSON(blank))
		}
		p.setHistory()
	}
	p.drafts.set(name, "")
	p.show(c)
	return p.keepLater(c)
}

// EditSelected takes the selected message into the composer: into its item's form if the
// catalog knows the item.
func (p *Composer) EditSelected(c host.Context) tea.Cmd {
	source, row, id := c.Workspace.Shown.Source, c.Workspace.Selected.Row, p.nextID()
	return func() tea.Msg {
		if row.Len > host.MaxEdited {
			return host.Result{What: "edit", Err: fmt.Errorf("%s is too large to edit, at most %s", wording.Size(int64(row.Len)), wording.Size(host.MaxEdited))}
		}
		e, err := source.Entry(row, 0)
		if err != nil {
			return host.Result{What: "edit", Err: err}
		}
		text := spreadJSON(withID(e.Payload, e.Msg, id))
		member, key, arguments, asTask, ok := formable(&e)
		return host.Result{Then: func(c host.Context) tea.Cmd {
			if !ok {
				return p.editText(c, text)
			}
			return p.editCall(c, member, key, arguments, asTask, text)
		}}
	}
}

// editCall opens a call in its form if the catalog knows the item, else as
// text.
func (p *Composer) editCall(c host.Context, member, key string, arguments []byte, asTask bool, text string) tea.Cmd {
	for _, l := range c.Workspace.Shown.Catalog.Lists {
		if l.Member != member {
			continue
		}
		open := func(c host.Context) tea.Cmd {
			if item := l.Find(key); item != nil {
				return p.composeWith(c, &callee{item: item, asTask: asTask}, arguments)
			}
			return p.editText(c, text)
		}
		return p.afterReading(c, l, open)
	}
	return p.editText(c, text)
}

// afterReading calls do once the responses in the log for a list are read.
func (p *Composer) afterReading(c host.Context, l *workspace.CatalogList, do func(host.Context) tea.Cmd) tea.Cmd {
	read := p.options.ReadCatalog(c, l)
	if read == nil {
		return do(c)
	}
	return func() tea.Msg {
		msg, _ := read().(host.Result)
		return host.Result{Then: func(c host.Context) tea.Cmd { return tea.Batch(msg.Then(c), do(c)) }}
	}
}

func formable(e *session.Entry) (member, key string, arguments []byte, asTask, ok bool) {
	if e.Msg.Kind != framing.Request {
		return "", "", nil, false, false
	}
	switch string(e.Msg.Method.Of(e.Payload)) {
	case mcp.MethodToolsCall:
		member = workspace.MemberTools
	case mcp.MethodPromptsGet:
		member = workspace.MemberPrompts
	default:
		return "", "", nil, false, false
	}
	arguments = []byte("{}")
	for name, value := range jsontree.Members(e.Msg.Params.Of(e.Payload)) {
		switch name {
		case "name":
			if json.Unmarshal(value, &key) != nil {
				return "", "", nil, false, false
			}
		case "arguments":
			arguments = value
		case "_meta": // each request has its own
		case "task":
			if asTask = string(value) == "{}"; !asTask { // a form has no ttl
				return "", "", nil, false, false
			}
		default:
			return "", "", nil, false, false
		}
	}
	return member, key, arguments, asTask, key != ""
}

func (p *Composer) editText(c host.Context, text string) tea.Cmd {
	if p.instead != nil {
		p.close(c)
	}
	p.view = messageView
	p.remember(draftMessage, p.area.Value()) // the previous text can be recalled
	p.area.SetValue(text)
	p.show(c)
	return nil
}
