package session

import (
	"encoding/binary"

	"mcpdbg/framing"
)

// RowSize is the size of an encoded Row in bytes.
const RowSize = 32

// A Row is the index record of one entry. It holds no pointers, so that
// millions of them cost the garbage collector nothing.
type Row struct {
	Off int64  // of the entry's line in the file
	T   int64  // Entry.T
	Len uint32 // of the line, its newline included
	// Related is the number of a related row plus one; 0: none. Which one that is,
	// Partner and Owner tell apart. It may be set a moment before that row is added.
	Related uint32
	Method  uint16       // see Source.Method; a response has its request's
	Run     uint16       // how many processes were started before it; wraps around
	Kind    Kind         // of the entry
	Msg     framing.Kind // of the line: stdin and stdout only
	State   ReqState
	Flags   RowFlags
}

// Partner returns the row of the response to a request, or of the request of a
// response; -1 if there is none.
func (r Row) Partner() (row int, ok bool) {
	if r.Related == 0 || r.owned() {
		return -1, false
	}
	return int(r.Related) - 1, true
}

// IsStray reports whether the row is a line of stdout that is not a JSON-RPC message.
func (r Row) IsStray() bool {
	return r.Kind == KindStdout && (r.Msg == framing.NotJSON || r.Msg == framing.Other)
}

// Paired reports whether the row has a partner.
func (r Row) Paired() bool { return r.Related != 0 && !r.owned() }

// Owner returns the row of the request that a row is about without being its
// response: progress, a cancellation, a reported timeout, a failed write. It is -1 if
// there is none, or none is known.
func (r Row) Owner() (row int, ok bool) {
	if r.Related == 0 || !r.owned() {
		return -1, false
	}
	return int(r.Related) - 1, true
}

// SetOwner sets the owner of a row that can have one.
func (r *Row) SetOwner(row int) {
	if r.owned() {
		r.Related = uint32(row) + 1
	}
}

// owned reports whether Related is the owner of the row. A row with several messages
// has partners only.
func (r Row) owned() bool {
	return r.Msg == framing.Notification && r.Flags&FlagBatch == 0 || r.Kind == KindState || r.Kind == KindWrite
}

// ReqState is the state of a request, or the problem of a response.
type ReqState uint8

// The states. All but the last five are those of requests.
const (
	ReqNone      ReqState = iota
	ReqPending            // no response yet
	ReqAnswered           // with a result
	ReqFailed             // with an error
	ReqCancelled          // by notifications/cancelled
	ReqTimedOut           // no longer waiting for the response
	ReqLost               // no response that can be read will come: the server ended, the write failed, the id was reused, or the response is unreadable
	ReqUnmatched          // an unmatched response
	ReqDuplicate          // a second response
	ReqInput              // a result that asks for input: the request is re-sent with it
	ReqTask               // a result that says that the request goes on as a task, which is polled
	ReqUnread             // a response that is too long or nested too deep to be read: see Unread
)

var reqStateNames = [...]string{"", "pending", "answered", "failed", "cancelled", "timed-out", "lost", "orphan", "duplicate", "input-required", "task", "unreadable"}

// String returns the state as screens and recordings spell it.
func (s ReqState) String() string {
	if int(s) < len(reqStateNames) {
		return reqStateNames[s]
	}
	return ""
}

// RowFlags are flags of a row.
type RowFlags uint8

// The flags.
const (
	FlagProblem RowFlags = 1 << iota // the line has a framing problem
	FlagError                        // an error response, or a tool result with isError
	FlagPart                         // a part of a line
	FlagBatch                        // several messages in one entry
	FlagDropped                      // the bytes were not kept: recording had stopped
	FlagProbe                        // a server/discover that initialize followed, or its response: errors and silence count as responses too
	FlagEncoded                      // the line stores the payload in another form than its bytes
	FlagLineEnd                      // only the end of a line: its bytes are in the previous parts
)

// AppendBinary appends the row's 32 bytes, little endian.
func (r Row) AppendBinary(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(b, uint64(r.Off))
	b = le.AppendUint64(b, uint64(r.T))
	b = le.AppendUint32(b, r.Len)
	b = le.AppendUint32(b, r.Related)
	b = le.AppendUint16(b, r.Method)
	b = le.AppendUint16(b, r.Run)
	return append(b, byte(r.Kind), byte(r.Msg), byte(r.State), byte(r.Flags))
}

// DecodeRow is the inverse of AppendBinary. It panics if b has fewer than
// RowSize bytes.
func DecodeRow(b []byte) Row {
	le := binary.LittleEndian
	return Row{
		Off: int64(le.Uint64(b)), T: int64(le.Uint64(b[8:])),
		Len: le.Uint32(b[16:]), Related: le.Uint32(b[20:]),
		Method: le.Uint16(b[24:]), Run: le.Uint16(b[26:]),
		Kind: Kind(b[28]), Msg: framing.Kind(b[29]), State: ReqState(b[30]), Flags: RowFlags(b[31]),
	}
}
