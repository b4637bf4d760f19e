package compare

import (
	"time"

	"mcpdbg/recordings/match"
)

// A Class is a kind of difference.
type Class string

// The classes of differences.
const (
	ClassOutcome  Class = "outcome"  // a different outcome: result, error, or no response
	ClassResult   Class = "result"   // a value in a result
	ClassError    Class = "error"    // a value in an error
	ClassParams   Class = "params"   // a value in the params of a request
	ClassMissing  Class = "missing"  // an exchange that only the first session has
	ClassExtra    Class = "extra"    // an exchange that only the second session has
	ClassProgress Class = "progress" // progress notifications
	// ClassDuplicate is a different number of responses to one request.
	ClassDuplicate Class = "duplicate"
	// ClassTime is a response that took too long: see Options.MaxTime and
	// Options.MaxSlowdown, without which it does not occur.
	ClassTime     Class = "time"
	ClassEra      Class = "era"      // a different era of the protocol
	ClassNotes    Class = "notes"    // the number of notifications of a kind, and of stray lines; counts only with Options.Notes
	ClassOrder    Class = "order"    // the order of list items; never counts
	ClassEnvelope Class = "envelope" // versions and cache hints; counts only with Options.Envelope
)

// A Change is how a value changed from the first session to the second.
type Change string

const (
	changeAdded   Change = "added"
	changeRemoved Change = "removed"
	changeChanged Change = "changed"
	changeSchema  Change = "schema" // a schema of a tool
)

// A Report is the result of a comparison. Its JSON form is the output of mcpdbg diff
// --json; members may be added but never changed.
type Report struct {
	A           Session      `json:"a"`
	B           Session      `json:"b"`
	Differs     bool         `json:"differs"`  // a difference counts
	Compared    int          `json:"compared"` // pairs of exchanges
	Equal       int          `json:"equal"`
	NotCompared int          `json:"not_compared,omitempty"` // handshakes and lists that the other session, a part of one, lacks
	OverLimit   int          `json:"over_limit,omitempty"`   // responses, methods and tools over a time limit; not among the pairs that differ
	NotesDiffer int          `json:"notes_differ,omitempty"` // counts of notes that differ, with Options.Notes; likewise
	First       *Difference  `json:"first,omitempty"`        // in the order of the first session
	Groups      []Group      `json:"groups"`                 // those that count before those that do not
	Differences []Difference `json:"differences"`            // the first 1,000
	More        int          `json:"more_differences,omitempty"`
	MoreGroups  int          `json:"more_groups,omitempty"` // differences beyond 2,000 groups
	Masked      []Masked     `json:"masked"`
	MoreMasked  int          `json:"more_masked,omitempty"` // values beyond 1,000 places
	Ignored     []Ignored    `json:"ignored"`
	Timing      []Timing     `json:"timing"`
	TimesCount  bool         `json:"times_count,omitempty"` // there were limits for times
	Calls       []Call       `json:"calls"`                 // by method and subject
}

// A Session is one side.
type Session struct {
	ID        string   `json:"id"`
	Argv      []string `json:"argv"`
	Entries   int      `json:"entries"`
	Runs      int      `json:"runs"`
	Exchanges int      `json:"exchanges"`
	Pages     int      `json:"pages,omitempty"`   // of the exchanges, further pages of lists
	Servers   []string `json:"servers,omitempty"` // names and versions from handshakes

	start time.Time
}

// A Difference is one place where the sessions differ.
type Difference struct {
	Class   Class  `json:"class"`
	Counts  bool   `json:"counts"` // contributes to Report.Differs
	Method  string `json:"method"`
	Subject string `json:"subject,omitempty"` // the tool, prompt or resource
	From    string `json:"from"`              // the sender of the request: client or server
	// Pointer refers to the message as described at match.Pointer; list items are
	// members by name. Differences without a value have the pointer "/CLASS",
	// which rules can use, too.
	Pointer match.Pointer `json:"pointer"`
	Change  Change        `json:"change"`
	// Arguments are those of the request, in short, as lists of calls show them.
	Arguments string     `json:"arguments,omitempty"`
	Text      *TextPlace `json:"text,omitempty"` // where two texts differ, unless they are short
	A         *Side      `json:"a,omitempty"`
	B         *Side      `json:"b,omitempty"`
	Detail    []string   `json:"detail,omitempty"` // lines of a diff, or what changed in a schema
	Note      string     `json:"note,omitempty"`   // how the values were compared, if that is unusual
	order     int
	i, j      int32             // the pair; alone for none
	more      func(*Difference) // computes Text and Detail if they are shown
}

