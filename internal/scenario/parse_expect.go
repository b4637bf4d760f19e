package scenario

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"mcpdbg/session/diagnosis"
)

// The values of the member findings.
const (
	problemsNone     = "none"
	problemsNoErrors = "no-errors"
)

func expectations(s *Step) []string {
	switch s.Do {
	case Call:
		if s.Background {
			return nil
		}
		return []string{"result", "isError", "schema", "jq", "error", "within", "findings"}
	case Await, Send:
		return []string{"result", "isError", "schema", "jq", "error", "within", "findings"}
	case Wait:
		if s.For.Stderr != "" || s.For.Stdout != "" {
			return []string{"jq", "within", "findings"}
		}
		return []string{"result", "schema", "jq", "within", "findings"}
	case Answer:
		return []string{"result", "schema", "jq", "within", "findings"}
	case CloseStdin:
		return []string{"exit", "within", "findings"}
	}
	return []string{"findings"}
}

func (p *parser) expect(n *yaml.Node, s *Step) {
	e := &s.Expect
	all := []field{
		{"result", func(n *yaml.Node) { e.Result = p.value(n, true) }},
		{"isError", func(n *yaml.Node) { is := p.flag(n, "isError"); e.IsError = &is }},
		{"schema", func(n *yaml.Node) { e.Schema = p.schema(n) }},
		{"jq", func(n *yaml.Node) { e.JQ = p.expressions(n, "jq") }},
		{"error", func(n *yaml.Node) { e.Error = p.errorPattern(n) }},
		{"within", func(n *yaml.Node) { e.Within = p.duration(n, "within") }},
		{"findings", func(n *yaml.Node) { e.Problems = p.problems(n) }},
		{"exit", func(n *yaml.Node) { e.Exit = p.integer(n, "exit") }},
	}
	e.Place, e.Places = placeOf(n), map[string]Place{}
	allowed := expectations(s)
	if len(allowed) == 0 {
		p.failTry(n, "put expect in the step that awaits this call", "a background call has no response yet")
		return
	}
	fields := slices.DeleteFunc(slices.Clone(all), func(f field) bool { return !slices.Contains(allowed, f.key) })
	p.members(n, "expect", func(key, value *yaml.Node) {
		for _, f := range all {
			switch {
			case f.key != key.Value:
			case slices.Contains(allowed, f.key):
				e.Places[f.key] = placeOf(key)
				f.read(value)
				return
			default:
				p.failTry(key, "expect may have "+strings.Join(keysOf(fields), ", "), "%s does not apply to this step: it is %s", key.Value, s.Do.phrase())
				return
			}
		}
		p.unknown(key, "expect", fields)
	})
	if e.Error != nil && e.IsError != nil {
		p.fail(n, "error and isError cannot be combined")
	}
}

func (p *parser) errorPattern(n *yaml.Node) *ErrorPattern {
	s, e := real(n), &ErrorPattern{}
	switch {
	case s.Kind == yaml.MappingNode:
		p.fields(n, "error", field{"code", func(n *yaml.Node) { e.Code = p.integer(n, "code") }},
			field{"message", func(n *yaml.Node) { e.Message = p.pattern(n, "message") }})
	case s.Kind == yaml.ScalarNode && isText(s) && s.Value == "any":
	case s.Kind == yaml.ScalarNode && isNumber(s.Value) && !isText(s):
		e.Code = p.integer(n, "error")
	default:
		p.failTry(n, "error: any, error: -32602, or error: {code: -32602, message: REGEXP}", "error must be any, a code or an object, not %s", describe(n))
	}
	return e
}

func (p *parser) problems(n *yaml.Node) string {
	switch p.text(n, "findings") {
	case problemsNone:
		return diagnosis.Warning.String()
	case problemsNoErrors:
		return diagnosis.Error.String()
	}
	p.fail(n, "findings must be %s (no errors or warnings) or %s, not %s", problemsNone, problemsNoErrors, describe(n))
	return ""
}

func (p *parser) capture(n *yaml.Node, s *Step) {
	switch {
	case s.Do == Call && s.Background:
		p.failTry(n, "put capture in the step that awaits this call", "a background call has no response yet")
		return
	case !slices.Contains([]Kind{Call, Await, Send, Wait, Answer}, s.Do):
		p.fail(n, "nothing to capture: this is %s", s.Do.phrase())
		return
	}
	p.members(n, "capture", func(key, value *yaml.Node) {
		if !p.name(key) {
			return
		}
		if p.declared[key.Value] {
			p.failTry(key, "choose another name", "the variable %s is already declared in vars", quoted(key.Value))
		}
		if e, ok := p.expression(value, "capture "+key.Value); ok {
			s.Capture = append(s.Capture, Capture{Name: key.Value, Expression: e})
		}
		p.known[key.Value] = true
	})
}

func (k Kind) phrase() string {
	phrases := map[Kind]string{
		Call: "a call", Notify: "a notification", Send: "a send", Wait: "a wait", Answer: "an answer",
		Await: "an await", Cancel: "a cancel", CloseStdin: "a close-stdin", Restart: "a restart",
	}
	return cmp.Or(phrases[k], string(k))
}
