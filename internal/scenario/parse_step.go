package scenario

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"mcpdbg/session/mcp"
)

const keyTool = "tool"

type stepReader struct {
	*parser
	Step
	node      *yaml.Node
	arguments json.RawMessage
	failure   json.RawMessage // error of an answer
	values    map[string]*yaml.Node
}

// Each step has exactly one action member.
func actions() []string {
	return []string{string(Call), keyTool, string(Notify), string(Send), string(Wait), string(Answer), string(Await), string(Cancel), string(CloseStdin), string(Restart)}
}

func (p *parser) step(n *yaml.Node) (Step, bool) {
	r := stepReader{parser: p, node: n, Step: Step{Place: placeOf(n)}, values: map[string]*yaml.Node{}}
	word := ""
	var keys []*yaml.Node
	if !p.members(n, "a step", func(key, value *yaml.Node) {
		keys = append(keys, key)
		r.values[key.Value] = value
		switch {
		case !slices.Contains(actions(), key.Value):
		case word == "":
			word = key.Value
		default:
			p.failTry(key, "split it into two steps", "a step can only do one thing, and this one already has %s", word)
		}
	}) {
		return r.Step, false
	}
	if word == "" {
		p.noAction(keys, n)
		return r.Step, false
	}
	r.Do = Kind(word)
	if word == keyTool {
		r.Do = Call
	}
	fields := r.fields(word)
	for _, key := range keys {
		r.known(key, word, fields)
	}
	for _, f := range fields { // in our order: the last ones depend on earlier ones
		if value, ok := r.values[f.key]; ok {
			f.read(value)
		}
	}
	r.finish()
	return r.Step, true
}

func (p *parser) noAction(keys []*yaml.Node, n *yaml.Node) {
	for _, key := range keys {
		if near := nearest(key.Value, actions()); near != "" {
			p.failTry(key, near, "a step has no member %s", quoted(key.Value))
			return
		}
	}
	p.failTry(n, "add one of "+strings.Join(actions(), ", "), "the step has no action")
}

func (r *stepReader) known(key *yaml.Node, word string, fields []field) {
	if slices.Contains(actions(), key.Value) || slices.ContainsFunc(fields, func(f field) bool { return f.key == key.Value }) {
		return
	}
	for _, other := range actions() {
		if slices.ContainsFunc(r.fields(other), func(f field) bool { return f.key == key.Value }) {
			r.failTry(key, "it may have "+strings.Join(keysOf(fields), ", "), "%s cannot be combined with %s, only with %s", key.Value, word, other)
			return
		}
	}
	r.unknown(key, "a "+word+" step", fields)
}

func (r *stepReader) fields(word string) []field {
	s := &r.Step
	fields := []field{{"name", func(n *yaml.Node) { s.Name = r.title(n, "name") }}}
	params := field{"params", func(n *yaml.Node) { s.Params = r.object(n, "params", true) }}
	background := field{"background", func(n *yaml.Node) { s.Background = r.flag(n, "background") }}
	switch word {
	case string(Call):
		fields = append(fields, field{word, func(n *yaml.Node) { s.Method = r.text(n, word) }}, params, background)
	case keyTool:
		fields = append(fields, field{word, func(n *yaml.Node) { s.Method, s.Tool = mcp.MethodToolsCall, r.text(n, word) }},
			field{"arguments", func(n *yaml.Node) { r.arguments = r.object(n, "arguments", true) }}, background)
	case string(Notify):
		fields = append(fields, field{word, func(n *yaml.Node) { s.Method = r.text(n, word) }}, params)
	case string(Send):
		fields = append(fields, field{word, r.send})
	case string(Wait):
		fields = append(fields, field{word, r.wait})
	case string(Answer):
		fields = append(fields, field{word, func(n *yaml.Node) { s.Method = r.text(n, word) }},
			field{"with", r.with}, field{"error", r.answerError},
			field{"params", func(n *yaml.Node) { s.For.Params = r.object(n, "params", true) }})
	case string(Await), string(Cancel):
		fields = append(fields, field{word, r.of})
	case string(CloseStdin), string(Restart):
		fields = append(fields, field{word, func(n *yaml.Node) { r.must(n, word) }})
	}
	return append(fields,
		field{"timeout", func(n *yaml.Node) { s.Timeout = r.duration(n, "timeout") }},
		field{"always", func(n *yaml.Node) { s.Always = r.flag(n, "always") }},
		field{"expect", func(n *yaml.Node) { r.expect(n, s) }},
		field{"capture", func(n *yaml.Node) { r.capture(n, s) }})
}

func (r *stepReader) finish() {
	switch {
	case r.Tool != "":
		if r.arguments == nil {
			r.arguments = json.RawMessage("{}")
		}
		r.Params = toolParams(r.Tool, r.arguments)
	case r.Do == Answer:
		if with, both := r.values["with"]; both && r.failure != nil {
			r.fail(with, "with and error cannot be combined")
		}
		if r.failure != nil {
			r.Answer = r.failure
		} else if r.values["with"] == nil && r.values["error"] == nil {
			r.failTry(r.node, "add with: {...}, or error: {code: -1, message: no}", "the answer is missing")
		}
	}
}

func toolParams(tool string, arguments json.RawMessage) json.RawMessage {
	r := reading{dst: []byte(`{"name":`)}
	r.text(Plain(tool))
	return append(append(append(r.dst, `,"arguments":`...), arguments...), '}')
}

