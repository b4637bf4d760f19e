package replay

import (
	"context"
	"encoding/json"
	"time"

	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A Kind is the kind of an item.
type Kind uint8

// The kinds of items.
const (
	Request      Kind = iota
	Notification      // of the client
	Raw               // bytes that are not exactly one valid message: sent unchanged, ids included
)

// String returns the kind as reports spell it.
func (k Kind) String() string { return [...]string{"request", "notification", "raw"}[k] }

// An Item is a message, or raw bytes, that the client sent.
type Item struct {
	N      uint64 // number of its entry
	T      int64  // microseconds since the recording's start
	Kind   Kind
	Method string // "" for Raw, unless it contains a request
	Tool   string // the tool of a tools/call
	// Rounds are the entries of the request's further rounds, which carried the input
	// that the previous responses asked for; of a task the last one is its last poll.
	Rounds   []uint64
	Answered bool          // in the recording, for the last round
	Took     time.Duration // until then
	// Skip is why the item is not sent, "" if it is. If Unsure is set, the server's
	// tool list decides when the plan runs.
	Skip   string
	Unsure bool
	// NeededBy is the entry of the item that depends on this one, which Plan.Choose
	// added for it; 0 if it did not.
	NeededBy uint64

	row, response int           // answer is 0 if there is none
	at            time.Duration // since the first item, in mode Timed
	cancels       int           // the item cancelled by a notifications/cancelled, plus one
	reports       int           // the server request of a notifications/progress, plus one
	progress      bool
	polled        bool     // it became a task, which was polled
	bare          bool     // of the modern era, but without its _meta
	awaited       bool     // a response could come even if the recording has none
	tools         []string // the tools that a Raw item calls
	uses          []use
	key           uint64 // hash of the match key, for Options.Latest
	uri           uint64 // hash of the resource that it reads or subscribes to; 0 if none
	ungated       string // Skip, before gate
	named         bool   // a person named it: see Plan.Choose
}

// A serverRequest has the response that it got.
type serverRequest struct {
	n        uint64
	key      []byte
	response json.RawMessage // a result, or an object with the single member error; nil if there is none
	took     time.Duration
	row      int   // of the response; 0 if it came in a further round
	during   []int // the items that were in flight
	token    []byte
}

// A Plan lists the items to send, in order. Running it does not change it; it can be run
// several times, each time with its own session.
type Plan struct {
	src            session.Source
	opts           Options
	run, runs      int
	first          int
	end            int // first row of the next process
	client         match.Client
	items          []Item
	leftOut        []uint64 // pings, and handshakes after the first, which are not items
	responses      []int    // items with a response, in the order of the responses
	serverRequests []serverRequest
	variables      []variable
	given          map[int][]int       // variables by the item whose response contains them
	tools          map[string]bool     // whether tools are read-only, from the recorded lists
	byRow          map[int]int         // items by row, including the rows of further rounds
	others         map[int][]int       // items by further rows that belong to them: see AppendItems
	handshake      []uint64            // entries of the handshake's requests
	partial        bool                // see Choose
	walks          map[string][]uint64 // with Options.Lists: the entries of the last request of each list, by method
}

// New reads a recording and plans to re-send its client's messages. It reads the
// recording once, or three times if requests may carry values from responses. Memory
// is proportional to the number of messages sent, not to their size. src must not
// change while the plan is in use. The error is about invalid options, a read error,
// or that of ctx.
func New(ctx context.Context, src session.Source, opts Options) (*Plan, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	p := &Plan{src: src, opts: opts, tools: map[string]bool{}, given: map[int][]int{}, others: map[int][]int{}, walks: map[string][]uint64{}}
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
	p.byRow = r.byRow
	for i := range p.items {
		p.items[i].ungated = p.items[i].Skip
		p.gate(&p.items[i])
	}
	p.clock()
	return p, nil
}

// Items returns the planned items. They must not be changed.
func (p *Plan) Items() []Item { return p.items }

// Process returns the process of the recording that is replayed, and how many there
// are. Both count from 1; 0 means no process.
func (p *Plan) Process() (run, of int) { return p.run, p.runs }

// Client returns the client of the recording.
func (p *Plan) Client() match.Client { return p.client }

// ServerRequests returns the number of server requests with a recorded response.
func (p *Plan) ServerRequests() int {
	n := 0
	for _, q := range p.serverRequests {
		if q.response != nil {
			n++
		}
	}
	return n
}

// Bytes reads the recorded bytes of an item: about limit bytes, or all if limit is 0.
func (p *Plan) Bytes(item int, limit int) ([]byte, error) {
	e, err := p.entry(item, limit)
	return e.Payload, err
}

func (p *Plan) entry(item, limit int) (session.Entry, error) {
	row, _ := session.RowAt(p.src, p.items[item].row)
	return p.src.Entry(row, limit)
}

// Configure makes a session act as the recorded client: in its era and revision if
// the server supports them (and no other was set), with its name and declared
// capabilities unless Config.Capabilities is set. Server requests are left to Run,
// except those covered by Config.Answers or Policies.
func (p *Plan) Configure(cfg *session.Config) {
	if cfg.Era == mcp.Auto && cfg.Protocol == "" {
		cfg.Prefer, cfg.Protocol = p.client.Era, p.client.Protocol
	}
	if p.client.Name != "" {
		cfg.ClientName, cfg.ClientVersion = p.client.Name, p.client.Version
	}
	if cfg.Capabilities == nil {
		cfg.Capabilities = p.client.Capabilities
	}
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

func (p *Plan) asked() map[string]bool {
	methods := map[string]bool{mcp.MethodElicit: true, mcp.MethodSample: true, mcp.MethodRoots: true}
	for _, q := range p.serverRequests {
		method, _, _ := cutKey(q.key)
		methods[method] = true
	}
	return methods
}

// clock computes when each item is due in mode Timed.
func (p *Plan) clock() {
	speed := p.opts.Speed
	if speed == 0 {
		speed = 1
	}
	var due time.Duration
	last := -1
	for i := range p.items {
		if !p.items[i].Chosen() {
			continue
		}
		gap := time.Duration(0)
		if last >= 0 {
			gap = time.Duration(p.items[i].T-p.items[last].T) * time.Microsecond
		}
		last = i
		if p.opts.IdleCap > 0 {
			gap = min(gap, p.opts.IdleCap)
		}
		due += time.Duration(float64(gap) / speed)
		p.items[i].at = due
	}
}
