package session

import (
	"bytes"
	"encoding/json"
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session/spool"
)

// Kind is the kind of a log entry. The zero value is KindUnknown, a kind that a
// newer program wrote.
type Kind uint8

// The kinds of entries. Recordings spell them as Kind.String does.
const (
	KindUnknown Kind = iota
	KindStart        // a process was started: all later entries belong to it
	KindEnv          // names of the variables it got and did not get
	KindPhase        // one timed step of a start or of the handshake
	KindState        // the session's state, or that of one request, changed
	KindStdin        // one write
	KindWrite        // the outcome of a write that was not fully accepted
	KindStdout       // one line
	KindStderr       // one line
	KindWaiting      // bytes have been without a newline for a second
	KindExited
	KindClosed
	KindFailed
	KindLagged     // the collector's queue overflowed; nothing is lost
	KindHeld       // a pipe was not read for a while; nothing is lost
	KindGap        // output is lost
	KindAct        // an action of a person, or of a script in their place
	KindProc       // a sample of the process tree, or survivors
	KindLink       // the state of the connection to the host
	KindNote       // a remark of the program
	KindPart       // the recording continues in another file
	KindEnd        // the recorder finished
	KindFromClient // of a tap: a line of the client that the server did not get, or not like this
	KindToClient   // of a tap: a line that only the client got, or got differently, or did not get
	KindCount      // the number of kinds
)

var kindNames = [KindCount]string{"unknown", "start", "env", "phase", "state", "stdin", "write", "stdout", "stderr",
	"waiting", "exited", "closed", "failed", "lagged", "held", "gap", "act", "proc", "link", "note", "part", "end",
	"from-client", "to-client"}

// String returns the kind as recordings spell it.
func (k Kind) String() string {
	if k < KindCount {
		return kindNames[k]
	}
	return kindNames[KindUnknown]
}

// ParseKind is the inverse of Kind.String; it returns KindUnknown for unknown
// names.
func ParseKind(name []byte) Kind {
	for k := KindStart; k < KindCount; k++ {
		if kindNames[k] == string(name) {
			return k
		}
	}
	return KindUnknown
}

// IsStream reports whether entries of the kind carry bytes of stdin, stdout or
// stderr in Payload; the other kinds carry a JSON object in Body.
func (k Kind) IsStream() bool {
	return k == KindStdin || k == KindStdout || k == KindStderr
}

// An Entry is one line of the log. The log sets N, and T unless it is set to an
// earlier time; no entry is earlier than the one before it.
type Entry struct {
	N    uint64 // number in the log, from 1
	T    int64  // microseconds of the monotonic clock since the log's start
	Kind Kind

	// Seq is the sequence number of the event; for a line, that of the chunk
	// which completed it. First is the line's first chunk, if different.
	Seq, First  uint64
	Cuts        []framing.Cut // where the later chunks begin in Payload + EOL
	CutsDropped uint64

	// Stream kinds only.
	Payload  []byte
	Long     *spool.Line // the line, if Payload is only its digest: see framing.Incremental
	EOL      framing.EOL
	More     bool            // a part of a line that is continued
	Msg      framing.Message // the scanned line; spans are offsets in Payload
	Why      string          // informative: the problems of the line
	Encoded  bool            // the log stores the payload in another form than its bytes; set by the log
	Cut      bool            // Payload is only the beginning (Source.Entry with a limit)
	FullSize int64           // size of the whole payload in bytes

	// The other kinds: a JSON object whose members are part of the entry.
	Body json.RawMessage

	judged, toolError bool // see DetectToolError
}

// SetLine makes a line of a stream the content of an entry, whose kind is set. The bytes
// of the line and its cuts are not copied, and a diverted line is not scanned.
func (e *Entry) SetLine(line *framing.Line) {
	e.Seq, e.Payload, e.EOL, e.More = line.Seq, line.Data, line.EOL, line.More
	if line.First != line.Seq {
		e.First, e.Cuts, e.CutsDropped = line.First, line.Cuts, line.CutsDropped
	}
	problems := line.Problems
	if e.Kind == KindStderr {
		problems &^= framing.ProblemTooLong // the protocol has no limit for it
	} else if line.Whole() && line.Diverted == 0 {
		e.Msg = framing.Scan(line.Data)
		e.Msg.Problems |= problems
		problems = e.Msg.Problems
	}
	if problems != 0 {
		e.Why = problems.String()
	}
}

// Size returns the number of bytes of the payload, or of the line that it is a
// digest of.
func (e *Entry) Size() int {
	if e.Long != nil {
		return int(e.Long.Size())
	}
	return len(e.Payload)
}

// DetectToolError determines whether the message is a tool result with isError, which is
// slow for a large one. Index.Add calls it if needed; callers that prepare
// entries on several goroutines call it there. The payload must not change
// afterwards.
func (e *Entry) DetectToolError() {
	e.judged = true
	e.toolError = e.Msg.Kind == framing.Response && IsToolError(e.Msg.Result.Of(e.Payload))
}

// ToolError reports whether the message is a tool result with isError; known is
// false before DetectToolError.
func (e *Entry) ToolError() (is, known bool) { return e.toolError, e.judged }

// IsToolError reports whether a result has the member isError set to true, or is a
// task that has ended with such a result. Most
// results have it false or absent and are not decoded. It searches for the end
// of the name first: few texts contain an E, and all contain quotes.
func IsToolError(result []byte) bool {
	const begin, end = `"is`, `Error"`
	for rest := result; ; {
		i := bytes.Index(rest, []byte(end))
		if i < 0 {
			return false
		}
		named := bytes.HasSuffix(rest[:i], []byte(begin))
		rest = rest[i+len(end):]
		value := bytes.TrimLeft(rest, " \t:")
		if named && bytes.HasPrefix(value, []byte("true")) {
			break
		}
	}
	var r struct {
		IsError bool   `json:"isError"`
		TaskID  string `json:"taskId"`
		Result  struct {
			IsError bool `json:"isError"`
		} `json:"result"`
	}
	if json.Unmarshal(framing.Pick(result, "isError", "taskId", "result"), &r) != nil && !r.IsError {
		return false
	}
	return r.IsError || r.TaskID != "" && r.Result.IsError
}

// NewEntry returns an entry of a kind that carries a body, such as StartBody
// for KindStart. It panics if body is not a struct that encodes to a JSON
// object, which is a programming error.
func NewEntry(kind Kind, seq uint64, body any) Entry {
	b, err := json.Marshal(body)
	if err != nil || len(b) < 2 || b[0] != '{' {
		panic(fmt.Sprintf("session: %s entry with a %T body: %v", kind, body, err))
	}
	return Entry{Kind: kind, Seq: seq, Body: b}
}

// DecodeBody decodes the body of a non-stream entry into one of the body
// types. Unknown members are ignored.
func (e *Entry) DecodeBody(into any) error {
	if len(e.Body) == 0 {
		return nil
	}
	if err := framing.Unmarshal(e.Body, into); err != nil {
		return fmt.Errorf("%s entry %d: %w", e.Kind, e.N, err)
	}
	return nil
}
