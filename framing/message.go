package framing

// A Kind classifies a line as JSON-RPC 2.0. The zero value is NotJSON.
type Kind uint8

// The kinds of a line.
const (
	// NotJSON is a line that is not exactly one valid UTF-8 JSON text.
	NotJSON Kind = iota
	// Request has a method and an id (any id, null included).
	Request
	// Notification has a method and no id.
	Notification
	// Response has a result and no method.
	Response
	// ErrorResponse has an error, and neither method nor result.
	ErrorResponse
	// Batch is a JSON array.
	Batch
	// Other is valid JSON that is not a JSON-RPC message: an object without
	// method, result and error, or a string, number, true, false, null.
	Other
)

var kindWords = [...]string{
	NotJSON:       "not-json",
	Request:       "request",
	Notification:  "notification",
	Response:      "response",
	ErrorResponse: "error",
	Batch:         "batch",
	Other:         "other",
}

// String returns the kind as one short, stable word.
func (k Kind) String() string {
	if int(k) >= len(kindWords) {
		return "unknown"
	}
	return kindWords[k]
}

// A Span is a half-open range of byte offsets in the scanned line.
// The zero Span means absent: no value of a JSON object can start at 0.
type Span struct{ Start, End uint32 }

// Of returns the bytes of the span in the scanned line, not a copy, or nil if
// it is absent. It panics if line is too short.
func (s Span) Of(line []byte) []byte {
	if s == (Span{}) {
		return nil
	}
	return line[s.Start:s.End:s.End]
}

// A Message is a shallow view of one line: its kind and the positions of its
// parts. It holds no bytes and no pointers, so it is cheap to keep and to copy.
// Spans are only set if the line is one valid JSON object. The types of the
// members are not checked: an id may be an object, params a number.
type Message struct {
	Kind     Kind
	Verbatim bool   // may be embedded unescaped in a recording: see Scan
	Depth    uint16 // deepest nesting: 1 for {}, 0 for 5; for NotJSON, as far as read
	Problems Problem
	ID       Span // the raw token, quotes included: 1, "1", 1.0 and null differ
	Method   Span // the raw token without its quotes, escapes not decoded
	Params   Span
	Result   Span
	Error    Span
	JSONRPC  Span // the raw token, quotes included: normally "2.0"
}

// Valid reports whether the line is exactly one JSON text in valid UTF-8, like
// json.Valid and utf8.Valid.
func (m Message) Valid() bool { return m.Kind != NotJSON }
