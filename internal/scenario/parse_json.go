package scenario

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

type reading struct {
	*parser
	template bool // strings may contain variables
	dst      []byte
}

// value keeps the order of members and all digits of numbers. It returns nil if it fails.
func (p *parser) value(n *yaml.Node, template bool) json.RawMessage {
	r := reading{parser: p, template: template}
	before := len(p.errs)
	r.append(n, 0)
	if len(p.errs) > before || p.spent {
		return nil
	}
	return r.dst
}

func (p *parser) object(n *yaml.Node, what string, template bool) json.RawMessage {
	if real(n).Kind != yaml.MappingNode {
		p.failTry(n, tryObject, "%s must be an object, not %s", what, describe(n))
		return nil
	}
	return p.value(n, template)
}

func (r *reading) append(n *yaml.Node, depth int) {
	switch {
	case !r.spend(n, len(n.Value)):
	case depth > maxDepth:
		r.fail(n, "nested deeper than %d levels", maxDepth)
		r.spent = true // a recursive alias would be reported repeatedly
	case n.Kind == yaml.AliasNode:
		r.append(n.Alias, depth+1)
	case n.Kind == yaml.MappingNode:
		r.members(n, depth)
	case n.Kind == yaml.SequenceNode:
		r.items(n, depth)
	default:
		r.scalar(n)
	}
}

func (r *reading) members(n *yaml.Node, depth int) {
	r.dst = append(r.dst, '{')
	first := true
	r.parser.members(n, "", func(key, value *yaml.Node) {
		if !first {
			r.dst = append(r.dst, ',')
		}
		first = false
		r.text(key.Value)
		r.dst = append(r.dst, ':')
		r.append(value, depth+1)
	})
	r.dst = append(r.dst, '}')
}

func (r *reading) items(n *yaml.Node, depth int) {
	r.dst = append(r.dst, '[')
	for i, item := range n.Content {
		if i > 0 {
			r.dst = append(r.dst, ',')
		}
		r.append(item, depth+1)
	}
	r.dst = append(r.dst, ']')
}

func (r *reading) scalar(n *yaml.Node) {
	switch tag := n.ShortTag(); {
	case n.Style&yaml.TaggedStyle != 0 && tag != "!!str":
		r.failTry(n, "write the value as in JSON", "unsupported tag %.40s (only !!str is supported)", tag)
	case isText(n):
		if r.template {
			r.variables(n)
		}
		r.text(n.Value)
	case tag == "!!null":
		r.dst = append(r.dst, "null"...)
	case tag == "!!bool":
		r.dst = append(r.dst, strings.ToLower(n.Value)...)
	case isNumber(n.Value):
		r.dst = append(r.dst, n.Value...)
	default:
		r.failTry(n, "write it as in JSON, or quote it if it is text", "%.40s is not a JSON number", n.Value)
	}
}

func (r *reading) text(s string) {
	quoted, err := jsontext.AppendQuote(r.dst, s)
	if err == nil { // the file is valid UTF-8
		r.dst = quoted
	}
}

// JSON numbers are not text, even if YAML does not recognize them, such as 1e999.
func isText(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode {
		return false
	}
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if n.Style&(quoted|yaml.TaggedStyle) == 0 && isNumber(n.Value) {
		return false
	}
	if n.Style&yaml.TaggedStyle != 0 {
		return n.ShortTag() == "!!str"
	}
	return slices.Contains([]string{"!!str", "!!timestamp", "!!merge"}, n.ShortTag())
}

func isNumber(text string) bool {
	if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return false
	}
	return json.Valid([]byte(text)) && strings.TrimSpace(text) == text
}