func (r *stepReader) send(n *yaml.Node) {
	s := real(n)
	r.Text = true
	if s.Kind != yaml.MappingNode {
		if s.Kind != yaml.ScalarNode || !isText(s) {
			r.failTry(n, "quote the message", "send must be text, or {text: ...} or {base64: ...}, not %s", describe(n))
			return
		}
		r.variables(s)
		r.Data = line(s.Value, true)
		return
	}
	newline, base := true, false
	var text *yaml.Node
	before := len(r.errs)
	r.parser.fields(n, "send", field{"text", func(n *yaml.Node) { text = n }},
		field{"newline", func(n *yaml.Node) { newline = r.flag(n, "newline") }},
		field{"base64", func(n *yaml.Node) {
			data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(r.text(n, "base64")), ""))
			if err != nil {
				r.fail(n, "invalid base64: %v", err)
			}
			base, r.Text, r.Data = true, false, data
		}})
	switch {
	case len(r.errs) > before:
	case base == (text != nil):
		r.fail(n, "send requires either text or base64")
	case base:
	case !isText(real(text)):
		r.failTry(text, "quote it", "text must be text, not %s", describe(text))
	default:
		r.variables(real(text))
		if r.Data = line(real(text).Value, newline); len(r.Data) == 0 {
			r.fail(text, "no bytes to send")
		}
	}
}

func line(text string, newline bool) []byte {
	if newline && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return []byte(text)
}

func (r *stepReader) wait(n *yaml.Node) {
	f := &r.For
	var first string
	one := func(key string, into *string, read func(*yaml.Node, string) string) field {
		return field{key, func(n *yaml.Node) {
			if first != "" {
				r.failTry(n, "split it into two steps", "a step can only wait for one thing, and this one already waits for %s", first)
			}
			first, *into = key, read(n, key)
		}}
	}
	var params *yaml.Node
	r.parser.fields(n, "wait", one("notification", &f.Notification, r.text), one("request", &f.Request, r.text),
		one("stderr", &f.Stderr, r.pattern), one("stdout", &f.Stdout, r.pattern),
		field{"params", func(n *yaml.Node) { params, f.Params = n, r.object(n, "params", true) }})
	switch {
	case real(n).Kind == yaml.MappingNode && first == "":
		r.failTry(n, "for example wait: {notification: notifications/progress}", "wait requires one of notification, request, stderr or stdout")
	case params != nil && (first == "stderr" || first == "stdout"):
		r.fail(params, "params cannot be combined with %s", first)
	}
}

func (r *stepReader) with(n *yaml.Node) {
	r.Answer = r.object(n, "with", true)
	if inner := inside(n, "/error"); inner != n {
		r.failTry(inner, "put error next to answer, and omit with", "a result cannot have the member error")
	}
}

func (r *stepReader) answerError(n *yaml.Node) {
	failure := r.object(n, "error", true)
	if failure == nil {
		return
	}
	var code, message bool
	r.parser.fields(n, "error", field{"code", func(n *yaml.Node) { code = r.integer(n, "code") != nil }},
		field{"message", func(n *yaml.Node) { message = isText(real(n)) }}, field{"data", func(*yaml.Node) {}})
	if !code || !message {
		r.fail(n, "an error requires a code and a message")
	}
	r.failure = slices.Concat(json.RawMessage(`{"error":`), failure, json.RawMessage("}"))
}

func (r *stepReader) of(n *yaml.Node) {
	name := r.text(n, string(r.Do))
	waiting, known := r.open[name]
	switch {
	case name == "":
	case !known:
		try := "give the call the name " + name + ", and background: true"
		if near := nearest(name, slices.Sorted(maps.Keys(r.open))); near != "" {
			try = near
		}
		r.failTry(n, try, "no earlier background call is named %s", quoted(name))
	case !waiting:
		r.fail(n, "%s was already awaited", quoted(name))
	case r.Do == Await:
		r.open[name] = false
	}
	r.Of = name
}

// base returns the default name, before it is made unique.
func (s *Step) base() string {
	name := string(s.Do)
	switch s.Do {
	case Call:
		name = s.Method
		if s.Tool != "" {
			name = s.Tool
		}
	case Notify, Answer:
		name += " " + s.Method
	case Await, Cancel:
		name += " " + s.Of
	case Wait:
		name += " for " + s.For.what()
	}
	return shown(name)
}

func (f *Pattern) what() string {
	switch {
	case f.Request != "":
		return f.Request
	case f.Stderr != "":
		return "stderr"
	case f.Stdout != "":
		return "stdout"
	}
	return f.Notification
}

func shown(text string) string {
	name := []rune(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || !printable(r) }), " "))
	if len(name) > maxTitle/2 {
		name = name[:maxTitle/2]
	}
	if text := strings.TrimSpace(string(name)); text != "" {
		return text
	}
	return "step"
}

// Names generates unique names for steps without one. The zero value is ready to
// use.
type Names struct {
	taken map[string]bool
	next  map[string]int // by base name
}

// Of returns the name that Parse gives to the next unnamed step: its action, with a
// number if needed.
func (t *Names) Of(s *Step) string {
	base := s.base()
	name := base
	for !t.take(name) {
		if t.next == nil {
			t.next = map[string]int{}
		}
		t.next[base]++
		name = fmt.Sprintf("%s (%d)", base, t.next[base]+1)
	}
	return name
}

// take returns false if the name is already taken.
func (t *Names) take(name string) bool {
	if t.taken[name] {
		return false
	}
	if t.taken == nil {
		t.taken = map[string]bool{}
	}
	t.taken[name] = true
	return true
}
