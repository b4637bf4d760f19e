package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// maxFlow is the longest value that is written on one line, in bytes.
const maxFlow = 72

// A writing converts values to nodes. It keeps the first error.
type writing struct{ err error }

func (w *writing) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

type object struct{ *yaml.Node }

func mapping() *object { return &object{&yaml.Node{Kind: yaml.MappingNode}} }

func (o *object) add(key string, value *yaml.Node) {
	o.Content = append(o.Content, textNode(key), value)
}

func (o *object) addText(key, text string) {
	if text != "" {
		o.add(key, textNode(text))
	}
}

func (o *object) comment(line string) {
	if o.HeadComment != "" {
		o.HeadComment += "\n"
	}
	o.HeadComment += line
}

func (o *object) flow() {
	if size := flowSize(o.Node); size >= 0 && size <= maxFlow {
		o.Style |= yaml.FlowStyle
	}
}

// flowSize approximates the length on one line; negative with multi-line text.
func flowSize(n *yaml.Node) int {
	if n.Style&yaml.LiteralStyle != 0 {
		return -1
	}
	size := len(n.Value) + 2
	for _, part := range n.Content {
		more := flowSize(part)
		if more < 0 {
			return -1
		}
		size += more
	}
	return size
}

func (w *writing) member(o *object, key string, value json.RawMessage) {
	if value != nil {
		o.add(key, w.json(value))
	}
}

func (w *writing) json(value json.RawMessage) *yaml.Node {
	d := jsontext.NewDecoder(bytes.NewReader(value))
	n, err := nodeOf(d)
	if err == nil {
		if _, err = d.ReadToken(); errors.Is(err, io.EOF) {
			return n
		}
		err = fmt.Errorf("more than one JSON value: %w", err)
	}
	w.fail(err)
	return plain("null")
}

func nodeOf(d *jsontext.Decoder) (*yaml.Node, error) {
	if d.StackDepth() > maxDepth {
		return nil, fmt.Errorf("a value is nested deeper than %d levels", maxDepth)
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{', '[':
		n := mapping()
		if token.Kind() == '[' {
			n.Kind = yaml.SequenceNode
		}
		for kind := d.PeekKind(); kind != '}' && kind != ']'; kind = d.PeekKind() {
			part, err := nodeOf(d)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, part)
		}
		n.flow()
		_, err := d.ReadToken()
		return n.Node, err
	case '"':
		return textNode(token.String()), nil
	}
	return plain(token.String()), nil
}

// members returns nil for anything but an object.
func members(value []byte) *yaml.Node {
	w := writing{}
	if n := w.json(value); w.err == nil && n.Kind == yaml.MappingNode {
		return n
	}
	return nil
}

func plain(value string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: value} }

// textNode quotes words that other YAML parsers do not read as text.
func textNode(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	switch {
	case strings.Contains(text, "\n") && inLines(text):
		n.Style = yaml.LiteralStyle
	case isNumber(text) || slices.Contains([]string{"<<", "yes", "no", "on", "off"}, strings.ToLower(text)) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func inLines(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.TrimRight(line, " \t") != line || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return false
		}
	}
	return text[0] != ' ' && text[0] != '\n' && !strings.HasSuffix(text, "\n\n")
}

func clean(line string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if printable(r) {
			return r
		}
		return -1
	}, line))
}

// failureOf returns nil for a result.
func failureOf(answer json.RawMessage) json.RawMessage {
	failure, ok := bytes.CutPrefix(bytes.TrimSuffix(answer, []byte("}")), []byte(`{"error":`))
	if !ok || members(failure) == nil {
		return nil
	}
	return json.RawMessage(failure)
}

func emit(out *bytes.Buffer, n *yaml.Node, indent string) error {
	var text bytes.Buffer
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return err
	}
	if err := e.Close(); err != nil {
		return err
	}
	for line := range bytes.Lines(text.Bytes()) {
		if len(bytes.TrimSpace(line)) > 0 {
			out.WriteString(indent)
		}
		out.Write(line)
	}
	return nil
}
