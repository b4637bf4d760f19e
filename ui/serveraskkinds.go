package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"

	"mcpdbg/session/mcp"
	"mcpdbg/ui/form"
)

// maxReadable is how many bytes of a question are taken apart to be shown in
// words; a longer one is shown as it is, and in part.
const maxReadable = 1 << 20

// A questionKind is what one kind of question of a server needs to be answered:
// fields, and what their value is in an answer. The answer as a whole can be
// written as JSON in any case.
type questionKind struct {
	title  string
	schema json.RawMessage // of the fields; nil if there are none
	value  json.RawMessage // of the fields at the beginning; nil means the defaults
	text   json.RawMessage // of the answer at the beginning, where it is only JSON
	within string          // where the fields' value stands in the answer, a JSON Pointer

	// wrap makes an answer of the fields' value, and unwrap gets it back, if the
	// answer is one that fields can hold. Both are nil where there is only JSON.
	wrap   func(value []byte) json.RawMessage
	unwrap func(answer []byte) (value []byte, ok bool)

	accept  string          // what it is called to give the answer
	decline json.RawMessage // what a person says who does not want to
	cancel  json.RawMessage // nil if that is no answer
	suggest map[string][]string
	words   func(w *words) // what the server says
	warns   []string       // what mcpdbg says to it
}

// Answers of a person who does not want to.
const (
	answerDecline   = `{"action":"decline"}`
	answerCancel    = `{"action":"cancel"}`
	answerAccept    = `{"action":"accept"}`
	answerRejected  = `{"error":{"code":-1,"message":"User rejected sampling request"}}`
	answerNoAnswer  = `{"error":{"code":-32601,"message":"the person does not answer this request"}}`
	answerEmpty     = `{}`
	anyObject       = `{"type":"object"}`
	sampleReasonEnd = "endTurn"
)

// questionOf tells what a question needs. given is what was answered last to the
// same method, nil if nothing was.
func questionOf(method string, params, given json.RawMessage, cwd string) questionKind {
	if len(params) > maxReadable {
		return anyQuestion(method, params)
	}
	switch method {
	case mcp.MethodElicit:
		return elicitQuestion(params)
	case mcp.MethodSample:
		return sampleQuestion(params)
	case mcp.MethodRoots:
		return rootsQuestion(given, cwd)
	}
	return anyQuestion(method, params)
}

// anyQuestion is answered by JSON.
func anyQuestion(method string, params json.RawMessage) questionKind {
	return questionKind{
		title: method, accept: "answer", text: json.RawMessage(answerEmpty), decline: json.RawMessage(answerNoAnswer),
		words: func(w *words) {
			if len(params) > 0 {
				w.json(params)
			}
		},
	}
}

// elicitQuestion is a form, or an address to go to.
func elicitQuestion(params json.RawMessage) questionKind {
	var asked struct {
		Mode    string          `json:"mode"`
		Message string          `json:"message"`
		Schema  json.RawMessage `json:"requestedSchema"`
		URL     string          `json:"url"`
	}
	err := json.Unmarshal(params, &asked)
	k := anyQuestion(mcp.MethodElicit, params)
	k.text, k.decline, k.cancel = json.RawMessage(answerAccept), json.RawMessage(answerDecline), json.RawMessage(answerCancel)
	k.accept = "accept"
	switch {
	case err != nil:
		k.warns = []string{"it is no elicitation that can be shown: " + err.Error()}
	case asked.Mode == "url":
		k.title = "you to go to an address"
		k.wrap = func([]byte) json.RawMessage { return json.RawMessage(answerAccept) }
		k.unwrap = func(answer []byte) ([]byte, bool) { return nil, isAction(answer, "accept", 1) }
		k.words = func(w *words) { w.text("", asked.Message); w.blank(); w.url(asked.URL) }
		k.warns = addressWarnings(asked.URL)
	case asked.Mode != "" && asked.Mode != "form":
		k.warns = []string{"it has a mode that is not known here: " + asked.Mode}
	default:
		k.title, k.schema, k.within = "you to fill in a form", asked.Schema, "/content"
		if !isObject(asked.Schema) {
			k.schema, k.warns = json.RawMessage(anyObject), []string{"it has no requestedSchema that is an object"}
		}
		k.wrap = func(value []byte) json.RawMessage { return fmt.Appendf(nil, `{"action":"accept","content":%s}`, value) }
		k.unwrap = func(answer []byte) ([]byte, bool) {
			content := member(answer, "content")
			return content, content != nil && isAction(answer, "accept", 2)
		}
		k.words = func(w *words) { w.text("", asked.Message) }
	}
	return k
}

// isAction tells whether an answer is an action and has so many members.
func isAction(answer []byte, action string, count int) bool {
	said, n := "", 0
	for name, value := range members(answer) {
		n++
		if name == "action" {
			_ = json.Unmarshal(value, &said) // what is no text is no action
		}
	}
	return said == action && n == count && json.Valid(answer)
}

// member is a member of an object, nil if there is none.
func member(object []byte, name string) json.RawMessage {
	for other, value := range members(object) {
		if other == name {
			return value
		}
	}
	return nil
}

