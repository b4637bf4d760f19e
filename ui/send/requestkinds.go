package send

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/widget/form"
	"mcpdbg/ui/widget/jsontree"
	"mcpdbg/ui/widget/termsafe"
)

// maxReadable is how many bytes of a request are decoded to be shown as text;
// only part of a longer one is shown, as it is.
const maxReadable = 1 << 20

// A requestKind is how the user answers one kind of server request: its fields,
// and how their value becomes a response. Any response can also be written as
// JSON.
type requestKind struct {
	title  string
	schema json.RawMessage // of the fields; nil for a kind without fields
	value  json.RawMessage // the initial value of the fields; nil for the defaults
	text   json.RawMessage // the initial response of a kind that has only JSON
	within string          // a JSON Pointer to the fields' value in the response

	// wrap makes a response of the fields' value. unwrap returns that value, if the
	// fields can represent the response. Both are nil if there is only JSON.
	wrap   func(value []byte) json.RawMessage
	unwrap func(response []byte) (value []byte, ok bool)

	decline json.RawMessage // the response to decline
	cancel  json.RawMessage // the response to cancel; nil if the kind has none
	suggest map[string][]string
	write   func(*requestText) // writes the server's text
	warns   []string           // warnings of mcpdbg about the request
}

// Fixed responses and their parts.
const (
	declined      = `{"action":"decline"}`
	cancelled     = `{"action":"cancel"}`
	accepted      = `{"action":"accept"}`
	rejected      = `{"error":{"code":-1,"message":"User rejected sampling request"}}`
	unanswered    = `{"error":{"code":-32601,"message":"the user does not answer this request"}}`
	emptyObject   = `{}`
	anyObject     = `{"type":"object"}`
	stopReasonEnd = "endTurn"
)

// sent is the last response to the same method, nil if there is none.
func kindOf(method string, params, sent json.RawMessage, cwd string) requestKind {
	if len(params) > maxReadable {
		return anyRequest(method, params)
	}
	switch method {
	case mcp.MethodElicit:
		return elicitation(params)
	case mcp.MethodSample:
		return samplingRequest(params)
	case mcp.MethodRoots:
		return rootsRequest(sent, cwd)
	}
	return anyRequest(method, params)
}

// Only JSON can answer it.
func anyRequest(method string, params json.RawMessage) requestKind {
	return requestKind{
		title: method, text: json.RawMessage(emptyObject), decline: json.RawMessage(unanswered),
		write: func(t *requestText) {
			if len(params) > 0 {
				t.json(params)
			}
		},
	}
}

// elicitation is a form, or a URL to open.
func elicitation(params json.RawMessage) requestKind {
	var request struct {
		Mode    string          `json:"mode"`
		Message string          `json:"message"`
		Schema  json.RawMessage `json:"requestedSchema"`
		URL     string          `json:"url"`
	}
	err := framing.Unmarshal(params, &request)
	k := anyRequest(mcp.MethodElicit, params)
	k.text, k.decline, k.cancel = json.RawMessage(accepted), json.RawMessage(declined), json.RawMessage(cancelled)
	switch {
	case err != nil:
		k.warns = []string{"invalid elicitation: " + err.Error()}
	case request.Mode == "url":
		k.title = "you to open a URL"
		k.wrap = func([]byte) json.RawMessage { return json.RawMessage(accepted) }
		k.unwrap = func(response []byte) ([]byte, bool) { return nil, isAction(response, "accept", 1) }
		k.write = func(t *requestText) { t.add("", request.Message); t.blank(); t.url(request.URL) }
		k.warns = termsafe.URLWarnings(request.URL)
	case request.Mode != "" && request.Mode != "form":
		k.warns = []string{"unknown mode: " + request.Mode}
	default:
		k.title, k.schema, k.within = "you", request.Schema, "/content"
		if !isObject(request.Schema) {
			k.schema, k.warns = json.RawMessage(anyObject), []string{"requestedSchema is missing or is not an object"}
		}
		k.wrap = func(value []byte) json.RawMessage { return fmt.Appendf(nil, `{"action":"accept","content":%s}`, value) }
		k.unwrap = func(response []byte) ([]byte, bool) {
			content := member(response, "content")
			return content, content != nil && isAction(response, "accept", 2)
		}
		k.write = func(t *requestText) { t.add("", request.Message) }
	}
	return k
}

// The response must have exactly count members.
func isAction(response []byte, action string, count int) bool {
	name, n := "", 0
	for key, value := range jsontree.Members(response) {
		n++
		if key == "action" {
			_ = json.Unmarshal(value, &name) // a value that is not a string is not an action
		}
	}
	return name == action && n == count && json.Valid(response)
}