// HasValue reports whether the difference is one of values in the two messages.
func (d *Difference) HasValue() bool {
	return d.Class == ClassResult || d.Class == ClassError || d.Class == ClassParams || d.Class == ClassEnvelope
}

// A Side is the position of a difference in one session: that of the response, or of
// the request if there is no response.
type Side struct {
	Run     int    `json:"run"`
	Process string `json:"process,omitempty"`
	N       uint64 `json:"n"`
	Seq     uint64 `json:"seq,omitempty"`
	T       int64  `json:"t_us"`
	Request uint64 `json:"request_n,omitempty"` // entry of the request
	Row     int    `json:"-"`
	Value   string `json:"value,omitempty"` // JSON text, truncated if it is long
}

// A Group combines the differences of one class in one place of one kind of message.
// Array indexes are replaced by * in the pointer.
type Group struct {
	Class   Class         `json:"class"`
	Counts  bool          `json:"counts"`
	Method  string        `json:"method"`
	Subject string        `json:"subject,omitempty"`
	From    string        `json:"from"`
	Pointer match.Pointer `json:"pointer"`
	Change  Change        `json:"change"`
	Count   int           `json:"count"`
	Example Difference    `json:"example"`
	others  []Difference  // further ones, the first maxOthers
}

// Masked counts values that differ but have the same type on both sides.
type Masked struct {
	Type      string        `json:"type"`            // as match.Type spells it, "text" for parts of a text, "redacted", or "carried" for values that clients only send back
	Guess     bool          `json:"guess,omitempty"` // the type is a guess from a name or a number: the values may mean something else
	Method    string        `json:"method"`
	Subject   string        `json:"subject,omitempty"`
	Pointer   match.Pointer `json:"pointer"`
	Count     int           `json:"count"`
	Arguments string        `json:"arguments,omitempty"` // of the first call with a guess
	Text      *TextPlace    `json:"text,omitempty"`      // as in a Difference
	A         string        `json:"a"`                   // the first one
	B         string        `json:"b"`
}

// Ignored counts the differing values that a rule ignores.
type Ignored struct {
	Rule  string `json:"rule"`
	Count int    `json:"count"`
}

// Timing compares the response times of a method, or of one of its tools or prompts. A handshake after a probe is not
// compared with one that was the first request, because its time does not include the
// server's start.
type Timing struct {
	Method  string  `json:"method"`
	Subject string  `json:"subject,omitempty"` // "" for all of the method, before its subjects; the slowest of B first
	From    string  `json:"from"`
	A       Times   `json:"a"`
	B       Times   `json:"b"`
	P50     float64 `json:"p50_ratio"` // of B to A; 0 if there is none
	P95     float64 `json:"p95_ratio"`
}

// Times are response times in microseconds.
type Times struct {
	Count int   `json:"count"`
	P50   int64 `json:"p50_us"`
	P95   int64 `json:"p95_us"`
}

// A Call counts the requests of a method and subject.
type Call struct {
	Method   string `json:"method"`
	Subject  string `json:"subject,omitempty"`
	From     string `json:"from"`
	Compared int    `json:"compared"`            // pairs; all pages of a list are one
	Differ   int    `json:"differ"`              // pairs and single exchanges with a difference that counts, other than time
	Took     int64  `json:"took_us"`             // total time in the second session
	Person   int64  `json:"person_us,omitempty"` // of that, what the server waited for its client
}

const (
	maxDifferences = 1000
	maxGroups      = 2000
	maxMasked      = 1000
	maxOthers      = 4
	maxValue       = 200
)

type groupKey struct {
	class           Class
	method, subject string
	from            string
	pointer         match.Pointer
	change          Change
}

// general returns a pointer with * for array indexes.
func general(path []string) match.Pointer {
	tokens := make([]string, len(path))
	for i, t := range path {
		tokens[i] = t
		if isIndex(t) && i > 0 {
			tokens[i] = "*"
		}
	}
	return match.PointerTo(tokens...)
}

func isIndex(t string) bool {
	for _, c := range t {
		if c < '0' || c > '9' {
			return false
		}
	}
	return t != "" && len(t) < 10
}
