package rule

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis/message"
)

// certainlyStrict reports whether strict readers of RFC 8259 certainly accept valid JSON.
func certainlyStrict(m framing.Message, line []byte) bool {
	return m.Problems&framing.ProblemSurrogate == 0 && differentKeys(line)
}

// strict checks valid JSON for what strict readers of RFC 8259 reject.
func (l *Checker) strict(at message.Place, m framing.Message, line []byte) {
	if jsontext.Value(line).IsValid() {
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

// beyondDouble reports whether a raw token is an integer that a double may not
// represent exactly.
func beyondDouble(token []byte) bool {
	const largest = 1 << 53
	if len(token) < len("9007199254740993") || !isInteger(token) {
		return false
	}
	n, err := strconv.ParseInt(string(token), 10, 64)
	return err != nil || n > largest || n < -largest
}

// longProgressToken reports whether params may have a progress token for which
// beyondDouble is true. False is certain.
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

// progressToken returns the raw progress token in the params of a request or a
// progress notification, or nil.
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

// errorCode returns the code of an error object. It is not ok without an integer
// code and a string message.
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

// onlyKnownMembers reports whether the known members make up the whole message. It
// may return false if the message contains whitespace.
func onlyKnownMembers(m *message.Message) bool {
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
	if m.Method != (framing.Span{}) && m.Of(m.Method) != nil && m.Bytes[m.Method.Start-1] == '"' {
		size += len(`""`)
	}
	return size+members-1 == len(m.Bytes)
}

// unknownMember returns the quoted name of the first member of an object that is not
// part of JSON-RPC, or "".
func unknownMember(object []byte) string {
	for name := range framing.Members(object) {
		text, _ := jsontext.AppendUnquote([]byte(nil), name.Of(object))
		if !strings.Contains(" jsonrpc id method params result error ", " "+string(text)+" ") {
			return strconv.Quote(string(text))
		}
	}
	return ""
}
