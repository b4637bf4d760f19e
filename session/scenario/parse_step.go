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

// keyTool is the word for a call of tools/call.
const keyTool = "tool"

// A stepReader reads one step.
type stepReader struct {
	*parser
	Step
	node      *yaml.Node
	arguments json.RawMessage
	failure   json.RawMessage // what an answer says as an error
	values    map[string]*yaml.Node
}

// doing are the words of which each step has exactly one.
func doing() []string {
	return []string{string(Call), keyTool, string(Notify), string(Send), string(Wait), string(Answer), string(Await), string(Cancel), string(CloseStdin), string(Restart)}
}

// step reads one step; it is not ok if nobody can tell what it does.
func (p *parser) step(n *yaml.Node) (Step, bool) {
	r := stepReader{parser: p, node: n, Step: Step{Place: placeOf(n)}, values: map[string]*yaml.Node{}}
	word := ""
	var keys []*yaml.Node
	if !p.members(n, "a step", func(key, value *yaml.Node) {
		keys = append(keys, key)
		r.values[key.Value] = value
		switch {
		case !slices.Contains(doing(), key.Value):
		case word == "":
			word = key.Value
		default:
			p.failTry(key, "make two steps of it", "a step does one thing, and this one is %s already", word)
		}
	}) {
		return r.Step, false
	}
	if word == "" {
		p.lost(keys, n)
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
	for _, f := range fields { // in our order: the last ones depend on those before
		if value, ok := r.values[f.key]; ok {
			f.read(value)
		}
	}
	r.finish()
	return r.Step, true
}

// lost notes a step that does nothing.
func (p *parser) lost(keys []*yaml.Node, n *yaml.Node) {
	for _, key := range keys {
		if near := nearest(key.Value, doing()); near != "" {
			p.failTry(key, near, "a step has no member %s", quoted(key.Value))
			return
		}
	}
	p.failTry(n, "add one of "+strings.Join(doing(), ", "), "nothing says what this step does")
}

// known checks that a key belongs to a step that does what word says.
func (r *stepReader) known(key *yaml.Node, word string, fields []field) {
	if slices.Contains(doing(), key.Value) || slices.ContainsFunc(fields, func(f field) bool { return f.key == key.Value }) {
		return
	}
	for _, other := range doing() {
		if slices.ContainsFunc(r.fields(other), func(f field) bool { return f.key == key.Value }) {
			r.failTry(key, "it may have "+strings.Join(keysOf(fields), ", "), "%s does not go with %s, only with %s", key.Value, word, other)
			return
		}
	}
	r.unknown(key, "a "+word+" step", fields)
}

// fields are the members of a step that does what word says.
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

// finish puts together what stands in several members.
func (r *stepReader) finish() {
	switch {
	case r.Tool != "":
		if r.arguments == nil {
			r.arguments = json.RawMessage("{}")
		}
		r.Params = toolParams(r.Tool, r.arguments)
	case r.Do == Answer:
		if with, both := r.values["with"]; both && r.failure != nil {
			r.fail(with, "an answer is a result (with) or an error, not both")
		}
		if r.failure != nil {
			r.Answer = r.failure
		} else if r.values["with"] == nil && r.values["error"] == nil {
			r.failTry(r.node, "add with: {...}, or error: {code: -1, message: no}", "nothing says what is answered")
		}
	}
}

// toolParams are the params of a call of a tool.
func toolParams(tool string, arguments json.RawMessage) json.RawMessage {
	r := reading{dst: []byte(`{"name":`)}
	r.text(Plain(tool))
	return append(append(append(r.dst, `,"arguments":`...), arguments...), '}')
}

// send reads bytes: a text, which is a line, or more exactly.
func (r *stepReader) send(n *yaml.Node) {
	s := real(n)
	r.Text = true
	if s.Kind != yaml.MappingNode {
		if s.Kind != yaml.ScalarNode || !isText(s) {
			r.failTry(n, "quote the message", "send has to be text, or {text: ...} or {base64: ...}, not %s", describe(n))
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
				r.fail(n, "this is no base64: %v", err)
			}
			base, r.Text, r.Data = true, false, data
		}})
	switch {
	case len(r.errs) > before:
	case base == (text != nil):
		r.fail(n, "send has either text or base64")
	case base:
	case !isText(real(text)):
		r.failTry(text, "quote it", "text has to be text, not %s", describe(text))
	default:
		r.variables(real(text))
		if r.Data = line(real(text).Value, newline); len(r.Data) == 0 {
			r.fail(text, "there are no bytes to send")
		}
	}
}

// line is a text with a newline at its end, if it is to have one.
func line(text string, newline bool) []byte {
	if newline && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return []byte(text)
}

// wait reads what is waited for.
func (r *stepReader) wait(n *yaml.Node) {
	f := &r.For
	var first string
	one := func(key string, into *string, read func(*yaml.Node, string) string) field {
		return field{key, func(n *yaml.Node) {
			if first != "" {
				r.failTry(n, "make two steps of it", "a step waits for one thing, and this one for %s already", first)
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
		r.failTry(n, "such as wait: {notification: notifications/progress}", "wait says what for: notification, request, stderr or stdout")
	case params != nil && (first == "stderr" || first == "stdout"):
		r.fail(params, "a line of %s has no params", first)
	}
}

// with reads the result of an answer.
func (r *stepReader) with(n *yaml.Node) {
	r.Answer = r.object(n, "with", true)
	if inner := inside(n, []string{"error"}); inner != n {
		r.failTry(inner, "put it beside answer, without with", "a result with the member error would be taken for an error")
	}
}

// answerError reads an answer that is an error.
func (r *stepReader) answerError(n *yaml.Node) {
	failure := r.object(n, "error", true)
	if failure == nil {
		return
	}
	var code, message bool
	r.parser.fields(n, "error", field{"code", func(n *yaml.Node) { code = r.integer(n, "code") != nil }},
		field{"message", func(n *yaml.Node) { message = isText(real(n)) }}, field{"data", func(*yaml.Node) {}})
	if !code || !message {
		r.fail(n, "an error has a code and a message")
	}
	r.failure = slices.Concat(json.RawMessage(`{"error":`), failure, json.RawMessage("}"))
}

// of reads the name of a call in the background.
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
		r.failTry(n, try, "no call before this step is in the background and named %s", quoted(name))
	case !waiting:
		r.fail(n, "the answer to %s was awaited before", quoted(name))
	case r.Do == Await:
		r.open[name] = false
	}
	r.Of = name
}

// base is the name of a step that was given none, before others have it.
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

// what is what a pattern waits for.
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

// shown makes a name of one line of a text.
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

// Names gives names to steps without one, each another than all before. The
// zero value is ready.
type Names struct {
	taken map[string]bool
	next  map[string]int // by the name that is wanted
}

// Of is the name that Parse gives to a step which is the next in its file and
// was given none: what it does, with a number if need be.
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

// take makes a name one that is taken, unless it is.
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
