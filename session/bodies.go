package session

import (
	"encoding/json"
)

// The bodies below are the members of the entries that carry no stream bytes, as in
// docs/reference/recording-format.md. Times are microseconds on the log's clock. Members
// may be added, never changed.

// StartBody records that a process was started.
type StartBody struct {
	Process   string   `json:"process"`
	PID       int      `json:"pid,omitempty"`
	Placement string   `json:"placement,omitempty"` // local or ssh
	Host      string   `json:"host,omitempty"`      // the alias, with ssh
	Via       string   `json:"via,omitempty"`       // through which it is reached there, such as docker web
	Argv      []string `json:"argv,omitempty"`      // only if it differs from the header's
}

// EnvBody holds names of variables, never values.
type EnvBody struct {
	Policy  string   `json:"policy"`
	Named   []string `json:"named,omitempty"`
	Passed  []string `json:"passed,omitempty"`
	Omitted []string `json:"left_out,omitempty"`
	Added   []string `json:"added,omitempty"`   // set by the program itself
	Unknown bool     `json:"unknown,omitempty"` // the inherited ones are unknown
}

// PhaseBody is one step of a start or an ending, such as "spawn" or "TERM".
type PhaseBody struct {
	Phase  string `json:"phase"`
	Detail string `json:"detail,omitempty"`
	Took   int64  `json:"took_us,omitempty"`
	Error  string `json:"error,omitempty"`
}

// StateBody records the state of the session or, with Of, of the request in
// entry Of.
type StateBody struct {
	State    string          `json:"state"`
	Of       uint64          `json:"of,omitempty"`
	ID       json.RawMessage `json:"id,omitempty"` // of the request, with Of
	Detail   string          `json:"detail,omitempty"`
	Era      string          `json:"era,omitempty"`
	Protocol string          `json:"protocol,omitempty"`
	Server   string          `json:"server,omitempty"`  // its name and version
	Code     string          `json:"code,omitempty"`    // of a failed start
	Client   string          `json:"client,omitempty"`  // of the local ssh program
	Hint     string          `json:"hint,omitempty"`    // what to try
	Said     string          `json:"said,omitempty"`    // words of the other side
	SaidBy   string          `json:"said_by,omitempty"` // speaker of Said; empty: the host
}

// WriteBody records the outcome of the write in entry Of.
type WriteBody struct {
	Of     uint64 `json:"of"`
	Status string `json:"status"`
	Bytes  int    `json:"bytes"` // that reached the pipe
	Error  string `json:"error,omitempty"`
}

// WaitingBody records that bytes have had no newline for a second. They are logged again
// with their line.
type WaitingBody struct {
	Stream string `json:"stream"`
	Bytes  int    `json:"bytes"`
	Head   string `json:"head,omitempty"`     // the first bytes, at most 256, if UTF-8
	Head64 []byte `json:"head_b64,omitempty"` // the same if not
}

// ExitedBody records that the leader has exited. With neither Code nor Signal
// the exit status is unknown.
type ExitedBody struct {
	Code   *int   `json:"code,omitempty"`
	Signal string `json:"signal,omitempty"`
	Core   bool   `json:"core,omitempty"`
	By     string `json:"by,omitempty"`  // who ended it, as executor.EndedBy spells it; absent if unknown
	Why    string `json:"why,omitempty"` // details for By
}

// ClosedBody records that the process has exited and both streams are at EOF.
type ClosedBody struct {
	Stdout Sums `json:"stdout"`
	Stderr Sums `json:"stderr"`
	Stdin  Sums `json:"stdin"`
}

// FailedBody records that the process was lost. Code, Hop, Hint and Said are those of a
// lost connection.
type FailedBody struct {
	Error  string `json:"error"`
	Code   string `json:"code,omitempty"`
	Hop    string `json:"hop,omitempty"`
	Hint   string `json:"hint,omitempty"`
	Said   string `json:"said,omitempty"`
	SaidBy string `json:"said_by,omitempty"` // as in StateBody
	Stdout Sums   `json:"stdout"`
	Stderr Sums   `json:"stderr"`
	Stdin  Sums   `json:"stdin"`
}

// LaggedBody records that the collector's queue overflowed Times times; all Events
// dropped events were recovered.
type LaggedBody struct {
	Events uint64 `json:"events"`
	Times  int    `json:"times,omitempty"`
}

// HeldBody records that pipes were not read from Begin to End; if End is zero,
// the hold goes on.
type HeldBody struct {
	Begin   int64    `json:"begin"`
	End     int64    `json:"end,omitempty"`
	Streams []string `json:"streams"`
	By      string   `json:"by,omitempty"` // HeldByClient, or absent: the recorder
	Times   int      `json:"times,omitempty"`
	Total   int64    `json:"total_us,omitempty"` // of all Times together
}

// HeldByClient is the party of a hold in a tap: the client did not read.
const HeldByClient = "client"

