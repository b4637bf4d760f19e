package send

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/summary"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/form"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// An answerView is where the user answers a server request, or edits the canned
// response of a policy. It never opens by itself. The server's text is in its own
// box; questions of mcpdbg itself have a double frame.
type answerView struct {
	state   *Requests
	request session.ServerRequest // ID is 0 for a policy
	method  string
	kind    requestKind
	call    string // the call of ours that it belongs to, if known
	when    string // its time

	form    *form.Form  // nil if there are no fields
	json    kit.TextBox // the response as JSON
	asText  bool
	refused string                                        // not sent because of problems; sent the second time
	from    string                                        // "client" or "server": the sender of a request to another program
	deliver func(c host.Context, response []byte) tea.Cmd // gets the response in place of the session; nil for none

	text     requestText
	words    kit.Text    // of the server's text
	button   int         // the one with the focus, or noButton
	block    paint.Lines // as last painted
	response place       // in it
	foot     int         // the line of the buttons in it
}

func (s *Requests) newAnswer(c host.Context, q session.ServerRequest) *answerView {
	v := &answerView{state: s, request: q, method: q.Method}
	v.call, v.when = callOf(c.Workspace, q)
	v.begin(c, kindOf(q.Method, q.Params, s.sent[q.Method], rootFolder(c.Workspace)))
	return v
}

// rootFolder returns the folder in which the server was started, "" if unknown.
func rootFolder(w *workspace.Workspace) string {
	h := w.Shown.Source.Header()
	if h.Cwd != "" || h.Placement != "local" {
		return h.Cwd
	}
	folder, _ := os.Getwd() // if it is unknown, no folder is suggested
	return folder
}

func (v *answerView) begin(c host.Context, kind requestKind) {
	v.kind, v.json = kind, kit.NewTextBox("a result, or an object with the single member error")
	if kind.wrap == nil {
		v.asText = true
		v.json.SetValue(spreadJSON(kind.text))
	}
	if kind.schema != nil {
		v.form = newForm(c, kind.schema, ScopeAnswer+"-", actAnswerSend, true)
		if kind.value != nil {
			_ = v.form.SetJSON(kind.value) // kind.value is valid JSON
		}
		for path, suggestions := range kind.suggest {
			v.form.SetSuggestions(path, suggestions)
		}
	}
	v.focus()
}

func (v *answerView) focus() {
	v.json.Area.Blur()
	if v.button = 0; v.hasFields() {
		v.button = noButton
	}
	if v.asText {
		v.json.Area.Focus()
	}
}

func (v *answerView) Scope() string {
	if v.asText {
		return ScopeAnswerJSON
	}
	return ScopeAnswer
}

func (v *answerView) Update(c host.Context, msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok && v.button != noButton {
		if by := map[string]int{"left": -1, "right": 1}[key.String()]; v.button+by >= 0 {
			v.step(c, by)
		}
		return nil
	}
	if _, ok := msg.(tea.PasteMsg); ok && v.button != noButton {
		return nil
	}
	if !v.asText {
		if v.form != nil {
			typeInForm(c, v.form, msg)
		}
		return nil
	}
	cmd, err := v.json.Update(msg)
	if err != nil {
		c.Host.Warn(err.Error() + ": ctrl+e opens it in your editor")
	}
	return cmd
}

// Form is the form while a field has the focus.
func (v *answerView) Form() *form.Form {
	if v.button != noButton {
		return nil
	}
	return v.form
}

// A response is not kept in a file, and has no completions.
func (v *answerView) Edited(host.Context) tea.Cmd { return nil }

// Suggested does nothing, like Edited.
func (v *answerView) Suggested(host.Context) tea.Cmd { return nil }

// Finish goes on to the buttons, or presses the one with the focus.
func (v *answerView) Finish(c host.Context) tea.Cmd {
	if v.button == noButton {
		v.step(c, 1)
		return nil
	}
	return v.buttons()[v.button].press(c, v)
}

// Beyond goes on to the next button.
func (v *answerView) Beyond(c host.Context) { v.step(c, 1) }

func nextRequest(c host.Context, v *answerView) tea.Cmd {
	pending := c.Workspace.Requests()
	i := slices.IndexFunc(pending, func(q session.ServerRequest) bool { return q.ID == v.request.ID })
	c.Host.Close(v)
	v.state.open(c, pending[(i+1)%len(pending)])
	return nil
}

// callOf describes the call during which the server sent a request, and its time; "" if
// it is unknown.
func callOf(w *workspace.Workspace, q session.ServerRequest) (call, when string) {
	number, ok := w.RowOf(q.Parent)
	if at, found := w.RowOf(q.N); !ok && found {
		number, ok = w.Shown.Index.Exchanges.During(at)
	}
	row, found := w.Shown.Rows.At(number)
	if !ok || !found {
		return "", ""
	}
	method := w.Shown.Source.Method(row.Method)
	text := "during " + method
	if e, err := w.Shown.Source.Entry(row, summary.Limit); err == nil && e.Msg.Kind == framing.Request {
		text = strings.TrimSpace("during " + cmp.Or(summary.Call(method, e.Payload), method) + " " + summary.Request(method, e.Payload))
	}
	return text, ", sent by you at " + string(wording.AppendClock(nil, row.T))
}

