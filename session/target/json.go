package target

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/tailscale/hujson"

	"mcpdbg/framing"
)

// Limits of a file: the parser recurses, and a value takes some 200 bytes of
// memory.
const (
	maxDepth  = 200
	maxValues = 500_000
)

// parseJSON reads JSON with comments and trailing commas. Its error is a
// *Problem without the file's name.
func parseJSON(data []byte) (*node, error) {
	if at, what := tooMuch(data); what != "" {
		line, column := position(data, at)
		return nil, &Problem{Line: line, Column: column, Text: what}
	}
	value, err := hujson.Parse(data)
	if err != nil {
		return nil, jsonProblem(err)
	}
	return fromJSON(&value), nil
}

// tooMuch returns where data exceeds the limits. It understands strings and comments, but
// does not validate the rest.
func tooMuch(data []byte) (at int, what string) {
	depth, values := 0, 0
	c := framing.Cursor{Data: data}
	for token := range c.Tokens() {
		switch token[0] {
		case '/':
			c.At = commentEnd(data, c.At-1)
		case '{', '[':
			if depth++; depth > maxDepth {
				return c.At - 1, fmt.Sprintf("nested deeper than %d levels", maxDepth)
			}
		case '}', ']':
			depth--
		case ',', ':':
			if values++; values > maxValues {
				return c.At - 1, fmt.Sprintf("more than %d values", maxValues)
			}
		}
	}
	return 0, ""
}

func commentEnd(data []byte, i int) int {
	end := ""
	switch {
	case bytes.HasPrefix(data[i:], []byte("//")):
		end = "\n"
	case bytes.HasPrefix(data[i:], []byte("/*")):
		end = "*/"
	default:
		return i + 1
	}
	n := bytes.Index(data[i+2:], []byte(end))
	if n < 0 {
		return len(data)
	}
	return i + 2 + n + len(end)
}

var hujsonPlace = pattern(`^hujson: line (\d+), column (\d+): `)

// jsonProblem omits quotes from the file, which could be secrets.
func jsonProblem(err error) *Problem {
	said := err.Error()
	p := &Problem{Text: "not valid JSON"}
	if place := hujsonPlace().FindStringSubmatch(said); place != nil {
		p.Line, _ = strconv.Atoi(place[1])
		p.Column, _ = strconv.Atoi(place[2])
		said = said[len(place[0]):]
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		p.Text = "not valid JSON: unexpected end of file"
		p.Hint = "check for a missing bracket or quote before this position"
	case len(said) >= len(invalidLiteral) && said[:len(invalidLiteral)] == invalidLiteral:
		p.Text = "not valid JSON: invalid word, number or string"
	default:
		p.Text = "not valid JSON: " + said
	}
	return p
}

const invalidLiteral = "invalid literal"

func fromJSON(v *hujson.Value) *node {
	n := &node{at: v.StartOffset, span: Span{v.StartOffset, v.EndOffset}}
	switch value := v.Value.(type) {
	case *hujson.Object:
		n.kind = object
		for i := range value.Members {
			m := &value.Members[i]
			name, _ := m.Name.Value.(hujson.Literal)
			one := fromJSON(&m.Value)
			one.key = m.Name.StartOffset
			n.members = append(n.members, member{name.String(), one.key, one})
		}
	case *hujson.Array:
		n.kind = list
		for i := range value.Elements {
			n.items = append(n.items, fromJSON(&value.Elements[i]))
		}
	case hujson.Literal:
		n.text = value.String()
		switch value.Kind() {
		case '"':
			n.kind = text
		case '0':
			n.kind = number
		case 't', 'f':
			n.kind = boolean
		}
	}
	return n
}
