package tap

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// maxElements is how many messages a batch may have. A longer one passes as it is.
const maxElements = 10_000

// A unit is one line: a message, or a batch, which is never split.
type unit struct {
	line     []byte // with its end
	batch    bool
	elements []element // empty if the line is not JSON
	judged   bool      // the filter of a person was asked about it
	why      string    // for a line that came before and is in the log: whyHeld or whyEdited
}

// came returns the line for an act, nil if the log has it.
func (u *unit) came() []byte {
	if u.why != "" {
		return nil
	}
	return u.line
}

// An element is a message of a unit.
type element struct {
	framing.Message
	data  []byte // the message; the spans are in it
	at    int    // its offset in the line
	drop  bool
	edits []edit // in order, not overlapping
}

// An edit replaces bytes of an element.
type edit struct {
	framing.Span
	with string
}

func readUnit(line []byte) unit {
	body := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	u := unit{line: line}
	m := framing.Scan(body)
	switch m.Kind {
	case framing.NotJSON:
	case framing.Batch:
		u.batch = true
		for span := range framing.Elements(body) {
			if len(u.elements) == maxElements {
				return unit{line: line}
			}
			data := span.Of(body)
			u.elements = append(u.elements, element{Message: framing.Scan(data), data: data, at: int(span.Start)})
		}
	default:
		u.elements = []element{{Message: m, data: body}}
	}
	return u
}

// whole reports whether the line has its end.
func (u *unit) whole() bool { return bytes.HasSuffix(u.line, []byte("\n")) }

// has reports whether a message of the unit is of one of some kinds.
func (u *unit) has(kinds ...framing.Kind) bool {
	return slices.ContainsFunc(u.elements, func(el element) bool { return slices.Contains(kinds, el.Kind) })
}

// only returns the message of a unit that is not a batch, nil if there is none.
func (u *unit) only() *element {
	if u.batch || len(u.elements) == 0 {
		return nil
	}
	return &u.elements[0]
}

// is reports whether the unit is one message with a method.
func (u *unit) is(method string) bool {
	el := u.only()
	return el != nil && el.method() == method
}

// text returns the line with the edits made and without the dropped messages, nil if
// nothing is left. Everything else keeps its bytes.
func (u *unit) text() []byte {
	changed, dropped := false, 0
	for i := range u.elements {
		changed = changed || len(u.elements[i].edits) > 0
		if u.elements[i].drop {
			dropped++
		}
	}
	switch {
	case dropped > 0 && dropped == len(u.elements):
		return nil
	case dropped > 0:
		return u.join()
	case !changed:
		return u.line
	}
	out, at := make([]byte, 0, len(u.line)+64), 0
	for i := range u.elements {
		el := &u.elements[i]
		out = el.append(append(out, u.line[at:el.at]...))
		at = el.at + len(el.data)
	}
	return append(out, u.line[at:]...)
}

// join returns a batch of the messages that are left.
func (u *unit) join() []byte {
	out := []byte("[")
	for i := range u.elements {
		if el := &u.elements[i]; !el.drop {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = el.append(out)
		}
	}
	return append(out, "]\n"...)
}

func (el *element) append(out []byte) []byte {
	at := uint32(0)
	for _, e := range el.edits {
		out = append(append(out, el.data[at:e.Start]...), e.with...)
		at = e.End
	}
	return append(out, el.data[at:]...)
}

// replace adds an edit. The edits of an element may be added in any order.
func (el *element) replace(at framing.Span, with string) {
	el.edits = append(el.edits, edit{at, with})
	for i := len(el.edits) - 1; i > 0 && el.edits[i].Start < el.edits[i-1].Start; i-- {
		el.edits[i], el.edits[i-1] = el.edits[i-1], el.edits[i]
	}
}

// insert adds a member at the beginning of an object.
func (el *element) insert(object framing.Span, text string) {
	if bytes.TrimLeft(object.Of(el.data)[1:], " \t\r\n")[0] != '}' {
		text += ","
	}
	el.replace(framing.Span{Start: object.Start + 1, End: object.Start + 1}, text)
}

// find returns the position of a member below a span of the message, the zero Span if
// there is none.
func (el *element) find(in framing.Span, path ...string) framing.Span {
	for _, name := range path {
		object := in.Of(el.data)
		if len(object) == 0 || object[0] != '{' {
			return framing.Span{}
		}
		at := framing.Member(object, name)
		if at == (framing.Span{}) {
			return at
		}
		in = framing.Span{Start: in.Start + at.Start, End: in.Start + at.End}
	}
	return in
}

func (el *element) param(path ...string) []byte { return el.find(el.Params, path...).Of(el.data) }

func (el *element) id() []byte { return el.ID.Of(el.data) }

// errorText returns the message of an error response.
func (el *element) errorText() string {
	if el.Kind != framing.ErrorResponse {
		return ""
	}
	return quotable(string(framing.IDValue(el.find(el.Error, "message").Of(el.data))), maxQuoted)
}

// method returns the method of a request or notification. A long one is not one that
// the protocol knows, whatever follows.
func (el *element) method() string {
	raw := el.Method.Of(el.data)
	return string(raw[:min(len(raw), 200)])
}

// A key identifies an id or a progress token: equal ids have equal keys, and a number
// never has that of a string. The zero key is that of an absent id.
type key string

func keyOf(raw []byte) key {
	if len(raw) == 0 {
		return ""
	}
	value := framing.IDValue(raw)
	if raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' {
		value = framing.AppendNumber(nil, raw)
	}
	if len(value) > 64 {
		sum := sha256.Sum256(value)
		return key("#" + string(sum[:]))
	}
	return key(value)
}

// looseKey returns the key of the number that a string holds, or of the string that a
// number would be: TypeScript clients take 1 and "1" for the same id of a response.
func looseKey(raw []byte) key {
	if len(raw) > 2 && raw[0] == '"' && json.Valid(raw[1:len(raw)-1]) {
		return keyOf(raw[1 : len(raw)-1])
	}
	return keyOf(slices.Concat([]byte{'"'}, raw, []byte{'"'}))
}

// params of messages of our own, in the order in which they are written.
type member struct {
	name  string
	value []byte
}

// object writes a JSON object with the members that have a value.
func object(members ...member) []byte {
	out := []byte("{")
	for _, m := range members {
		if len(m.value) == 0 {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, quoted(m.name)...), ':'), m.value...)
	}
	return append(out, '}')
}

func quoted(text string) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // of a string it cannot fail
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

var version2 = member{"jsonrpc", []byte(`"2.0"`)}

func requestLine(id []byte, method string, params []byte) []byte {
	return append(object(version2, member{"id", id}, member{"method", quoted(method)}, member{"params", params}), '\n')
}

func noticeLine(method string, params []byte) []byte { return requestLine(nil, method, params) }

func resultLine(id []byte) []byte {
	return append(object(version2, member{"id", id}, member{"result", []byte("{}")}), '\n')
}

func cancelLine(id []byte, reason string) []byte {
	return noticeLine(mcp.MethodCancelled, object(member{"requestId", id}, member{"reason", quoted(reason)}))
}
