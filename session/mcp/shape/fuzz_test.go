package shape

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// FuzzWalk compares the walker with a reader that decodes the value. On anything
// that is not valid JSON it must only not fail.
func FuzzWalk(f *testing.F) {
	for _, m := range smallMessages {
		f.Add(m.method, m.revision, []byte(m.params+m.result), m.result != "")
	}
	f.Add("tools/call", mcp.V20251125, []byte(`{"content":[{"type":"text","text":"\ud83d\ude00"},{"\u0074ype":"ima\u0067e","data":""}],"isErr\u006fr":null}`), true)
	f.Add("prompts/get", mcp.V20250326, []byte(`{"messages":[{"role":"user","content":{"type":"audio","data":"","mimeType":""}}]}`), true)
	f.Add("sampling/createMessage", mcp.V20251125, []byte(`{"messages":[{"role":"user","content":[{"type":"tool_result","toolUseId":"","content":[]}]}],"maxTokens":1e2}`), false)
	f.Add("elicitation/create", mcp.V20251125, []byte(`{"mode":"url","url":"","message":"","elicitationId":""}`), false)
	f.Add("tools/call", mcp.V20260728, []byte(`{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}`), true)
	f.Add("elicitation/create", mcp.V20250618, []byte(`{"action":"accept","content":{"a":[1],"b":["x"],"c":1.5}}`), true)
	f.Add("tools/call", mcp.V20250618, []byte(`{"name"`), false)
	f.Fuzz(func(t *testing.T, method, revision string, value []byte, result bool) {
		shape := Params(method)
		if result {
			shape = Result(method, revision)
		}
		var w Walker
		found, more := w.Walk(shape, value, revision)
		require.LessOrEqual(t, len(found), maxProblems)
		for _, p := range found {
			require.NotEmpty(t, p.String())
			require.LessOrEqual(t, int(p.Item.End), len(value))
		}
		strict := jsontext.Value(bytes.Clone(value))
		if shape == nil || order(revision) == 0 || !framing.Scan(value).Valid() || !strict.IsValid() || len(value) > 1<<16 {
			return
		}
		dec := json.NewDecoder(bytes.NewReader(value))
		dec.UseNumber()
		var decoded any
		if dec.Decode(&decoded) != nil {
			return
		}
		misfit := slices.ContainsFunc(found, func(p Problem) bool {
			return p.Kind == Missing || p.Kind == WrongType || p.Kind == NotAllowed || p.Kind == UnknownType || p.Kind == NewerType
		})
		require.Equal(t, !shape.accepts(decoded, order(revision)), misfit, "%+v (more: %t)", found, more)
	})
}

// accepts is the slow reference for the walker.
func (s *Shape) accepts(v any, revision uint8) bool {
	fields, isObject := v.(map[string]any)
	elements, isArray := v.([]any)
	word, isText := v.(string)
	_, isTruth := v.(bool)
	digits, isNumber := v.(json.Number)
	n, isRational := new(big.Rat), true
	if isNumber && len(digits) < 300 {
		if e := strings.IndexAny(string(digits), "eE"); e < 0 || len(digits)-e < 5 {
			n, isRational = new(big.Rat).SetString(string(digits))
		}
	}
	isWhole := isNumber && isRational && n.IsInt()
	all := func(elem *Shape) bool {
		for _, e := range elements {
			if !elem.accepts(e, revision) {
				return false
			}
		}
		for _, e := range fields {
			if !elem.accepts(e, revision) {
				return false
			}
		}
		return true
	}
	switch s.kind {
	case text:
		return isText && (len(s.values) == 0 || slices.Contains(s.values, word))
	case integer:
		return isWhole
	case natural:
		return isWhole && n.Sign() >= 0
	case nullable:
		return v == nil || isWhole
	case fraction:
		return isNumber && n.Sign() >= 0 && n.Cmp(big.NewRat(1, 1)) <= 0
	case number:
		return isNumber
	case boolean:
		return isTruth
	case identifier:
		return isText || isWhole
	case primitive:
		return isText || isTruth || isNumber || isArray && all(str)
	case array:
		return isArray && all(s.elem)
	case dictionary:
		return isObject && all(s.elem)
	case oneOrMore:
		return isArray && s.since <= revision && all(s.elem) || s.elem.accepts(v, revision)
	case selected:
		return isObject && s.acceptsSelected(fields, revision)
	case shown:
		return isObject && slices.ContainsFunc(s.cases, func(c variant) bool {
			_, ok := fields[c.name]
			return ok
		}) && s.firstShown(fields).accepts(v, revision)
	case object:
		return isObject && s.acceptsMembers(fields, revision)
	}
	return true
}

func (s *Shape) firstShown(fields map[string]any) *Shape {
	for _, c := range s.cases {
		if _, ok := fields[c.name]; ok {
			return c.shape
		}
	}
	return nil
}

func (s *Shape) acceptsSelected(fields map[string]any, revision uint8) bool {
	name, ok := fields[s.by]
	if !ok || revision < s.since {
		return s.otherwise != nil && s.otherwise.accepts(fields, revision)
	}
	for _, c := range s.cases {
		if c.name == name && c.have(revision) {
			return c.shape.accepts(fields, revision)
		}
	}
	return false
}

func (s *Shape) acceptsMembers(fields map[string]any, revision uint8) bool {
	present := func(name string) bool {
		_, ok := fields[name]
		return ok && slices.ContainsFunc(s.members, func(m member) bool { return m.name == name && m.have(revision) })
	}
	excused := s.instead != "" && present(s.instead)
	for _, m := range s.members {
		field, ok := fields[m.name]
		if m.have(revision) && (ok && !m.shape.accepts(field, revision) || !ok && m.required && !excused) {
			return false
		}
	}
	return excused || len(s.either) == 0 || slices.ContainsFunc(s.either, present)
}
