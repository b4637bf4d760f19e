package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// strict finds what a reader of RFC 8259 may refuse in valid JSON.
func (l *Linter) strict(at place, m framing.Message, line []byte) {
	if m.Problems&framing.ProblemSurrogate == 0 && differentKeys(line) || jsontext.Value(line).IsValid() {
		return
	}
	dec := jsontext.NewDecoder(bytes.NewReader(line))
	err := dec.SkipValue()
	switch {
	case err == nil:
	case errors.Is(err, jsontext.ErrDuplicateName):
		pointer := ""
		if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			pointer = string(syntactic.JSONPointer)
		}
		l.report(frm13, at, "duplicate key at "+excerpt([]byte(pointer)))
	case m.Problems&framing.ProblemSurrogate != 0:
		l.report(frm13, at, "a lone surrogate")
	}
}

// isID tells whether a raw token is a string or an integer.
func isID(token []byte) bool {
	if len(token) == 0 {
		return false
	}
	return token[0] == '"' || isInteger(token)
}

func isInteger(token []byte) bool {
	digits := bytes.TrimPrefix(token, []byte("-"))
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(digits) > 0
}

// beyondDouble tells whether a raw token is an integer whose neighbours a double
// may not tell from it.
func beyondDouble(token []byte) bool {
	const largest = 1 << 53
	if len(token) < len("9007199254740993") || !isInteger(token) {
		return false
	}
	n, err := strconv.ParseInt(string(token), 10, 64)
	return err != nil || n > largest || n < -largest
}

// longProgressToken tells whether params may have a progress token of which
// beyondDouble is true; that they have not is certain.
func longProgressToken(params []byte) bool {
	const begin, end = `"progress`, `Token"` // few texts have the end
	for {
		i := bytes.Index(params, []byte(end))
		if i < 0 {
			return false
		}
		named := bytes.HasSuffix(params[:i], []byte(begin))
		params = params[i+len(end):]
		value := bytes.TrimLeft(params, " \t\r\n:-")
		digits := 0
		for digits < len(value) && value[digits]-'0' <= 9 {
			digits++
		}
		if named && digits >= len("9007199254740993")-1 { // or one less, and a sign
			return true
		}
	}
}

// progressToken is the raw progress token in params, that of a request or of a
// progress notification; nil if there is none.
func progressToken(params []byte) []byte {
	var p struct {
		ProgressToken json.RawMessage `json:"progressToken"`
		Meta          struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	if json.Unmarshal(params, &p) != nil {
		return nil
	}
	if p.ProgressToken != nil {
		return p.ProgressToken
	}
	return p.Meta.ProgressToken
}

// modernVersion is the revision that the params of a request name in _meta.
func modernVersion(params []byte) string {
	if !bytes.Contains(params, []byte(mcp.MetaProtocolVersion)) {
		return ""
	}
	var p struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	var version string
	if json.Unmarshal(params, &p) != nil || json.Unmarshal(p.Meta[mcp.MetaProtocolVersion], &version) != nil {
		return ""
	}
	return version
}

// errorCode is the code of an error object. It is not ok if that has no integer
// code or no string message.
func errorCode(raw []byte) (code int, ok bool) {
	var object struct {
		Code    json.RawMessage `json:"code"`
		Message *string         `json:"message"`
	}
	if json.Unmarshal(raw, &object) != nil || object.Message == nil || !isInteger(object.Code) {
		return 0, false
	}
	code, err := strconv.Atoi(string(object.Code))
	return code, err == nil
}

// onlyKnownMembers tells whether the known members fill a message that is
// written without white space; false says nothing.
func onlyKnownMembers(m *message) bool {
	size, members := len("{}"), 0
	for _, known := range [...]struct {
		name string
		span framing.Span
	}{{"jsonrpc", m.JSONRPC}, {"id", m.ID}, {"method", m.Method}, {"params", m.Params}, {"result", m.Result}, {"error", m.Error}} {
		if known.span != (framing.Span{}) {
			members++
			size += len(known.name) + len(`"":`) + int(known.span.End-known.span.Start)
		}
	}
	if m.Method != (framing.Span{}) && m.of(m.Method) != nil && m.bytes[m.Method.Start-1] == '"' {
		size += len(`""`)
	}
	return size+members-1 == len(m.bytes)
}

// unknownMember is the name of the first member of an object that JSON-RPC does
// not know, "" if there is none.
func unknownMember(object []byte) string {
	dec := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return ""
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return ""
		}
		text := name.String()
		if !strings.Contains(" jsonrpc id method params result error ", " "+text+" ") {
			return strconv.Quote(text)
		}
		if dec.SkipValue() != nil {
			return ""
		}
	}
	return ""
}
