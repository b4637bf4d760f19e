package framing

// A Kind says what one line is, seen as JSON-RPC 2.0. The zero value is NotJSON.
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
	// Other is valid JSON that is no JSON-RPC message: an object without
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

// String gives the kind as one short, stable word.
func (k Kind) String() string {
	if int(k) >= len(kindWords) {
		return "unknown"
	}
	return kindWords[k]
}

// A Span is a half-open range of byte offsets in the scanned line.
// The zero Span means absent: no value of a JSON object can start at 0.
type Span struct{ Start, End uint32 }

// Of cuts the span out of the line that was scanned: nil when absent, and the
// line's own bytes, not a copy, otherwise. It panics if the line is another,
// shorter one.
func (s Span) Of(line []byte) []byte {
	if s == (Span{}) {
		return nil
	}
	return line[s.Start:s.End:s.End]
}

// A Message is the shallow view of one line: what it is and where its parts
// are. It holds no bytes and no pointers, so it is cheap to keep and to copy.
// Spans are only set when the line is one valid JSON object. The types of the
// members are not judged: an id may be an object, params a number.
type Message struct {
	Kind     Kind
	Verbatim bool   // may stand unescaped in a recording: see Scan
	Depth    uint16 // deepest nesting, {} is 1, 5 is 0; of a NotJSON line: as far as read
	Problems Problem
	ID       Span // the raw token, quotes included: 1, "1", 1.0 and null differ
	Method   Span // the raw token without its quotes, escapes not decoded
	Params   Span
	Result   Span
	Error    Span
	JSONRPC  Span // the raw token, quotes included: "2.0" if all is well
}

// Valid says whether the line is exactly one JSON text in valid UTF-8:
// json.Valid and utf8.Valid agree with it.
func (m Message) Valid() bool { return m.Kind != NotJSON }
