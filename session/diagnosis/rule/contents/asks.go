package contents

import (
	"bytes"
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/jsonschema"
	"mcpdbg/session/mcp"
)

const (
	// maxForms is how many forms are kept until their responses, and maxFormBytes how
	// large each may be.
	maxForms     = 64
	maxFormBytes = 64 << 10
)

// A form is what is kept of an elicitation until its response.
type form struct {
	url    bool
	schema []byte // the requestedSchema, nil if it is not kept
}

type asks struct {
	forms  map[int]form             // by the row of the request
	inputs map[inputKey]*inputForms // of the modern era
}

// An inputKey identifies the request that a client sends again with inputResponses.
type inputKey struct{ method, name, state string }

// inputForms are the forms of one inputRequests. If several results have the same
// key, it is unknown which one a response is for.
type inputForms struct {
	byKey     map[string]form
	ambiguous bool
}

func (a *asks) keep(row int, params []byte) {
	if a.forms == nil {
		a.forms = make(map[int]form)
	}
	if len(a.forms) >= maxForms {
		clear(a.forms)
	}
	a.forms[row] = formOf(params)
}

func (a *asks) remove(row int) (form, bool) {
	f, ok := a.forms[row]
	delete(a.forms, row)
	return f, ok
}

func formOf(params []byte) form {
	f := form{url: string(message.Member(params, "mode")) == `"url"`}
	if schema := message.Member(params, "requestedSchema"); isObject(schema) && len(schema) <= maxFormBytes {
		f.schema = bytes.Clone(schema)
	}
	return f
}

func (c *Checker) checkAnswer(s *messageChecker, f form, result []byte) {
	var action, content []byte
	for name, value := range message.Members(result) {
		switch string(name) {
		case "action":
			action = value
		case "content":
			content = value
		}
	}
	accepted := string(action) == `"accept"`
	switch {
	case !isText(action):
	case content != nil && f.url:
		s.foundAs(srv03, diagnosis.Warning, "/content", "content in response to a URL")
	case content != nil && !accepted:
		s.foundAs(srv03, diagnosis.Warning, "/content", "content, although the action is "+message.Excerpt(action))
	case f.url || !accepted || f.schema == nil:
	case content == nil:
		if properties := message.Member(f.schema, "properties"); isObject(properties) && hasMembers(properties) {
			s.found(srv03, "/content", "accepted without content")
		}
	case !isObject(content):
		s.found(srv03, "/content", "content is "+kindOfValue(content)+", not an object")
	default:
		c.checkForm(s, f.schema, content)
	}
}

func hasMembers(object []byte) bool {
	for range message.Members(object) {
		return true
	}
	return false
}

func (c *Checker) checkForm(s *messageChecker, schema, content []byte) {
	for name, span := range framing.Members(content) {
		if value := span.Of(content); !isEntry(value) {
			key, _ := textOf(name.Of(content))
			s.enter("/content")
			s.enterKey(string(key))
			s.found(srv03, "", fmt.Sprintf("%q is %s; a form has texts, numbers, booleans and lists of texts", message.Excerpt(key), kindOfValue(value)))
			s.leave()
			s.leave()
			return
		}
	}
	compiled, err := jsonschema.Compile(schema, jsonschema.Options{Lenient: true})
	if err != nil || len(compiled.Unchecked()) > 0 {
		c.skipped++
		return
	}
	problems, err := compiled.Check(content, maxValue)
	if err != nil {
		c.skipped++
		return
	}
	if len(problems) > 0 {
		s.found(srv03, "/content"+problems[0].Path, "the content breaks the requestedSchema: "+describe(problems))
	}
}

// isEntry reports whether a form can have a value.
func isEntry(value []byte) bool {
	if !isArray(value) {
		return !isObject(value) && string(value) != "null"
	}
	for element := range message.Elements(value) {
		if !isText(element) {
			return false
		}
	}
	return true
}

func (c *Checker) inputRequests(s *messageChecker, request *message.Request, r *result) {
	s.name = clip(request.Name)
	if !isObject(r.inputRequests) {
		return
	}
	forms := &inputForms{byKey: make(map[string]form)}
	s.enter("/inputRequests")
	defer s.leave()
	for name, span := range framing.Members(r.inputRequests) {
		input := span.Of(r.inputRequests)
		if !isObject(input) {
			continue
		}
		params := message.Member(input, "params")
		if !isObject(params) {
			continue
		}
		key, ok := textOf(name.Of(r.inputRequests))
		s.enterKey(string(key))
		s.enter("/params")
		switch method, _ := textOf(message.Member(input, "method")); string(method) {
		case mcp.MethodElicit:
			s.elicitation(params)
			if ok && len(forms.byKey) < maxForms {
				forms.byKey[string(key)] = formOf(params)
			}
		case mcp.MethodSample:
			s.sampling(params)
		}
		s.leave()
		s.leave()
	}
	c.asks.keepInputs(inputKey{request.Method, request.Name, stateOf(r.requestState)}, forms)
}

func stateOf(raw []byte) string {
	text, _ := textOf(raw)
	return string(text[:min(len(text), maxFormBytes)])
}

// keepInputs keeps the forms of a result for the request that follows.
func (a *asks) keepInputs(key inputKey, forms *inputForms) {
	if a.inputs == nil {
		a.inputs = make(map[inputKey]*inputForms)
	}
	if older := a.inputs[key]; older != nil {
		forms.ambiguous = true
	}
	if len(a.inputs) >= maxForms {
		clear(a.inputs)
	}
	a.inputs[key] = forms
}

func (c *Checker) checkInputResponses(s *messageChecker, params []byte) {
	responses := message.Member(params, "inputResponses")
	if !isObject(responses) {
		return
	}
	method, member := string(s.sent), "name"
	if method == mcp.MethodReadResource {
		member = "uri"
	}
	name, _ := textOf(message.Member(params, member))
	key := inputKey{method, string(name[:min(len(name), maxKeptName)]), stateOf(message.Member(params, "requestState"))}
	forms := c.asks.inputs[key]
	if forms == nil {
		return
	}
	delete(c.asks.inputs, key)
	if forms.ambiguous {
		return
	}
	s.name = clip(key.name)
	s.enter("/inputResponses")
	defer s.leave()
	for name, span := range framing.Members(responses) {
		response := span.Of(responses)
		text, _ := textOf(name.Of(responses))
		f, ok := forms.byKey[string(text)]
		s.enterKey(string(text))
		switch {
		case !isObject(response):
		case ok:
			c.checkAnswer(s, f, response)
		default:
			s.rootsResult(message.Member(response, "roots"))
		}
		s.leave()
	}
}
