package framing

import "strings"

// Problem is a set of things that are wrong, or worth a remark, with a line.
// Problems never stop the stream: they are attached to the line.
type Problem uint32

// The problems Scan and Splitter find.
const (
	// ProblemNotJSON: the line is not one valid JSON text in UTF-8 (RFC 8259).
	// It is set exactly when the kind is NotJSON; the others say more about it.
	ProblemNotJSON Problem = 1 << iota
	// ProblemTrailing: bytes other than white space follow a complete JSON
	// object or array. (A log line such as "12:30 ready" begins with a complete
	// number; to call its rest trailing would help nobody.)
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
	// ProblemTooDeep: nesting is beyond MaxDepth; not looked at further.
	ProblemTooDeep
	// ProblemTooLong: the line passed the Splitter's limit and came in parts.
	ProblemTooLong
	// ProblemDuplicateKey: a top-level member that JSON-RPC knows (jsonrpc, id,
	// method, params, result, error) appears twice; the last one counts.
	ProblemDuplicateKey
	// ProblemSurrogate: a \ud800-\udfff escape without its partner.
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

// String gives the problems as short words joined with commas, such as
// "not-json,trailing", and "" when there are none. The words are stable: they
// stand as `why` in recordings.
func (p Problem) String() string {
	var words []string
	for bit, word := range problemWords {
		if p&(1<<bit) != 0 {
			words = append(words, word)
		}
	}
	return strings.Join(words, ",")
}
