package session

import (
	"encoding/json"
	"fmt"

	"mcpdbg/framing"
)

// Kind is what an entry of the log tells. The zero value is KindUnknown, a
// kind that a newer program wrote.
type Kind uint8

// The kinds of entry, spelled in a recording as Kind.String says.
const (
	KindUnknown Kind = iota
	KindStart        // a process runs: all that follows belongs to it
	KindEnv          // names of the variables it got and did not get
	KindPhase        // one timed step of a start or of the handshake
	KindState        // the session's state, or that of one request, changed
	KindStdin        // one write
	KindWrite        // what became of a write that was not accepted whole
	KindStdout       // one line
	KindStderr       // one line
	KindWaiting      // bytes without a newline have waited for a second
	KindExited
	KindClosed
	KindFailed
	KindLagged // the collector's queue overflowed; nothing is lost
	KindHeld   // a pipe was not read for a while; nothing is lost
	KindGap    // output is lost
	KindAct    // what a person, or a script in their place, did
	KindProc   // a sample of the process tree, or survivors
	KindLink   // the state of the connection to the host
	KindNote   // a remark of the program
	KindPart   // the recording goes on in another file
	KindEnd    // the recorder finished
	kindCount
)

var kindNames = [kindCount]string{"unknown", "start", "env", "phase", "state", "stdin", "write", "stdout", "stderr",
	"waiting", "exited", "closed", "failed", "lagged", "held", "gap", "act", "proc", "link", "note", "part", "end"}

// String returns the kind as recordings spell it.
func (k Kind) String() string {
	if k < kindCount {
		return kindNames[k]
	}
	return kindNames[KindUnknown]
}

// ParseKind is the inverse of Kind.String; what it does not know is KindUnknown.
func ParseKind(name []byte) Kind {
	for k := KindStart; k < kindCount; k++ {
		if kindNames[k] == string(name) {
			return k
		}
	}
	return KindUnknown
}

// IsStream tells whether entries of the kind carry bytes of stdin, stdout or
// stderr in Payload; the other kinds carry a JSON object in Body.
func (k Kind) IsStream() bool {
	return k == KindStdin || k == KindStdout || k == KindStderr
}

// An Entry is one line of the log. Who appends it leaves N and T alone: the
// log gives both.
type Entry struct {
	N    uint64 // number in the log, from 1
	T    int64  // microseconds of the monotonic clock since the log's start
	Kind Kind

	// Seq is the sequence number of the event; for a line that of the chunk
	// which completed it. First is the line's first chunk, if another one.
	Seq, First  uint64
	Cuts        []framing.Cut // where the later chunks begin in Payload + EOL
	CutsDropped uint64

	// Stream kinds only.
	Payload  []byte
	EOL      framing.EOL
	More     bool            // a part of a line that goes on
	Msg      framing.Message // what the line is; spans are offsets in Payload
	Why      string          // informative: the problems of the line
	Encoded  bool            // the log has the payload in another form than its bytes; set by the log
	Cut      bool            // Payload is only the beginning (Source.Entry with a limit)
	FullSize int64           // size of the whole payload in bytes

	// The other kinds: a JSON object whose members stand in the entry.
	Body json.RawMessage

	judged, toolError bool // see Judge
}

// Judge finds out whether the message is a tool result with isError, which
// takes long for a large one. Index.Add does it for entries that nobody judged:
// who prepares entries for it on several goroutines does it there. The payload
// must not change afterwards.
func (e *Entry) Judge() {
	e.judged = true
	e.toolError = e.Msg.Kind == framing.Response && isToolError(e.Msg.Result.Of(e.Payload))
}

// NewEntry returns an entry of a kind that carries a body, such as StartBody
// for KindStart. It panics if body is not a struct that encodes to a JSON
// object: that is a mistake in the program.
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
	if err := json.Unmarshal(e.Body, into); err != nil {
		return fmt.Errorf("%s entry %d: %w", e.Kind, e.N, err)
	}
	return nil
}
