package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// document returns nil if parsing fails.
func (p *parser) document(data []byte) *yaml.Node {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	start := Place{1, 1}
	switch {
	case len(data) > MaxFile:
		p.failAt(start, "", fmt.Sprintf("the file has %d bytes, the limit is %d", len(data), MaxFile))
		return nil
	case !utf8.Valid(data):
		p.failAt(placeAt(data, invalidAt(data)), "save it as UTF-8", "invalid UTF-8")
		return nil
	case marks(data) > maxMarks:
		p.failAt(start, "split it into several scenarios", fmt.Sprintf("the file has more than %d lines, commas and brackets", maxMarks))
		return nil
	}
	if root := jsonDocument(data); root != nil {
		return root
	}
	root, err := decode(bytes.NewReader(data))
	switch {
	case errors.Is(err, io.EOF):
		p.failAt(start, "begin with the line scenario: 1", "the file is empty")
	case errors.Is(err, errSecond):
		p.fail(root, "a second YAML document begins before here: a file holds one scenario")
	case err != nil:
		text := cleanYAML(err)
		p.failAt(yamlFailure(data), advice(text), "invalid YAML: "+text)
	default:
		return root
	}
	return nil
}

// marks also counts separators in texts.
func marks(data []byte) (n int) {
	for _, mark := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029", ",", "[", "{", "- ", "-\t", "? ", "?\t"} {
		n += bytes.Count(data, []byte(mark))
	}
	return n
}

var errSecond = errors.New("a second document")

func decode(r io.Reader) (root *yaml.Node, err error) {
	defer func() {
		if broken := recover(); broken != nil { // the library also panics
			root, err = nil, fmt.Errorf("%v", broken)
		}
	}()
	decoder := yaml.NewDecoder(r)
	var doc, second yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		return nil, err
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return &second, errSecond
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return doc.Content[0], nil
}

// cleanYAML removes the library's name, and its line, which is that of an enclosing node
// and sometimes off by one.
func cleanYAML(err error) string {
	return regexp.MustCompile(`^yaml: (line \d+: )?`).ReplaceAllString(err.Error(), "")
}

func advice(text string) string {
	switch {
	case strings.Contains(text, "cannot start any token"), strings.Contains(text, "tab character"):
		return "indent with spaces, not with tabs; quote text that begins with one of @ ` %"
	case strings.Contains(text, "mapping values are not allowed"):
		return "quote text that contains a colon and a space; indent the members of an object alike"
	case strings.Contains(text, "did not find expected ',' or"):
		return `quote text that contains one of [ ] { } , or a colon and a space: within {...} and [...] they are YAML syntax, as in {jq: '.content[0].text'} or {title: "${title}"}`
	case strings.Contains(text, "did not find expected key"), strings.Contains(text, "did not find expected '-' indicator"):
		return "indent the members of an object alike"
	case strings.Contains(text, "unexpected end of stream"):
		return "close the text with the quote it begins with"
	case strings.Contains(text, "unknown anchor"):
		return "quote text that begins with *"
	}
	return ""
}

// yamlFailure returns the beginning of the line where the library stops reading an
// invalid file.
func yamlFailure(data []byte) Place {
	r := &counted{data: data}
	_, _ = decode(r)                             // fails as before
	read := bytes.TrimRight(data[:r.n], " \r\n") // a tab may be the mistake
	line := data[bytes.LastIndexByte(read, '\n')+1:]
	indent := len(line) - len(bytes.TrimLeft(line, " \t"))
	return placeAt(data, len(data)-len(line)+indent)
}

type counted struct {
	data []byte
	n    int
}

func (r *counted) Read(b []byte) (int, error) {
	if r.n == len(r.data) || len(b) == 0 {
		return 0, io.EOF
	}
	b[0] = r.data[r.n]
	r.n++
	return 1, nil
}

func placeAt(data []byte, offset int) Place {
	before := data[:min(offset, len(data))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return Place{Line: 1 + bytes.Count(before, []byte{'\n'}), Column: 1 + utf8.RuneCount(line)}
}

func invalidAt(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(data)
}
