package framing

import (
	"strings"
)

// A Kind classifies a line as JSON-RPC 2.0. The zero value is NotJSON.
type Kind uint8

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

// Problem is a set of problems of a line, some of them mere remarks. Problems
// never stop the stream: they are attached to the line.
type Problem uint32

// Scan and Splitter find them.
const (
	// ProblemNotJSON: the line is not one valid JSON text in UTF-8 (RFC 8259).
	// It is set exactly if the kind is NotJSON; the other problems give
	// details.
	ProblemNotJSON Problem = 1 << iota
	// ProblemTrailing: bytes other than white space follow a complete JSON
	// object or array. (A log line such as "12:30 ready" begins with a complete
	// number, but calling the rest trailing would not help.)
	ProblemTrailing
	// ProblemBOM: the line begins with a UTF-8 byte order mark.
	ProblemBOM
	// ProblemUTF8: the line is not valid UTF-8.
	ProblemUTF8
	// ProblemNUL: the line holds a NUL byte.
	ProblemNUL
	// ProblemHeader: the line looks like an LSP header (Content-Length: ...).
	ProblemHeader
	// ProblemMultiline: the line ends inside an object or array that it opened,
	// as when a message is pretty-printed over several lines.
	ProblemMultiline
	// ProblemTooDeep: nesting exceeds MaxDepth; the rest is not scanned.
	ProblemTooDeep
	// ProblemTooLong: the line exceeded the Splitter's limit and was split into
	// parts.
	ProblemTooLong
	// ProblemDuplicateKey: a top-level member of JSON-RPC (jsonrpc, id, method,
	// params, result, error) appears twice; the last one counts.
	ProblemDuplicateKey
	// ProblemSurrogate: an unpaired \ud800-\udfff escape.
	ProblemSurrogate
	// ProblemBatch: the line is a JSON array (only 2025-03-26 has batches).
	ProblemBatch
	// ProblemBlank: the line is empty or only white space.
	ProblemBlank
	// ProblemSpace: white space before or after the JSON value.
	ProblemSpace
	// ProblemControl: a byte below 0x20, such as a tab between tokens or an ESC.
	ProblemControl
	// ProblemUnterminated: the stream ended before the line's newline.
	ProblemUnterminated
	// ProblemCRLF: the line ended in CR LF.
	ProblemCRLF
)

// problemWords are in the order of the bits.
var problemWords = [...]string{
	"not-json", "trailing", "bom", "utf8", "nul", "header", "multiline",
	"too-deep", "too-long", "duplicate-key", "surrogate", "batch", "blank",
	"space", "control", "unterminated", "crlf",
}

// String returns the problems as short words joined with commas, such as
// "not-json,trailing", or "". The words are stable: they are the member `why`
// in recordings.
func (p Problem) String() string {
	var words []string
	for bit, word := range problemWords {
		if p&(1<<bit) != 0 {
			words = append(words, word)
		}
	}
	return strings.Join(words, ",")
}
