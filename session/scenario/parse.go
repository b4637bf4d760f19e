package scenario

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"mcpdbg/session"
)

// Limits of a scenario file.
const (
	MaxFile  = 4 << 20 // bytes
	MaxSteps = 10_000
	maxDepth = 100 // of nesting
	// maxRead is what may be read of a file, aliases as often as they stand there:
	// each node costs one or two, and the bytes of its text. A file without aliases can't
	// come to it.
	maxRead = 2 * MaxFile
	// maxMarks is how often what parts values may stand in a file: lines, commas,
	// brackets, dashes. There are at most two values for each, in memory of some 200
	// bytes; a file of nothing else would take 700 MiB.
	maxMarks = 300_000
	// maxProgram is how long, in bytes, a jq program or a regular expression may be.
	maxProgram = 16 << 10
)

// version is what the member scenario of a file has to be.
const version = "1"

// Parse reads a scenario file, whose name is for messages. The error is an
// Errors with the mistakes of the whole file, each with its place. Expressions
// and schemas are compiled, so that they can't fail to compile later; variables
// and calls that a step refers to are there before it.
//
// JSON is YAML: a scenario may be a JSON file.
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

// A parser reads one file.
type parser struct {
	file  string
	errs  Errors
	read  int  // see maxRead
	spent bool // no more is read: maxRead or maxErrors was reached

	compiled map[string]bool // programs and schemas, by language and text

	declared map[string]bool // variables of vars
	known    map[string]bool // variables so far: declared and captured
	open     map[string]bool // background calls so far: true until they are awaited
}

func newParser(file string) *parser {
	return &parser{file: file, declared: map[string]bool{}, known: map[string]bool{}, open: map[string]bool{}, compiled: map[string]bool{}}
}

func (p *parser) fail(n *yaml.Node, format string, args ...any) { p.failTry(n, "", format, args...) }

// failTry notes a mistake, with what to try.
func (p *parser) failTry(n *yaml.Node, try, format string, args ...any) {
	p.failAt(placeOf(n), try, fmt.Sprintf(format, args...))
}

func (p *parser) failAt(at Place, try, text string) {
	if len(p.errs) < maxErrors {
		p.errs = append(p.errs, &Error{File: p.file, Place: at, Text: text, Try: try})
	}
	p.spent = p.spent || len(p.errs) == maxErrors
}

// scenario reads the whole file. What steps refer to is read before them,
// wherever it stands.
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
		field{"steps", keep(&steps)}) {
		return s
	}
	switch {
	case form == nil:
		p.failTry(root, "begin with the line scenario: 1", "this is no scenario: the member scenario says the version of the form")
	case real(form).Value != version || isText(real(form)):
		p.failTry(form, "write scenario: "+version+", without quotes", "a scenario of version %s is not known, only %s", describe(form), version)
	}
	if vars != nil {
		s.Vars = p.vars(vars)
	}
	if answers != nil {
		s.Answers = p.answers(answers)
	}
	if steps == nil {
		p.failTry(root, "add steps:, and "+trySteps, "nothing says what to do: a scenario has to have steps")
		return s
	}
	s.Steps = p.steps(steps)
	return s
}

// answers reads the answers to requests that no step answers.
func (p *parser) answers(n *yaml.Node) session.Answers {
	answers := session.Answers{}
	p.members(n, "answers", func(key, value *yaml.Node) {
		answers[key.Value] = p.object(value, "an answer", true)
	})
	return answers
}

// trySteps is how steps are written.
const trySteps = "below it a list such as - call: tools/list"

// steps reads the steps in their order.
func (p *parser) steps(n *yaml.Node) []Step {
	list := real(n)
	switch {
	case list.Kind != yaml.SequenceNode:
		p.failTry(n, trySteps, "steps has to be a list, not %s", describe(n))
		return nil
	case len(list.Content) == 0:
		p.failTry(n, trySteps, "steps is an empty list")
	case len(list.Content) > MaxSteps:
		p.fail(list.Content[MaxSteps], "there are %d steps, more than %d", len(list.Content), MaxSteps)
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

// given are the names that steps are given.
func (p *parser) given(steps []*yaml.Node) *Names {
	t := &Names{}
	for _, step := range steps {
		n := inside(step, []string{"name"})
		if n != step && isText(real(n)) && !t.take(real(n).Value) {
			p.fail(n, "another step is named %s", quoted(real(n).Value))
		}
	}
	return t
}
