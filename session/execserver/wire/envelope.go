package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"

	"mcpdbg/framing"
)

// A Message is one JSON-RPC message. Requests have an ID and a Method, notifications a Method,
// responses an ID and either Result or Error.
type Message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// Decode parses a message. Its members refer to text.
func Decode(text []byte) (Message, error) {
	var m Message
	if err := framing.Unmarshal(text, &m); err != nil {
		return Message{}, fmt.Errorf("not a JSON-RPC message: %w", err)
	}
	if m.Method == "" && (len(m.ID) == 0 || m.Result == nil && m.Error == nil) {
		return Message{}, fmt.Errorf("not a JSON-RPC message: neither method nor response")
	}
	return m, nil
}

// AppendRequest appends a request to dst. params are JSON, or empty.
func AppendRequest(dst []byte, id uint64, method string, params []byte) []byte {
	dst = strconv.AppendUint(append(dst, `{"id":`...), id, 10)
	dst = append(append(append(dst, `,"method":"`...), method...), '"')
	if len(params) > 0 {
		dst = append(append(dst, `,"params":`...), params...)
	}
	return append(dst, '}')
}

// Notification returns a notification.
func Notification(method string, params any) ([]byte, error) {
	m := Message{Method: method}
	var err error
	if params != nil {
		if m.Params, err = json.Marshal(params); err != nil {
			return nil, err
		}
	}
	return json.Marshal(m)
}

// Response returns the response to the request with an id.
func Response(id json.RawMessage, result any) ([]byte, error) {
	text, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	return json.Marshal(Message{ID: id, Result: text})
}

// Failure returns the response with an error.
func Failure(id json.RawMessage, e Error) ([]byte, error) {
	return json.Marshal(Message{ID: id, Error: &e})
}

// The parts of the two messages that carry data, as Codex writes them.
const (
	outputHead   = `{"method":"process/output","params":{"processId":`
	writeMethod  = `,"method":"process/write","params":{"processId":`
	seqMember    = `,"seq":`
	streamMember = `,"stream":"`
	chunkMember  = `,"chunk":"`
	writeMember  = `","writeId":`
)

// AppendOutput appends the notification of a chunk of output to dst.
func AppendOutput(dst []byte, o Output) []byte {
	dst = appendString(append(dst, outputHead...), o.ProcessID)
	dst = strconv.AppendUint(append(dst, seqMember...), o.Seq, 10)
	dst = append(append(append(dst, streamMember...), o.Stream...), '"')
	dst = base64.StdEncoding.AppendEncode(append(dst, chunkMember...), o.Chunk)
	return append(dst, `"}}`...)
}

// ParseOutput parses a notification of output if it has the form that AppendOutput gives it;
// otherwise Decode may parse it.
func ParseOutput(text []byte) (o Output, ok bool) {
	r := reader{text: text}
	r.skip(outputHead)
	o.ProcessID = r.string()
	r.skip(seqMember)
	o.Seq = r.number()
	r.skip(streamMember)
	o.Stream = streamName(r.until('"'))
	r.skip(chunkMember)
	o.Chunk = r.base64()
	r.skip(`}}`)
	return o, r.complete() && o.Stream != ""
}

// AppendWrite appends the request of a write to dst.
func AppendWrite(dst []byte, id uint64, w WriteParams) []byte {
	dst = strconv.AppendUint(append(dst, `{"id":`...), id, 10)
	dst = appendString(append(dst, writeMethod...), w.ProcessID)
	dst = base64.StdEncoding.AppendEncode(append(dst, chunkMember...), w.Chunk)
	dst = appendString(append(dst, writeMember...), w.WriteID)
	return append(dst, `}}`...)
}

// ParseWrite parses a write if it has the form that AppendWrite gives it; otherwise Decode may
// parse it. id refers to text.
func ParseWrite(text []byte) (id json.RawMessage, w WriteParams, ok bool) {
	r := reader{text: text}
	r.skip(`{"id":`)
	from := r.at
	r.number()
	id = text[from:r.at]
	r.skip(writeMethod)
	w.ProcessID = r.string()
	r.skip(chunkMember)
	w.Chunk = r.base64()
	r.skip(writeMember[1:])
	w.WriteID = r.string()
	r.skip(`}}`)
	return id, w, r.complete()
}

// AppendAccepted appends the response to a write that was accepted to dst.
func AppendAccepted(dst []byte, id json.RawMessage) []byte {
	return append(append(append(dst, `{"id":`...), id...), `,"result":{"status":"accepted"}}`...)
}

// ParseAccepted parses a response that has the form of AppendAccepted.
func ParseAccepted(text []byte) (id uint64, ok bool) {
	r := reader{text: text}
	r.skip(`{"id":`)
	id = r.number()
	r.skip(`,"result":{"status":"accepted"}}`)
	return id, r.complete()
}

func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			text, _ := json.Marshal(s) // a string never fails
			return append(dst, text...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

func streamName(text []byte) string {
	switch string(text) {
	case Stdout:
		return Stdout
	case Stderr:
		return Stderr
	case pty:
		return pty
	}
	return ""
}

// A reader reads a message of a known form; it stays failed once it has met another one.
type reader struct {
	text   []byte
	at     int
	failed bool
}

func (r *reader) complete() bool { return !r.failed && r.at == len(r.text) }

func (r *reader) skip(part string) {
	if r.failed || len(r.text)-r.at < len(part) || string(r.text[r.at:r.at+len(part)]) != part {
		r.failed = true
		return
	}
	r.at += len(part)
}

// until returns the text up to end, and skips both.
func (r *reader) until(end byte) []byte {
	if r.failed {
		return nil
	}
	n := bytes.IndexByte(r.text[r.at:], end)
	if n < 0 {
		r.failed = true
		return nil
	}
	part := r.text[r.at : r.at+n]
	r.at += n + 1
	return part
}

// string reads a string of printable ASCII without escapes.
func (r *reader) string() string {
	r.skip(`"`)
	part := r.until('"')
	for _, c := range part {
		if c < ' ' || c > '~' || c == '\\' {
			r.failed = true
		}
	}
	return string(part)
}

func (r *reader) number() uint64 {
	from := r.at
	for !r.failed && r.at < len(r.text) && r.text[r.at] >= '0' && r.text[r.at] <= '9' {
		r.at++
	}
	n, err := strconv.ParseUint(string(r.text[from:r.at]), 10, 64)
	r.failed = r.failed || err != nil || r.text[from] == '0' && r.at > from+1 // not JSON
	return n
}

// base64 reads a string of base64, without its opening quote.
func (r *reader) base64() []byte {
	part := r.until('"')
	if r.failed || bytes.ContainsAny(part, "\r\n") { // which the decoder skips
		r.failed = true
		return nil
	}
	data := make([]byte, base64.StdEncoding.DecodedLen(len(part)))
	n, err := base64.StdEncoding.Decode(data, part)
	r.failed = err != nil
	return data[:n]
}