// isObject tells whether it is a JSON object.
func isObject(raw []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) && json.Valid(raw)
}

// rootsQuestion is a list of folders: the one that was given last, at first the
// one that the server was started in.
func rootsQuestion(given json.RawMessage, cwd string) questionKind {
	const schema = `{"type":"object","required":["roots"],"properties":{"roots":{"type":"array","title":"folders","items":{"type":"object","required":["uri"],"properties":{` +
		`"uri":{"type":"string","pattern":"^file://","description":"Begins with file://, as in file:///home/me/project"},` +
		`"name":{"type":"string","description":"What people call it."}}}}}}`
	k := anyQuestion(mcp.MethodRoots, nil)
	k.title, k.accept = "which folders it may know of (roots)", "answer"
	k.schema, k.value = json.RawMessage(schema), json.RawMessage(`{"roots":[]}`)
	if isObject(given) && member(given, "error") == nil {
		k.value = given
	} else if filepath.IsAbs(cwd) {
		folder := url.URL{Scheme: "file", Path: filepath.ToSlash(cwd)}
		name, _ := json.Marshal(map[string]string{"uri": folder.String(), "name": filepath.Base(cwd)}) // always encodes
		k.value = fmt.Appendf(nil, `{"roots":[%s]}`, name)
	}
	k.wrap = func(value []byte) json.RawMessage { return value }
	k.unwrap = func(answer []byte) ([]byte, bool) { return answer, isObject(answer) && member(answer, "error") == nil }
	return k
}

// sampleReasons are the known reasons why a model stops; others may be given.
var sampleReasons = []string{sampleReasonEnd, "stopSequence", "maxTokens", "toolUse"}

// sampleQuestion has the person be the model.
func sampleQuestion(params json.RawMessage) questionKind {
	var asked sampling
	err := json.Unmarshal(params, &asked)
	k := anyQuestion(mcp.MethodSample, params)
	k.decline = json.RawMessage(answerRejected)
	model := "mcpdbg"
	if hints := asked.Preferences.Hints; err == nil && len(hints) > 0 && hints[0].Name != "" {
		model = hints[0].Name
	}
	name, _ := json.Marshal(model) // always encodes
	k.title = "for the answer of a model (sampling)"
	k.schema = fmt.Appendf(nil, `{"type":"object","properties":{"text":{"type":"string","default":"","description":"What the model says. In the JSON view it can be anything, such as a tool_use."},`+
		`"model":{"type":"string","default":%s,"description":"The name of the model that says it."},`+
		`"stopReason":{"type":"string","default":%q,"description":"Why it ends: endTurn, stopSequence, maxTokens, toolUse, or any other."}}}`, name, sampleReasonEnd)
	k.suggest = map[string][]string{"/stopReason": sampleReasons}
	k.wrap, k.unwrap = wrapSample, unwrapSample
	if err != nil {
		k.warns = []string{"it is no sampling request that can be shown: " + err.Error()}
		return k
	}
	k.words = asked.say
	return k
}

func wrapSample(value []byte) json.RawMessage {
	out := []byte(`{"role":"assistant"`)
	for name, field := range members(value) {
		quoted, _ := json.Marshal(name) // always encodes
		if name == "text" {
			out = fmt.Appendf(out, `,"content":{"type":"text","text":%s}`, field)
			continue
		}
		out = fmt.Appendf(out, `,%s:%s`, quoted, field)
	}
	return append(out, '}')
}

// unwrapSample gets back the fields of what wrapSample makes.
func unwrapSample(answer []byte) (value []byte, ok bool) {
	if !isObject(answer) || member(answer, "error") != nil {
		return nil, false
	}
	out, role := []byte{'{'}, ""
	add := func(name string, field json.RawMessage) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		quoted, _ := json.Marshal(name) // always encodes
		out = fmt.Appendf(out, "%s:%s", quoted, field)
	}
	for name, field := range members(answer) {
		switch name {
		case "role":
			_ = json.Unmarshal(field, &role) // what is no text is no role
		case "content":
			var kind string
			var names []string
			for name, part := range members(field) {
				names = append(names, name)
				if name == "type" {
					_ = json.Unmarshal(part, &kind) // what is no text is no type
				}
			}
			slices.Sort(names)
			if kind != "text" || !slices.Equal(names, []string{"text", "type"}) {
				return nil, false
			}
			add("text", member(field, "text"))
		case "text":
			return nil, false
		default:
			add(name, field)
		}
	}
	return append(out, '}'), role == "assistant"
}

// problems are what is wrong with an answer, as far as its fields tell.
func (k *questionKind) problems(f *form.Form, answer []byte) ([]form.Problem, error) {
	if k.unwrap == nil || f == nil {
		return nil, nil
	}
	value, ok := k.unwrap(answer)
	if !ok {
		return nil, nil // it is an answer of another kind: nothing is known of it
	}
	problems, err := f.Validate(value)
	for i := range problems {
		problems[i].Path = k.within + problems[i].Path
	}
	return problems, err
}
