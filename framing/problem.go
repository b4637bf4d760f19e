package framing

import "strings"

// Problem is a set of problems of a line, some of them mere remarks. Problems
// never stop the stream: they are attached to the line.
type Problem uint32

// The problems that Scan and Splitter find.
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

// problemWords are the names of the problems, in the order of their bits.
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
