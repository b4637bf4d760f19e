package steps

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/internal/scenario"
	"mcpdbg/recordings/match"
)

// handles are only valid in their session.
var handles = []string{"cursor", "nextCursor", "taskId", "requestState", "subscriptionId", "elicitationId"}

// capture makes a step capture the values that later calls use.
func (v *values) capture(step *scenario.Step, it *match.Item) {
	for _, one := range v.from[it.At.Place()] {
		program, ok := path(it.Msg.Line, one.Pointer)
		if !ok || len(program) > maxProgram {
			continue
		}
		one.name = v.unique(nameOf(one.Pointer))
		v.captured[one.name] = one
		step.Capture = append(step.Capture, scenario.Capture{Name: one.name, Expression: scenario.Expression{Text: program}})
	}
}

// prune removes captures that no step uses.
func (v *values) prune(step *scenario.Step) {
	step.Capture = slices.DeleteFunc(step.Capture, func(c scenario.Capture) bool {
		one := v.captured[c.Name]
		return one == nil || !one.used
	})
	if len(step.Capture) == 0 {
		step.Capture = nil
	}
}

// path is not ok for an item of a list, which is better written literally, unless its
// value differs in each run.
func path(answer []byte, p match.Pointer) (program string, ok bool) {
	tokens := p.Tokens()
	if len(tokens) < 2 || tokens[0] != "result" {
		return "", false
	}
	name := tokens[len(tokens)-1]
	fleeting := slices.Contains(handles, name) || match.TypeOf(name, match.At(answer, p)) != match.TypeNone
	var b strings.Builder
	for i, token := range tokens[1:] {
		around := match.At(answer, match.PointerTo(tokens[:i+1]...))
		if len(around) > 0 && around[0] == '"' { // text that contains JSON
			b.WriteString(" | fromjson | ")
			if around = unquoted(around); around == nil {
				return "", false
			}
		}
		switch {
		case len(around) > 0 && around[0] == '[':
			if tokens[i] != "content" && !fleeting && length(around) > 1 {
				return "", false
			}
			b.WriteString(dot(&b) + "[" + token + "]")
		case isWord(token):
			b.WriteString("." + token)
		default:
			quoted, err := jsontext.AppendQuote(nil, token)
			if err != nil {
				return "", false
			}
			b.WriteString(dot(&b) + "[" + string(quoted) + "]")
		}
	}
	return b.String(), true
}

// dot returns the dot that a bracket needs at the beginning of a path.
func dot(b *strings.Builder) string {
	if b.Len() == 0 || strings.HasSuffix(b.String(), " ") {
		return "."
	}
	return ""
}

func unquoted(raw []byte) []byte {
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return nil
	}
	canonical, err := match.AppendCanonical(nil, text)
	if err != nil {
		return nil
	}
	return canonical
}

func length(array []byte) int {
	canonical, _ := match.AppendCanonical(nil, array) // 0 if it is not valid
	n := 0
	for range match.Each(canonical) {
		n++
	}
	return n
}

// isWord reports whether a name can follow a dot in jq.
func isWord(name string) bool {
	for i := range len(name) {
		b := name[i]
		if b != '_' && (b < 'a' || b > 'z') && (b < 'A' || b > 'Z') && (i == 0 || b < '0' || b > '9') {
			return false
		}
	}
	return name != ""
}

func nameOf(p match.Pointer) string {
	for _, token := range slices.Backward(p.Tokens()) {
		if token == "nextCursor" {
			return "cursor"
		}
		word := strings.Map(func(r rune) rune {
			if isWord("_" + string(r)) {
				return r
			}
			return '_'
		}, token)
		if isWord(word) && len(word) <= 40 {
			return word
		}
	}
	return "value"
}
