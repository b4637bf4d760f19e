package compare

import (
	"time"

	"mcpdbg/recordings/match"
)

// A Class is a kind of difference.
type Class string

// The classes.
const (
	ClassOutcome  Class = "outcome"  // another end: a result, an error, or no answer at all
	ClassResult   Class = "result"   // a value in a result
	ClassError    Class = "error"    // a value in an error
	ClassParams   Class = "params"   // what was asked
	ClassMissing  Class = "missing"  // an exchange that only the first session has
	ClassExtra    Class = "extra"    // an exchange that only the second session has
	ClassProgress Class = "progress" // what was told of progress
	// ClassDuplicate is another number of answers to one request.
	ClassDuplicate Class = "duplicate"
	// ClassTime is a response that took too long: see Options.MaxTime and
	// Options.MaxSlowdown. Without them there is none.
	ClassTime     Class = "time"
	ClassEra      Class = "era"      // another era of the protocol
	ClassNotes    Class = "notes"    // how many notifications of a kind, and stray lines; never fails, unless asked for
	ClassOrder    Class = "order"    // of the items of a list; never fails
	ClassEnvelope Class = "envelope" // versions, and what caches are told; never fails, unless asked for
)

// A Change says what became of a value from the first session to the second.
type Change string

// The changes.
const (
	Added   Change = "added"
	Removed Change = "removed"
	Changed Change = "changed"
	Schema  Change = "schema" // a schema of a tool
)

// A Report is what two sessions differ in. Its JSON is what mcpdbg diff --json
// prints; members are added to it and never changed.
type Report struct {
	A           Session      `json:"a"`
	B           Session      `json:"b"`
	Differs     bool         `json:"differs"`  // in something that counts
	Compared    int          `json:"compared"` // pairs of exchanges
	Equal       int          `json:"equal"`
	First       *Difference  `json:"first,omitempty"` // in the order of the first session
	Groups      []Group      `json:"groups"`          // those that count before those that do not
	Differences []Difference `json:"differences"`     // the first 1,000
	More        int          `json:"more_differences,omitempty"`
	MoreGroups  int          `json:"more_groups,omitempty"` // differences beyond 2,000 groups
	Masked      []Masked     `json:"masked"`
	MoreMasked  int          `json:"more_masked,omitempty"` // values beyond 1,000 places
	Ignored     []Ignored    `json:"ignored"`
	Timing      []Timing     `json:"timing"`
	TimesCount  bool         `json:"times_count,omitempty"` // there were limits for them
	Calls       []Call       `json:"calls"`                 // what was compared, by what was asked
}

// A Session is one side.
type Session struct {
	ID        string   `json:"id"`
	Argv      []string `json:"argv"`
	Entries   int      `json:"entries"`
	Runs      int      `json:"runs"`
	Exchanges int      `json:"exchanges"`
	Servers   []string `json:"servers,omitempty"` // names and versions that handshakes told

	start time.Time
}

// A Difference is one place where the sessions differ.
type Difference struct {
	Class   Class  `json:"class"`
	Counts  bool   `json:"counts"` // the sessions differ because of it
	Method  string `json:"method"`
	Subject string `json:"subject,omitempty"` // the tool, prompt or resource
	From    string `json:"from"`              // who sent the request: client or server
	// Pointer goes into the message, as match.Pointer says: items of lists stand
	// under their names. Differences that are about no value have the pointer
	// "/CLASS", which rules can name too.
	Pointer match.Pointer `json:"pointer"`
	Change  Change        `json:"change"`
	A       *Side         `json:"a,omitempty"`
	B       *Side         `json:"b,omitempty"`
	Detail  []string      `json:"detail,omitempty"` // lines of a diff, or what changed in a schema
	order   int
	more    func() []string // makes Detail, if somebody sees it
}

// A Side is where a difference stands in one session: the answer, or the
// request if there is no answer.
type Side struct {
	Run     int    `json:"run"`
	Process string `json:"process,omitempty"`
	N       uint64 `json:"n"`
	Seq     uint64 `json:"seq,omitempty"`
	T       int64  `json:"t_us"`
	Request uint64 `json:"request_n,omitempty"` // entry of the request
	Row     int    `json:"-"`
	Value   string `json:"value,omitempty"` // JSON text, cut if it is long
}

// A Group are the differences of one class in one place of one kind of message.
// Numbers of elements do not tell groups apart: they are * in the pointer.
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
}

// Masked counts values that differ and are of one type on both sides.
type Masked struct {
	Type    string        `json:"type"` // as match.Type spells it, "text" for parts of a text, "redacted", or "carried" for what clients only send back
	Method  string        `json:"method"`
	Subject string        `json:"subject,omitempty"`
	Pointer match.Pointer `json:"pointer"`
	Count   int           `json:"count"`
	A       string        `json:"a"` // the first one
	B       string        `json:"b"`
}

// Ignored counts the values that differ where a rule says that it does not
// matter.
type Ignored struct {
	Rule  string `json:"rule"`
	Count int    `json:"count"`
}

// Timing compares how long the answers of a method took. A handshake behind a
// probe is not compared with one that was the first request: its time does not
// hold the server's start.
type Timing struct {
	Method string  `json:"method"`
	From   string  `json:"from"`
	A      Times   `json:"a"`
	B      Times   `json:"b"`
	P50    float64 `json:"p50_ratio"` // of B to A; 0 if there is none
	P95    float64 `json:"p95_ratio"`
}

// Times are microseconds.
type Times struct {
	Count int   `json:"count"`
	P50   int64 `json:"p50_us"`
	P95   int64 `json:"p95_us"`
}

// A Call counts what was asked of a server (or by it) in one way.
type Call struct {
	Method   string `json:"method"`
	Subject  string `json:"subject,omitempty"`
	From     string `json:"from"`
	Compared int    `json:"compared"` // pairs; those of lists are all pages of one walk
	Differ   int    `json:"differ"`   // pairs and single exchanges with a difference that counts
	Took     int64  `json:"took_us"`  // in the second session, all together
}

const (
	maxDifferences = 1000
	maxGroups      = 2000
	maxMasked      = 1000
	maxValue       = 200 // bytes of a value that are shown
)

type groupKey struct {
	class           Class
	method, subject string
	from            string
	pointer         match.Pointer
	change          Change
}

// general is a pointer with * for the numbers of elements.
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