// GapBody records that output with the sequence numbers From to To is lost.
type GapBody struct {
	From    uint64   `json:"from"`
	To      uint64   `json:"to"`
	Bytes   uint64   `json:"bytes"`
	Streams []string `json:"streams,omitempty"` // that lost something
}

// ActBody records an action of a person or a policy. Of is the entry that it applies to;
// for acts about server requests that of the request or, in the modern era, of the result
// that asks for input, and Key is the request's key there.
type ActBody struct {
	Act    string `json:"act"`
	Of     uint64 `json:"of,omitempty"`
	Detail string `json:"detail,omitempty"`
	By     string `json:"by,omitempty"` // ByPerson, ByPolicy or ByReplay
	Key    string `json:"key,omitempty"`
}

// The acts of the session itself. A response and a re-sent request directly follow their
// act.
const (
	ActCompose   = "compose"   // a person wrote the message that follows
	ActRaw       = "raw"       // a person wrote the bytes that follow
	ActResend    = "resend"    // a person sent the message of entry Of again
	ActAsk       = "ask"       // a person is asked for an answer
	ActAnswer    = "answer"    // By gave an answer
	ActWithdrawn = "withdrawn" // the answer is no longer needed
	ActAgain     = "again"     // the request of entry Of is re-sent, with more input or after a visit to a URL
	ActPolicy    = "policy"    // a policy was changed
	ActEscalate  = "escalate"  // a person skipped a wait of the shutdown sequence
	ActKillOne   = "kill-one"  // a person killed one process of the tree
)

// ProcBody lists live processes of the tree; with Survivors, those that a shutdown killed
// or could not kill; with Spared, those that it left running on request.
type ProcBody struct {
	Survivors bool       `json:"survivors,omitempty"`
	Spared    bool       `json:"spared,omitempty"`
	Tree      []ProcInfo `json:"tree"`
}

// ProcInfo is one process of a tree.
type ProcInfo struct {
	PID     int    `json:"pid"`
	PPID    int    `json:"ppid,omitempty"`
	Command string `json:"command,omitempty"`
	RSS     int64  `json:"rss,omitempty"`
}

// LinkBody is the state of the connection to a host. The members after Error are only in
// the first entry of a process; Code only when the connection was lost.
type LinkBody struct {
	State     string   `json:"state"`
	RTT       int64    `json:"rtt_us,omitempty"`
	Error     string   `json:"error,omitempty"`
	Code      string   `json:"code,omitempty"`
	Hops      []string `json:"hops,omitempty"`      // user@host:port; the process is on the last
	Transport string   `json:"transport,omitempty"` // native, master or binary
	Server    string   `json:"server,omitempty"`    // its version line
	Kex       string   `json:"kex,omitempty"`
	HostKey   string   `json:"host_key,omitempty"` // the algorithm, not the key
	Cipher    string   `json:"cipher,omitempty"`
	MAC       string   `json:"mac,omitempty"`
	Client    string   `json:"client,omitempty"` // version of the local ssh program
	// Session is that of an exec server. Without a connection it is sure to last for Keep, in
	// microseconds; 0 means that it ends with its connection.
	Session string `json:"session,omitempty"`
	Keep    int64  `json:"keep_us,omitempty"`
}

// NoteBody is a remark of the program. A note that summarizes several holds their number
// in Times, the times of the first and the last in Begin and End, and the texts of the
// last.
type NoteBody struct {
	Text   string          `json:"text"`
	Hint   string          `json:"hint,omitempty"`
	Code   string          `json:"code,omitempty"`    // e.g. run.noise
	Said   string          `json:"said,omitempty"`    // words of the other side
	SaidBy string          `json:"said_by,omitempty"` // speaker of Said; empty: the host
	Data   json.RawMessage `json:"data,omitempty"`
	Times  int             `json:"times,omitempty"`
	Begin  int64           `json:"begin,omitempty"`
	End    int64           `json:"end,omitempty"`
}

// PartBody records that the recording continues in another part.
type PartBody struct {
	Next int `json:"next"` // its number; the first file is 1
}

// EndBody records that the recorder finished.
type EndBody struct {
	Entries uint64     `json:"entries"`
	Counts  *EndCounts `json:"counts,omitempty"`
	Whole   *Sums      `json:"whole,omitempty"` // of the recording as one file; nil in older ones
}

// EndCounts are counts over the whole recording, as in Stats, for lists of recordings. A
// member that is absent is 0.
type EndCounts struct {
	Out    uint64 `json:"out,omitempty"`
	In     uint64 `json:"in,omitempty"`
	Errors uint64 `json:"errors,omitempty"`
	Stray  uint64 `json:"stray,omitempty"`
	Stderr uint64 `json:"stderr,omitempty"` // lines
}

// EndCounts returns the counts that the last entry of a recording holds.
func (s *Stats) EndCounts() EndCounts {
	return EndCounts{Out: s.Out, In: s.In, Errors: s.Errors, Stray: s.Stray, Stderr: s.StderrLines}
}
