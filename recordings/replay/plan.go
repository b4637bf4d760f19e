package replay

import (
	"context"
	"encoding/json"
	"time"

	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A Kind says what an item is.
type Kind uint8

// The kinds of item.
const (
	Request      Kind = iota
	Notification      // of the client
	Raw               // bytes that are not exactly one good message: sent as they are, ids included
)

// String returns the kind as reports spell it.
func (k Kind) String() string { return [...]string{"request", "notification", "raw"}[k] }

// An Item is one thing that the client sent.
type Item struct {
	N      uint64 // number of its entry
	T      int64  // microseconds since the recording's start
	Kind   Kind
	Method string // "" of what is Raw, unless there is one request in it
	Tool   string // that a tools/call calls
	// Rounds are the entries of the request's further rounds: those that gave the
	// input which the answers before them asked for.
	Rounds   []uint64
	Answered bool          // in the recording, in the last round
	Took     time.Duration // till then
	// Skip is why it is not sent, "" if it is. With Unsure the server's list of
	// tools decides when the plan runs.
	Skip   string
	Unsure bool

	row, answer int           // rows; answer is 0 without one
	at          time.Duration // since the first item, in the mode Timed
	cancels     int           // the item that a notifications/cancelled is about, plus one
	reports     int           // the question that a notifications/progress is about, plus one
	progress    bool          // it asked to be told of progress
	bare        bool          // of the modern era, and without its _meta
	awaited     bool          // without an answer in the recording, one could have come
	tools       []string      // of a Raw item: what it calls
	uses        []use         // of variables
	key         uint64        // hash of what it asks, for Options.Latest
}

// A question is what the server asked of its client, with the answer it got.
type question struct {
	n      uint64
	key    []byte
	answer json.RawMessage // a result, or an object with the one member error; nil if it got none
	took   time.Duration
	row    int    // of the answer; 0 if a further round gave it
	during []int  // the items that were under way
	token  []byte // its progress token
}

// A Client is who spoke in a recording.
type Client struct {
	Name, Version string
	Era           mcp.Era
	Protocol      string          // revision that it asked for
	Capabilities  json.RawMessage // that it declared; nil if not known
}

// A Plan is what is sent, in its order. It is not changed by being run, and may
// be run several times, each with a session of its own.
type Plan struct {
	src       session.Source
	opts      Options
	run, runs int
	first     int // row at which the process begins
	end       int // row at which the next one does
	client    Client
	items     []Item
	leftOut   []uint64 // pings, and handshakes behind the first: no items
	answers   []int    // items with an answer, in the order of the answers
	questions []question
	variables []variable
	given     map[int][]int       // variables by the item whose answer gives them
	tools     map[string]bool     // what the recorded lists say of tools: read-only or not
	walks     map[string][]uint64 // with Options.Lists: the entries of the last walk over each list, by method
}

// New reads a recording and plans to send what its client sent. It reads the
// whole of it, three times if answers may have given what later requests carry;
// memory is proportional to the number of messages sent, not to their
// size. src must not change until the plan is done with. The error is about
// options, about what can't be read, or ctx's.
func New(ctx context.Context, src session.Source, opts Options) (*Plan, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	p := &Plan{src: src, opts: opts, tools: map[string]bool{}, given: map[int][]int{}, walks: map[string][]uint64{}}
	r := newReader(p)
	if err := r.scan(ctx); err != nil {
		return nil, err
	}
	if err := match.Walk(ctx, src, r.item); err != nil {
		return nil, err
	}
	if err := r.finish(ctx); err != nil {
		return nil, err
	}
	p.latest()
	for i := range p.items {
		p.gate(&p.items[i])
	}
	p.clock()
	return p, nil
}

// Items returns what is planned. It must not be changed.
func (p *Plan) Items() []Item { return p.items }

// Process returns which process of the recording the plan is about, and how
// many there are. Both count from 1; 0 is none.
func (p *Plan) Process() (run, of int) { return p.run, p.runs }

// Client returns who spoke in the recording.
func (p *Plan) Client() Client { return p.client }

// Questions is how many answers there are to what the server asks.
func (p *Plan) Questions() int {
	n := 0
	for _, q := range p.questions {
		if q.answer != nil {
			n++
		}
	}
	return n
}

// Bytes reads what an item wrote when it was recorded, at most about limit
// bytes of it, 0 for all.
func (p *Plan) Bytes(item int, limit int) ([]byte, error) {
	e, err := p.entry(item, limit)
	return e.Payload, err
}

func (p *Plan) entry(item, limit int) (session.Entry, error) {
	var row [1]session.Row
	p.src.Rows(p.items[item].row, row[:])
	return p.src.Entry(row[0], limit)
}

// Configure lets a session speak as the recorded client: in its era and
// revision if the server can (and no other was asked for), with its name and
// the capabilities that it declared. What the server asks is left to Run, but
// for what Config.Answers or Policies say already.
func (p *Plan) Configure(cfg *session.Config) {
	if cfg.Era == mcp.Auto && cfg.Protocol == "" {
		cfg.Prefer, cfg.Protocol = p.client.Era, p.client.Protocol
	}
	if p.client.Name != "" {
		cfg.ClientName, cfg.ClientVersion = p.client.Name, p.client.Version
	}
	cfg.Capabilities = p.client.Capabilities
	policies := map[string]session.Policy{}
	for method := range p.asked() {
		if _, given := cfg.Answers[method]; !given {
			policies[method] = session.Policy{Mode: session.PolicyAsk}
		}
	}
	for method, policy := range cfg.Policies {
		policies[method] = policy
	}
	cfg.Policies = policies
}

// asked are the methods that Run answers.
func (p *Plan) asked() map[string]bool {
	methods := map[string]bool{mcp.MethodElicit: true, mcp.MethodSample: true, mcp.MethodRoots: true}
	for _, q := range p.questions {
		method, _, _ := cutKey(q.key)
		methods[method] = true
	}
	return methods
}

// clock finds when each item is due in the mode Timed.
func (p *Plan) clock() {
	speed := p.opts.Speed
	if speed == 0 {
		speed = 1
	}
	var due time.Duration
	for i := 1; i < len(p.items); i++ {
		gap := time.Duration(p.items[i].T-p.items[i-1].T) * time.Microsecond
		if p.opts.IdleCap > 0 {
			gap = min(gap, p.opts.IdleCap)
		}
		due += time.Duration(float64(gap) / speed)
		p.items[i].at = due
	}
}