func goToCall(c host.Context, v *answerView) tea.Cmd {
	if row, ok := c.Workspace.RowOf(v.request.Parent); ok {
		c.Host.Close(v)
		c.Panes().Select(row)
		return nil
	}
	c.Host.Warn("the server does not name a parent call")
	return nil
}

// ok is false if there is an error that keeps the response from being sent.
func (v *answerView) written(c host.Context) (response json.RawMessage, ok bool) {
	if !v.asText {
		if v.form == nil {
			return v.kind.wrap(nil), true
		}
		value, ok := formValue(c, v.form, &v.refused)
		if !ok {
			return nil, false
		}
		return v.kind.wrap(value), true
	}
	text := v.json.Value()
	if !isObject([]byte(text)) {
		c.Host.Warn("not sent: a response must be a JSON object")
		return nil, false
	}
	problems, _ := v.kind.problems(v.form, []byte(text))
	if len(problems) > 0 && !sendAnyway(c, &v.refused, text, placedProblem([]byte(text), problems[0])) {
		return nil, false
	}
	return json.RawMessage(text), true
}

func acceptAnswer(c host.Context, v *answerView) tea.Cmd {
	response, ok := v.written(c)
	if !ok {
		v.focus() // on the field with the problem
		return nil
	}
	return v.send(c, response)
}

func acceptAlways(c host.Context, v *answerView) tea.Cmd {
	response, ok := v.written(c)
	if !ok {
		return nil
	}
	changed := v.state.setCanned(c, v.method, response)
	if v.request.ID == 0 {
		c.Host.Close(v)
		return changed
	}
	return tea.Batch(v.send(c, response), changed)
}

func (v *answerView) send(c host.Context, response json.RawMessage) tea.Cmd {
	if v.deliver != nil {
		c.Host.Close(v)
		return v.deliver(c, response)
	}
	if v.request.ID == 0 {
		return acceptAlways(c, v)
	}
	s := v.state
	c.Host.Close(v)
	delete(s.drafts, v.request.ID)
	if err := c.Workspace.Session.Answer(v.request.ID, response); err != nil {
		if errors.Is(err, session.ErrNotPending) {
			s.Observe(c)
			c.Host.Warn(err.Error())
			return nil
		}
		s.drafts[v.request.ID] = v
		c.Host.Open(c.Workspace, v)
		c.Host.Warn(err.Error())
		return nil
	}
	s.sent[v.method] = slices.Clone(response)
	s.answered[v.request.N]++
	s.Observe(c)
	c.Host.Notify(wording.Clip(v.method, inSentence, wording.Dots) + ": answered")
	for _, q := range c.Workspace.Requests() {
		if q.N == v.request.N && v.request.Key != "" {
			s.open(c, q)
			return nil
		}
	}
	delete(s.answered, v.request.N)
	return nil
}

func (v *answerView) sendFixed(c host.Context, response json.RawMessage) tea.Cmd {
	if response == nil {
		return nil
	}
	return v.send(c, response)
}

// switchView switches between the fields, or the request alone, and the response
// as JSON. The text is kept.
func switchView(c host.Context, v *answerView) tea.Cmd {
	if !v.asText {
		var value []byte
		if v.form != nil {
			value, _ = v.form.JSON() // an invalid text becomes a string
		}
		v.json.SetValue(spreadJSON(v.kind.wrap(value)))
		v.asText = true
		v.focus()
		return nil
	}
	value, ok := v.kind.unwrap([]byte(v.json.Value()))
	if ok && v.form != nil {
		ok = v.form.SetJSON(value) == nil
	}
	if !ok {
		c.Host.Warn("this response can only be edited as JSON; " + c.Host.Key(inJSON+actAnswerSend) + " sends it")
		return nil
	}
	v.asText = false
	v.focus()
	return nil
}

func editAnswer(c host.Context, v *answerView) tea.Cmd {
	then := func(host.Context) tea.Cmd { return nil }
	switch {
	case v.asText:
		return editBox(c, &v.json, ".json", then)
	case v.form != nil:
		return editField(c, v.form, then)
	}
	return nil
}

func copyURL(_ host.Context, v *answerView) tea.Cmd {
	var params struct {
		URL string `json:"url"`
	}
	_ = json.Unmarshal(v.request.Params, &params) // already checked
	return func() tea.Msg { return host.Clipboard("URL", "", params.URL, "", false) }
}

func waitText(q session.ServerRequest) string {
	if !q.Due.IsZero() {
		return fmt.Sprintf("its rule answers in %d s", int(max(time.Until(q.Due), 0).Round(time.Second).Seconds()))
	}
	return fmt.Sprintf("waiting %d s", int(max(time.Since(q.Since), 0).Seconds()))
}
