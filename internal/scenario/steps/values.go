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

	"mcpdbg/internal/scenario"
	"mcpdbg/recordings/match"
	"mcpdbg/recordings/redact"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// maxDepth is the maximum nesting of values in a scenario.
const maxDepth = 90

// A variable is a text in a response that later calls use.
type variable struct {
	match.Variable
	name string // "" until a step captures it
	used bool
}

// values tracks values that differ in each run.
type values struct {
	from     map[match.Place][]*variable                 // by response
	in       map[match.Place]map[match.Pointer]*variable // by request and pointer
	names    map[string]bool
	numbers  map[string]int       // last number used by unique, by base name
	captured map[string]*variable // by name
	redacted []scenario.Var
	byMark   map[string]string // names of redacted, by replacement
}

func newValues() *values {
	return &values{
		from: map[match.Place][]*variable{}, in: map[match.Place]map[match.Pointer]*variable{}, names: map[string]bool{}, numbers: map[string]int{},
		captured: map[string]*variable{}, byMark: map[string]string{},
	}
}

func (v *values) find(ctx context.Context, src session.Source) error {
	found, err := match.Variables(ctx, src)
	for i := range found {
		one := &variable{Variable: found[i]}
		at := one.Source.Place()
		v.from[at] = append(v.from[at], one)
		for _, use := range one.Uses {
			at := use.At.Place()
			if v.in[at] == nil {
				v.in[at] = map[match.Pointer]*variable{}
			}
			v.in[at][use.Pointer] = one
		}
	}
	return err
}

// params adds variables and removes members that a session adds by itself. It is not ok
// if a scenario cannot express the params.
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
	uses := v.in[it.At.Place()]
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
		return nil, ok // only added by the session
	}
	return params, ok
}

// isOurs reports whether a session adds the value itself, in _meta.
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

func (v *values) template(raw []byte) (json.RawMessage, bool) {
	e := editor{text: func(_ []string, text string) string { return v.plain(text) }}
	return e.edit(nil, raw)
}

// A redacted text becomes a variable.
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

func (v *values) unique(base string) string {
	name := base
	for v.names[name] {
		v.numbers[base]++
		name = fmt.Sprintf("%s%d", base, v.numbers[base]+1)
	}
	v.names[name] = true
	return name
}

// lasting omits _meta and members that differ in each run.
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

// An editor rewrites a value.
type editor struct {
	text  func(path []string, text string) string // replaces a text
	drop  func(path []string, value []byte) bool  // reports members and elements to drop; nil for none
	whole bool                                    // drop an array if an element would be dropped
}

// edit is not ok if nothing is left, or if the value is invalid: duplicate names, invalid
// text, too deep nesting.
func (e *editor) edit(path []string, raw []byte) (json.RawMessage, bool) {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	out, stays, err := e.value(nil, d, path)
	if err != nil || !stays {
		return nil, false
	}
	_, err = d.ReadToken()
	return out, errors.Is(err, io.EOF)
}

// stays is false if the value is dropped.
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
