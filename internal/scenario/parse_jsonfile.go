package scenario

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// jsonDocument parses a JSON file itself, because the YAML library supports neither \/
// nor pairs of \u escapes. It returns nil for any other file.
func jsonDocument(data []byte) *yaml.Node {
	if text := bytes.TrimLeft(data, " \t\r\n"); len(text) == 0 || text[0] != '{' {
		return nil
	}
	d := jsonReader{data: data, at: Place{1, 1}}
	d.Decoder = jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	root := d.value()
	if root == nil || len(bytes.TrimSpace(data[d.InputOffset():])) > 0 {
		return nil
	}
	return root
}

type jsonReader struct {
	*jsontext.Decoder
	data []byte
	read int   // offset in data
	at   Place // of read
}

func (d *jsonReader) value() *yaml.Node {
	token, err := d.ReadToken()
	if err != nil || d.StackDepth() > 2*maxDepth {
		return nil
	}
	n := &yaml.Node{Kind: yaml.ScalarNode}
	text := d.begin(n)
	switch kind := token.Kind(); kind {
	case '{', '[':
		n.Kind = yaml.MappingNode
		if kind == '[' {
			n.Kind = yaml.SequenceNode
		}
		return d.members(n)
	case '"':
		n.Value, n.Tag, n.Style = token.String(), "!!str", yaml.DoubleQuotedStyle
	case 'n':
		n.Value, n.Tag = "null", "!!null"
	case 't', 'f':
		n.Value, n.Tag = token.String(), "!!bool"
	case '0':
		n.Value = string(text)
	default:
		return nil
	}
	return n
}

func (d *jsonReader) members(n *yaml.Node) *yaml.Node {
	for kind := d.PeekKind(); kind != '}' && kind != ']'; kind = d.PeekKind() {
		member := d.value()
		if member == nil {
			return nil
		}
		n.Content = append(n.Content, member)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	return n
}

func (d *jsonReader) begin(n *yaml.Node) []byte {
	end := int(d.InputOffset())
	passed := d.data[d.read:end]
	token := bytes.TrimLeft(passed, " \t\r\n:,}]") // closing brackets do not call begin
	d.forward(passed[:len(passed)-len(token)])
	n.Line, n.Column = d.at.Line, d.at.Column
	d.forward(token)
	d.read = end
	return token
}

func (d *jsonReader) forward(over []byte) {
	step := placeAt(over, len(over))
	if step.Line > 1 {
		d.at = Place{d.at.Line + step.Line - 1, step.Column}
		return
	}
	d.at.Column += step.Column - 1
}
