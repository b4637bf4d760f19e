package scenario

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"mcpdbg/session/mcp"
)

// WriteYAML writes a scenario so that Parse reads it back, except for places and
// comments. Equal scenarios have equal output. The error is that of w, or that of Parse
// for an invalid scenario.
func WriteYAML(w io.Writer, s *Scenario) error {
	var out bytes.Buffer
	if err := writeHead(&out, s); err != nil {
		return err
	}
	out.WriteString("\nsteps:\n")
	given := givenNames(s.Steps)
	for i := range s.Steps {
		if i > 0 {
			out.WriteByte('\n')
		}
		if err := writeStep(&out, &s.Steps[i], given[i]); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	if _, err := Parse(s.File, out.Bytes()); err != nil {
		return fmt.Errorf("not a valid scenario: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func writeHead(out *bytes.Buffer, s *Scenario) error {
	w := &writing{}
	head := mapping()
	head.add("scenario", plain(version))
	head.addText("name", s.Name)
	head.addText("description", s.Description)
	head.addText("era", string(s.Era))
	head.addText("protocol", s.Protocol)
	if len(s.Vars) > 0 {
		vars := mapping()
		for i := range s.Vars {
			vars.add(s.Vars[i].Name, w.variable(&s.Vars[i]))
		}
		head.add("vars", vars.Node)
	}
	if s.Timeout > 0 {
		head.add("timeout", textNode(durationText(s.Timeout)))
	}
	if s.Answers != nil {
		answers := mapping()
		for _, method := range slices.Sorted(maps.Keys(s.Answers)) {
			answers.add(method, w.json(s.Answers[method]))
		}
		head.add("answers", answers.Node)
	}
	if s.Capabilities != nil {
		head.add("capabilities", w.json(s.Capabilities))
	}
	if w.err != nil {
		return w.err
	}
	return emit(out, head.Node, "")
}

func (w *writing) variable(v *Var) *yaml.Node {
	if v.Env == "" && !v.Secret && len(v.Default) > 0 && v.Default[0] != '{' {
		return w.json(v.Default)
	}
	n := mapping()
	n.addText("env", v.Env)
	if v.Default != nil {
		n.add("default", w.json(v.Default))
	}
	if v.Secret {
		n.add("secret", plain("true"))
	}
	n.flow()
	return n.Node
}

func writeStep(out *bytes.Buffer, s *Step, named bool) error {
	w := &writing{}
	n := mapping()
	for line := range strings.Lines(s.Comment) {
		n.comment("# " + clean(line))
	}
	if named {
		n.addText("name", s.Name)
	}
	w.action(n, s)
	if s.Timeout > 0 {
		n.add("timeout", textNode(durationText(s.Timeout)))
	}
	if s.Always {
		n.add("always", plain("true"))
	}
	if expect := w.expect(&s.Expect); len(expect.Content) > 0 || s.Expect.Place != (Place{}) {
		if s.Expect.JQ == nil { // programs are easier to read on their own line
			expect.flow()
		}
		n.add("expect", expect.Node)
	}
	if len(s.Capture) > 0 {
		capture := mapping()
		for _, c := range s.Capture {
			capture.add(c.Name, textNode(c.Text))
		}
		n.add("capture", capture.Node)
	}
	if w.err != nil {
		return w.err
	}
	return emit(out, &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{n.Node}}, "  ")
}

func (w *writing) action(n *object, s *Step) {
	word := string(s.Do)
	switch s.Do {
	case Call:
		w.call(n, s)
	case Notify:
		n.add(word, textNode(s.Method))
		w.member(n, "params", s.Params)
	case Send:
		n.add(word, sent(s))
	case Wait:
		n.add(word, w.waited(&s.For))
	case Answer:
		n.add(word, textNode(s.Method))
		w.member(n, "params", s.For.Params)
		if failure := failureOf(s.Answer); failure != nil {
			w.member(n, "error", failure)
		} else {
			w.member(n, "with", s.Answer)
		}
	case Await, Cancel:
		n.add(word, textNode(s.Of))
	case CloseStdin, Restart:
		n.add(word, plain("true"))
	default:
		w.fail(fmt.Errorf("unknown kind of step %q", s.Do))
	}
}

func (w *writing) call(n *object, s *Step) {
	if arguments := argumentsOf(s); arguments != nil {
		n.add(keyTool, textNode(s.Tool))
		if string(arguments) != "{}" {
			w.member(n, "arguments", arguments)
		}
	} else {
		n.add(string(Call), textNode(s.Method))
		w.member(n, "params", s.Params)
	}
	if s.Background {
		n.add("background", plain("true"))
	}
}

// argumentsOf returns the arguments of a call that can be written as tool: NAME, or nil.
func argumentsOf(s *Step) []byte {
	if s.Tool == "" || s.Method != mcp.MethodToolsCall {
		return nil
	}
	head := toolParams(s.Tool, nil)
	head = head[:len(head)-1]
	rest, ok := bytes.CutPrefix(s.Params, head)
	if !ok || len(rest) < len("{}}") || rest[0] != '{' {
		return nil
	}
	arguments := rest[:len(rest)-1]
	if members(arguments) == nil {
		return nil // arguments are not the last member
	}
	return arguments
}

func sent(s *Step) *yaml.Node {
	text, isLine := strings.CutSuffix(string(s.Data), "\n")
	switch n := mapping(); {
	case !s.Text:
		n.add("base64", textNode(base64.StdEncoding.EncodeToString(s.Data)))
		return n.Node
	case isLine && !strings.HasSuffix(text, "\n"):
		return textNode(text)
	default:
		n.add("text", textNode(string(s.Data)))
		n.add("newline", plain("false"))
		return n.Node
	}
}

func (w *writing) waited(f *Pattern) *yaml.Node {
	n := mapping()
	n.addText("notification", f.Notification)
	n.addText("request", f.Request)
	n.addText("stderr", f.Stderr)
	n.addText("stdout", f.Stdout)
	w.member(n, "params", f.Params)
	n.flow()
	return n.Node
}

func (w *writing) expect(e *Expect) *object {
	n := mapping()
	w.member(n, "result", e.Result)
	if e.IsError != nil {
		n.add("isError", plain(fmt.Sprint(*e.IsError)))
	}
	w.member(n, "schema", e.Schema)
	if list := expressionsNode(e.JQ); list != nil {
		n.add("jq", list)
	}
	if e.Error != nil {
		n.add("error", errorNode(e.Error))
	}
	if e.Within > 0 {
		n.add("within", textNode(durationText(e.Within)))
	}
	switch e.Problems {
	case "warning":
		n.add("findings", plain(problemsNone))
	case "error":
		n.add("findings", plain(problemsNoErrors))
	}
	if e.Exit != nil {
		n.add("exit", plain(fmt.Sprint(*e.Exit)))
	}
	return n
}

func expressionsNode(all []Expression) *yaml.Node {
	switch len(all) {
	case 0:
		return nil
	case 1:
		return textNode(all[0].Text)
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, e := range all {
		list.Content = append(list.Content, textNode(e.Text))
	}
	return list
}

func errorNode(e *ErrorPattern) *yaml.Node {
	switch {
	case e.Code == nil && e.Message == "":
		return plain("any")
	case e.Message == "":
		return plain(fmt.Sprint(*e.Code))
	}
	n := mapping()
	if e.Code != nil {
		n.add("code", plain(fmt.Sprint(*e.Code)))
	}
	n.addText("message", e.Message)
	n.flow()
	return n.Node
}

// durationText formats a duration without trailing zero units.
func durationText(d time.Duration) string {
	text := d.String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}

// givenNames reports which names must be written: the others are the same when the file
// is parsed.
func givenNames(steps []Step) []bool {
	given := make([]bool, len(steps))
	for i := range steps {
		given[i] = !strings.HasPrefix(steps[i].Name, steps[i].base())
	}
	for range 2 {
		t := &Names{}
		for i := range steps {
			if given[i] {
				t.take(steps[i].Name)
			}
		}
		same := true
		for i := range steps {
			if !given[i] && t.Of(&steps[i]) != steps[i].Name {
				given[i], same = true, false
			}
		}
		if same {
			return given
		}
	}
	for i := range given {
		given[i] = true
	}
	return given
}
