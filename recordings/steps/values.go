package steps

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/recordings/match"
	"mcpdbg/recordings/redact"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/scenario"
)

// maxDepth is how deep values may be nested that stand in a scenario.
const maxDepth = 90

// A place is where a message stands.
type place struct{ row, member int }

func placeOf(at match.Ref) place { return place{at.Row, at.Member} }

// A variable is a text that an answer had and later calls say.
type variable struct {
	match.Variable
	name string // "" as long as no step captures it
	used bool
}

// values knows what of the values in a session is another one in each run.
type values struct {
	from     map[place][]*variable                 // by the answer
	in       map[place]map[match.Pointer]*variable // by the request and the place in it
	names    map[string]bool
	numbers  map[string]int       // the last one that unique gave, by the name that was wanted
	captured map[string]*variable // by name
	redacted []scenario.Var
	byMark   map[string]string // names of redacted, by what stands for them
}

func newValues() *values {
	return &values{
		from: map[place][]*variable{}, in: map[place]map[match.Pointer]*variable{}, names: map[string]bool{}, numbers: map[string]int{},
		captured: map[string]*variable{}, byMark: map[string]string{},
	}
}

// find finds the variables of a session.
func (v *values) find(ctx context.Context, src session.Source) error {
	found, err := match.Variables(ctx, src)
	for i := range found {
		one := &variable{Variable: found[i]}
		at := placeOf(one.Source)
		v.from[at] = append(v.from[at], one)
		for _, use := range one.Uses {
			at := placeOf(use.At)
			if v.in[at] == nil {
				v.in[at] = map[match.Pointer]*variable{}
			}
			v.in[at][use.Pointer] = one
		}
	}
	return err
}

// params are what a message of the client says, as a scenario has it: with
// variables, and without what a session adds by itself. It is not ok if a
// scenario can't have it.
func (v *values) params(it *match.Item) (json.RawMessage, bool) {
	raw := it.Msg.RawParams()
	id := it.Msg.RawID()
	if it.Method == "" || string(it.Msg.JSONRPC.Of(it.Msg.Line)) != `"2.0"` || len(id) > 0 && bytes.IndexByte([]byte(`"-0123456789`), id[0]) < 0 {
		return nil, false
	}
	if len(raw) == 0 {
		return nil, true
	}
	if raw[0] != '{' {
		return nil, false
	}
	uses := v.in[placeOf(it.At)]
	e := editor{
		text: func(path []string, text string) string {
			if one := uses[match.PointerTo(path...)]; one != nil && one.name != "" {
				one.used = true
				return "${" + one.name + "}"
			}
			return v.plain(text)
		},
		drop: func(path []string, value []byte) bool { return isOurs(path, value, id) },
	}
	params, ok := e.edit([]string{"params"}, raw)
	if string(params) == "{}" && match.Member(raw, "_meta") != nil {
		return nil, ok // they were there for what a session adds
	}
	return params, ok
}

// isOurs tells whether a session says a value by itself: what it adds to _meta.
func isOurs(path []string, value, id []byte) bool {
	switch {
	case len(path) == 2 && path[1] == "_meta":
		return string(value) == "{}"
	case len(path) != 3 || path[1] != "_meta":
		return false
	case path[2] == "progressToken":
		return bytes.Equal(value, id)
	}
	return slices.Contains([]string{mcp.MetaProtocolVersion, mcp.MetaClientInfo, mcp.MetaClientCapabilities}, path[2])
}

// template is a value as a scenario has it where variables may stand.
func (v *values) template(raw []byte) (json.RawMessage, bool) {
	e := editor{text: func(_ []string, text string) string { return v.plain(text) }}
	return e.edit(nil, raw)
}

// plain is a text that stands for itself. What was redacted is a variable.
func (v *values) plain(text string) string {
	if !strings.Contains(text, redact.Mark) {
		return scenario.Plain(text)
	}
	name := v.byMark[text]
	if name == "" {
		name = v.unique("redacted")
		v.byMark[text] = name
		v.redacted = append(v.redacted, scenario.Var{Name: name, Secret: true})
	}
	return "${" + name + "}"
}

// unique is a name for a variable.
func (v *values) unique(base string) string {
	name := base
	for v.names[name] {
		v.numbers[base]++
		name = fmt.Sprintf("%s%d", base, v.numbers[base]+1)
	}
	v.names[name] = true
	return name
}

// lasting is a value without what is another one in each run, and without _meta.
func (v *values) lasting(raw []byte) (json.RawMessage, bool) {
	e := editor{
		text: func(_ []string, text string) string { return scenario.Plain(text) },
		drop: func(path []string, value []byte) bool {
			name := path[len(path)-1]
			return name == "_meta" || name == "nextCursor" || match.TypeOf(name, value) != match.TypeNone || match.IsRedacted(value)
		},
		whole: true,
	}
	return e.edit(nil, raw)
}

// An editor makes another value of one.
type editor struct {
	text  func(path []string, text string) string // another text
	drop  func(path []string, value []byte) bool  // members and elements that go; nil for none
	whole bool                                    // an array that something would go from goes itself
}

// edit edits a value that stands at a path. It is not ok if nothing is left, or
// if it can't be read: names that are there twice, text that is none, nesting
// without end.
func (e *editor) edit(path []string, raw []byte) (json.RawMessage, bool) {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	out, stays, err := e.value(nil, d, path)
	if err != nil || !stays {
		return nil, false
	}
	_, err = d.ReadToken()
	return out, errors.Is(err, io.EOF)
}

// value appends the next value; it does not stay if it has to go.
func (e *editor) value(dst []byte, d *jsontext.Decoder, path []string) (_ []byte, stays bool, err error) {
	if kind := d.PeekKind(); kind == '{' || kind == '[' {
		return e.container(dst, d, path)
	}
	raw, err := d.ReadValue()
	if err != nil {
		return dst, false, err
	}
	if e.drop != nil && len(path) > 0 && e.drop(path, raw) {
		return dst, false, nil
	}
	if raw[0] != '"' {
		return append(dst, raw...), true, nil
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return dst, false, err
	}
	dst, err = jsontext.AppendQuote(dst, e.text(path, string(text)))
	return dst, true, err
}

// container appends an object or an array.
func (e *editor) container(dst []byte, d *jsontext.Decoder, path []string) (_ []byte, stays bool, err error) {
	start := len(dst)
	token, err := d.ReadToken()
	if err != nil {
		return dst, false, err
	}
	if d.StackDepth() > maxDepth {
		return dst, false, errors.New("nested too deep")
	}
	isObject := token.Kind() == '{'
	dst = append(dst, byte(token.Kind()))
	lost := false
	for n := 0; d.PeekKind() != '}' && d.PeekKind() != ']'; n++ {
		name, before := fmt.Sprint(n), len(dst)
		if before-1 > start {
			dst = append(dst, ',')
		}
		if isObject {
			key, err := d.ReadToken()
			if err != nil {
				return dst, false, err
			}
			name = key.String()
			if dst, err = jsontext.AppendQuote(dst, name); err != nil {
				return dst, false, err
			}
			dst = append(dst, ':')
		}
		var kept bool
		if dst, kept, err = e.value(dst, d, append(path[:len(path):len(path)], name)); err != nil {
			return dst, false, err
		}
		if !kept {
			dst, lost = dst[:before], true
		}
	}
	end, err := d.ReadToken()
	if err != nil {
		return dst, false, err
	}
	dst = append(dst, byte(end.Kind()))
	goes := e.whole && lost && !isObject || e.drop != nil && len(path) > 0 && e.drop(path, dst[start:])
	return dst, !goes, nil
}
