package scenario

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"mcpdbg/session"
	"mcpdbg/session/answers"
	"mcpdbg/session/mcp"
)

// Limits of a scenario file.
const (
	MaxFile  = 4 << 20 // bytes
	MaxSteps = 10_000
	maxDepth = 100 // of nesting
	// maxRead limits the cost of reading a file with its aliases expanded: one or two per
	// node, plus the bytes of its text. A file without aliases cannot reach it.
	maxRead = 2 * MaxFile
	// maxMarks limits the separators in a file: lines, commas, brackets, dashes. Each
	// allows at most two values of about 200 bytes; a file of nothing else would take 700
	// MiB.
	maxMarks = 300_000
	// maxProgram is the longest jq program or regular expression, in bytes.
	maxProgram = 16 << 10
)

const version = "1"

// Parse parses a scenario file, in YAML or JSON; the name is for messages. The error is
// an Errors with all mistakes and their places. Parse also compiles expressions and
// schemas, and checks that variables and calls are defined before the steps that use
// them.
func Parse(file string, data []byte) (*Scenario, error) {
	p := newParser(file)
	root := p.document(data)
	if root == nil {
		return nil, p.errs
	}
	s := p.scenario(root)
	if len(p.errs) > 0 {
		return nil, p.errs.sorted()
	}
	return s, nil
}

type parser struct {
	file  string
	errs  Errors
	read  int  // see maxRead
	spent bool // reading has stopped: maxRead or maxErrors was reached

	compiled map[string]bool // programs and schemas by language and text

	declared map[string]bool // variables in vars
	known    map[string]bool // variables so far: declared and captured
	open     map[string]bool // background calls so far; true until awaited
}

func newParser(file string) *parser {
	return &parser{file: file, declared: map[string]bool{}, known: map[string]bool{}, open: map[string]bool{}, compiled: map[string]bool{}}
}

func (p *parser) fail(n *yaml.Node, format string, args ...any) { p.failTry(n, "", format, args...) }

func (p *parser) failTry(n *yaml.Node, try, format string, args ...any) {
	p.failAt(placeOf(n), try, fmt.Sprintf(format, args...))
}

func (p *parser) failAt(at Place, try, text string) {
	if len(p.errs) < maxErrors {
		p.errs = append(p.errs, &Error{File: p.file, Place: at, Text: text, Advice: try})
	}
	p.spent = p.spent || len(p.errs) == maxErrors
}

// scenario reads everything that steps refer to before them, in any order of the file.
func (p *parser) scenario(root *yaml.Node) *Scenario {
	s := &Scenario{File: p.file}
	var form, vars, steps *yaml.Node
	keep := func(into **yaml.Node) func(*yaml.Node) { return func(n *yaml.Node) { *into = n } }
	var answers *yaml.Node
	if !p.fields(root, "a scenario", field{"scenario", keep(&form)},
		field{"name", func(n *yaml.Node) { s.Name = p.title(n, "name") }},
		field{"description", func(n *yaml.Node) { s.Description = p.text(n, "description") }},
		field{"vars", keep(&vars)},
		field{"timeout", func(n *yaml.Node) { s.Timeout = p.duration(n, "timeout") }},
		field{"answers", keep(&answers)},
		field{"capabilities", func(n *yaml.Node) { s.Capabilities = p.object(n, "capabilities", false) }},
		field{"era", func(n *yaml.Node) { s.Era = p.era(n) }},
		field{"protocol", func(n *yaml.Node) { s.Protocol = p.title(n, "protocol") }},
		field{"steps", keep(&steps)}) {
		return s
	}
	switch {
	case form == nil:
		p.failTry(root, "begin the file with scenario: 1", "the scenario version is missing")
	case real(form).Value != version || isText(real(form)):
		p.failTry(form, "write scenario: "+version+", without quotes", "unsupported scenario version: %s (supported: %s)", describe(form), version)
	}
	if vars != nil {
		s.Vars = p.vars(vars)
	}
	if answers != nil {
		s.Answers = p.answers(answers)
	}
	if steps == nil {
		p.failTry(root, "add steps:, and "+trySteps, "a scenario requires steps")
		return s
	}
	s.Steps = p.steps(steps)
	return s
}

func (p *parser) era(n *yaml.Node) mcp.Era {
	era, ok := mcp.ParseEra(p.text(n, "era"))
	if !ok || era == mcp.Auto {
		p.fail(n, "era must be legacy or modern, not %s", describe(n))
	}
	return era
}

func (p *parser) answers(n *yaml.Node) session.Answers {
	all := session.Answers{}
	p.members(n, "answers", func(key, value *yaml.Node) {
		all[key.Value] = p.value(value, true)
		if all[key.Value] == nil {
			return
		}
		err := session.Policy{Mode: session.PolicyCanned, Answer: all[key.Value]}.Check(key.Value)
		if e, ok := errors.AsType[*answers.Error](err); ok {
			p.answerMistake(real(value), e)
		}
	})
	return all
}

func (p *parser) answerMistake(value *yaml.Node, e *answers.Error) {
	if list := value.Content; value.Kind == yaml.SequenceNode && e.Entry > 0 && e.Entry <= len(list) {
		value = list[e.Entry-1]
	}
	p.fail(value, "%s: %s", e.Member, e.Text)
}

const trySteps = "write a list below it, such as - call: tools/list"

func (p *parser) steps(n *yaml.Node) []Step {
	list := real(n)
	switch {
	case list.Kind != yaml.SequenceNode:
		p.failTry(n, trySteps, "steps must be a list, not %s", describe(n))
		return nil
	case len(list.Content) == 0:
		p.failTry(n, trySteps, "steps is an empty list")
	case len(list.Content) > MaxSteps:
		p.fail(list.Content[MaxSteps], "too many steps: %d, the limit is %d", len(list.Content), MaxSteps)
		return nil
	}
	given := p.given(list.Content)
	var steps []Step
	for _, one := range list.Content {
		s, ok := p.step(one)
		if !ok {
			continue
		}
		if s.Name == "" {
			s.Name = given.Of(&s)
		}
		if s.Background {
			p.open[s.Name] = true
		}
		steps = append(steps, s)
	}
	return steps
}

func (p *parser) given(steps []*yaml.Node) *Names {
	t := &Names{}
	for _, step := range steps {
		n := inside(step, "/name")
		if n != step && isText(real(n)) && !t.take(real(n).Value) {
			p.fail(n, "duplicate step name %s", quoted(real(n).Value))
		}
	}
	return t
}