// Nil if it is missing.
func member(object []byte, name string) json.RawMessage {
	for other, value := range jsontree.Members(object) {
		if other == name {
			return value
		}
	}
	return nil
}

func isObject(raw []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) && json.Valid(raw)
}

// rootsRequest is a list of folders: the last response, or at first the folder in
// which the server was started.
func rootsRequest(last json.RawMessage, cwd string) requestKind {
	const schema = `{"type":"object","required":["roots"],"properties":{"roots":{"type":"array","title":"folders","items":{"type":"object","required":["uri"],"properties":{` +
		`"uri":{"type":"string","pattern":"^file://","description":"Begins with file://, as in file:///home/me/project"},` +
		`"name":{"type":"string","description":"A display name."}}}}}}`
	k := anyRequest(mcp.MethodRoots, nil)
	k.title = "for roots (folders)"
	k.schema, k.value = json.RawMessage(schema), json.RawMessage(`{"roots":[]}`)
	if isObject(last) && member(last, "error") == nil {
		k.value = last
	} else if filepath.IsAbs(cwd) {
		folder := url.URL{Scheme: "file", Path: filepath.ToSlash(cwd)}
		name, _ := json.Marshal(map[string]string{"uri": folder.String(), "name": filepath.Base(cwd)}) // always encodes
		k.value = fmt.Appendf(nil, `{"roots":[%s]}`, name)
	}
	k.wrap = func(value []byte) json.RawMessage { return value }
	k.unwrap = func(response []byte) ([]byte, bool) {
		return response, isObject(response) && member(response, "error") == nil
	}
	return k
}

// Other values are allowed.
var stopReasons = []string{stopReasonEnd, "stopSequence", "maxTokens", "toolUse"}

func samplingRequest(params json.RawMessage) requestKind {
	var request samplingParams
	err := framing.Unmarshal(params, &request)
	k := anyRequest(mcp.MethodSample, params)
	k.decline = json.RawMessage(rejected)
	model := "mcpdbg"
	if hints := request.Preferences.Hints; err == nil && len(hints) > 0 && hints[0].Name != "" {
		model = hints[0].Name
	}
	name, _ := json.Marshal(model) // always encodes
	k.title = "for a model response"
	k.schema = fmt.Appendf(nil, `{"type":"object","properties":{"text":{"type":"string","default":"","description":"The text of the response. The JSON view allows other content, such as tool_use."},`+
		`"model":{"type":"string","default":%s,"description":"The name of the model."},`+
		`"stopReason":{"type":"string","default":%q,"description":"Why the model stopped: endTurn, stopSequence, maxTokens, toolUse, or another reason."}}}`, name, stopReasonEnd)
	k.suggest = map[string][]string{"/stopReason": stopReasons}
	k.wrap, k.unwrap = wrapSample, unwrapSample
	if err != nil {
		k.warns = []string{"invalid sampling request: " + err.Error()}
		return k
	}
	k.write = request.write
	return k
}

func wrapSample(value []byte) json.RawMessage {
	out := []byte(`{"role":"assistant"`)
	for name, field := range jsontree.Members(value) {
		quoted, _ := json.Marshal(name) // always encodes
		if name == "text" {
			out = fmt.Appendf(out, `,"content":{"type":"text","text":%s}`, field)
			continue
		}
		out = fmt.Appendf(out, `,%s:%s`, quoted, field)
	}
	return append(out, '}')
}

// unwrapSample returns the fields of a response that wrapSample can make.
func unwrapSample(response []byte) (value []byte, ok bool) {
	if !isObject(response) || member(response, "error") != nil {
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
	for name, field := range jsontree.Members(response) {
		switch name {
		case "role":
			_ = json.Unmarshal(field, &role) // a value that is not a string is not a role
		case "content":
			var kind string
			var names []string
			for name, part := range jsontree.Members(field) {
				names = append(names, name)
				if name == "type" {
					_ = json.Unmarshal(part, &kind) // a value that is not a string is not a type
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

func (k *requestKind) problems(f *form.Form, response []byte) ([]form.Problem, error) {
	if k.unwrap == nil || f == nil {
		return nil, nil
	}
	value, ok := k.unwrap(response)
	if !ok {
		return nil, nil // a response of another kind cannot be checked
	}
	problems, err := f.Validate(value)
	for i := range problems {
		problems[i].Path = k.within + problems[i].Path
	}
	return problems, err
}
