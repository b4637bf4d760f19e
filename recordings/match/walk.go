package match

import (
	"bytes"
	"context"
	"math"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/mcp"
)

// A Ref identifies one message of a session.
type Ref struct {
	Row    int    // of the session.Source; for a split message that of its last write
	First  int    // where it begins; differs from Row if several writes made up the message
	Member int    // index in the entry, from 0, for a batch or a write of several lines
	N      uint64 // number of the entry
	Seq    uint64 // of the event; 0 for client messages
	T      int64  // microseconds since the recording's start
}

// A Place identifies a message of a session by its row and its index in the entry.
type Place struct{ Row, Member int }

// Place returns the place of the message.
func (r Ref) Place() Place { return Place{r.Row, r.Member} }

// An ItemKind is the kind of an Item.
type ItemKind uint8

// The kinds of item.
const (
	ItemRequest      ItemKind = iota // of either side
	ItemResponse                     // a response; see Item.State for unmatched ones and duplicates
	ItemNotification                 // of either side
	ItemStart                        // a process was started
	ItemEnd                          // it closed, or the connection was lost
	ItemStray                        // a line of stdout that is not a message
)

// An Item is one step of a session.
type Item struct {
	Kind       ItemKind
	At         Ref
	Run        int     // which process, from 1; 0 before the first
	Era        mcp.Era // of the message; Auto if unknown
	FromClient bool
	Method     string // for a response that of its request
	Msg        Message
	State      session.ReqState // for a request its final state, ReqNone if unknown; for a response ReqUnmatched or ReqDuplicate
	Handshake  bool             // part of the handshake; a response is if its request is
	Probe      bool             // a server/discover that was followed by initialize

	// Of is the request that the item belongs to, if any (HasOf). A response
	// belongs to its request, progress to that with its token, and a notification of
	// a subscription to that which began it.
	Of    Ref
	HasOf bool
}

// A Message is the bytes of one message and where its parts are.
type Message = session.Message

const (
	// maxMethods is the most method names that are kept.
	maxMethods = 1 << 12
	// maxSettled is how many requests without further responses are kept.
	maxSettled = 1 << 12
)

// Walk calls visit for each item of a session in the order of its log, up to the
// current end of src. The item is valid until visit returns. The walk stops at an
// error of visit, at the end of ctx, or at an entry that can't be read.
//
// Memory is proportional to the number of requests without a response, plus the largest
// entry. Each entry of stdin and stdout is read once.
func Walk(ctx context.Context, src session.Source, visit func(*Item) error) error {
	w := walker{
		src: src, cursor: session.NewCursor(src), follow: exchange.NewFollower(src), visit: visit,
		methods: map[string]string{}, requests: map[exchange.Place]request{},
	}
	w.members, _ = src.(session.ElementReader)
	for w.cursor.Next() {
		number, row := w.cursor.Row()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := w.row(number, row); err != nil {
			return err
		}
	}
	return nil
}

// A walker iterates over the rows of a session.
type walker struct {
	src      session.Source
	cursor   *session.Cursor
	follow   *exchange.Follower
	members  session.ElementReader // nil: the log does not know them
	visit    func(*Item) error
	item     Item // passed to visit
	run      int
	methods  map[string]string // the names seen so far
	era      mcp.Era
	requests map[exchange.Place]request // without a response, and the latest settled ones
	settled  []exchange.Place           // ring of the keys of these
	oldest   int                        // in settled
	states   map[int]session.ReqState   // of the requests in the current row, if it has several messages
	known    bool                       // states has all of them
}

// A request is a request seen by a walker.
type request struct {
	at        Ref
	method    string
	era       mcp.Era
	handshake bool
	probe     bool
}

func (w *walker) row(number int, row *session.Row) error {
	steps, err := w.follow.Add(w.cursor)
	if err != nil {
		return err
	}
	switch row.Kind {
	case session.KindStart:
		w.forget()
		w.era = mcp.Auto
		w.run++
		return w.event(ItemStart)
	case session.KindClosed, session.KindFailed:
		w.forget()
		if len(steps) > 0 {
			return w.event(ItemEnd)
		}
	case session.KindState:
		return w.state()
	case session.KindStdin, session.KindStdout:
		err := w.stream(number, row, steps)
		for _, x := range w.follow.Lost() {
			w.settle(x.Request)
		}
		return err
	}
	return nil
}

// at returns the current row as that of a message.
func (w *walker) at(e *session.Entry) Ref {
	number, _ := w.cursor.Row()
	return Ref{Row: number, First: number, N: e.N, Seq: e.Seq, T: e.T}
}

// event visits an item that is not a message.
func (w *walker) event(kind ItemKind) error {
	e, err := w.cursor.Entry()
	if err != nil {
		return err
	}
	return w.visit(&Item{Kind: kind, At: w.at(e), Run: w.run, Era: w.era})
}

// state handles the era that a handshake found.
func (w *walker) state() error {
	e, err := w.cursor.Entry()
	if err != nil {
		return err
	}
	var b session.StateBody
	if e.DecodeBody(&b) == nil && b.Of == 0 && b.Era != "" {
		w.era, _ = mcp.ParseEra(b.Era)
	}
	return nil
}

// stream handles an entry of stdin or stdout.
func (w *walker) stream(number int, row *session.Row, steps []exchange.Step) error {
	e, err := w.cursor.Entry()
	if err != nil {
		return err
	}
	at := w.at(e)
	if row.Kind == session.KindStdout && row.Flags&session.FlagPart != 0 {
		return w.visit(&Item{Kind: ItemStray, At: at, Run: w.run, Era: w.era, Msg: Message{Line: e.Payload}})
	}
	if w.states = nil; row.Flags&session.FlagBatch != 0 {
		w.readStates(number)
	}
	for i, m := range w.cursor.Messages() {
		var step exchange.Step
		if i < len(steps) {
			step = steps[i]
		}
		at.First, at.Member = m.First, m.Member
		if err := w.message(at, exchange.Place{Row: uint32(number), Member: uint16(min(i, math.MaxUint16))}, row, m, step); err != nil {
			return err
		}
	}
	return nil
}

// readStates reads how the requests of a row with several messages ended.
func (w *walker) readStates(number int) {
	w.states, w.known = map[int]session.ReqState{}, false
	if w.members == nil {
		return
	}
	w.known = w.members.ElementPairs(math.MaxInt, number, func(p session.ElementPair) bool {
		at := p.Request.Index
		if before, known := w.states[at]; p.Request.Row == number && p.State != session.ReqDuplicate && (!known || before == session.ReqLost) {
			w.states[at] = p.State
		}
		return true
	})
}

func (w *walker) message(at Ref, place exchange.Place, row *session.Row, m Message, step exchange.Step) error {
	it := &w.item
	*it = Item{At: at, Run: w.run, Era: w.era, FromClient: row.Kind == session.KindStdin, Msg: m}
	switch m.Kind {
	case framing.Request:
		w.request(it, place, row, step)
	case framing.Notification:
		it.Kind, it.Method = ItemNotification, w.method(it.Msg)
		it.Handshake = it.FromClient && it.Method == mcp.MethodInitialized
		w.belongs(it, step)
	case framing.Response, framing.ErrorResponse:
		w.response(it, step)
	default:
		if it.FromClient {
			return nil
		}
		it.Kind = ItemStray
	}
	return w.visit(it)
}

func (w *walker) request(it *Item, place exchange.Place, row *session.Row, step exchange.Step) {
	it.Kind, it.Method, it.State = ItemRequest, w.method(it.Msg), row.State
	if w.states != nil {
		it.State = w.states[int(place.Member)]
		if it.State == session.ReqNone && w.known && place.Member < session.MaxPaired {
			it.State = session.ReqLost
			if row.State == session.ReqPending {
				it.State = session.ReqPending
			}
		}
	}
	if it.FromClient {
		w.eraOf(it)
	}
	if step.X == nil {
		return // beyond the limit of those that are known
	}
	it.Handshake, it.Probe = step.X.Handshake, step.X.Probe
	w.requests[place] = request{at: it.At, method: it.Method, era: it.Era, handshake: it.Handshake, probe: it.Probe}
}

// eraOf determines the era of a client request from its bytes.
func (w *walker) eraOf(it *Item) {
	switch {
	case it.Method == mcp.MethodInitialize:
		w.era = mcp.Legacy
	case bytes.Contains(it.Msg.RawParams(), []byte(mcp.MetaProtocolVersion)):
		if it.Era = mcp.Modern; w.era == mcp.Auto && it.Method != mcp.MethodDiscover {
			w.era = mcp.Modern
		}
		return
	}
	it.Era = w.era
}

func (w *walker) response(it *Item, step exchange.Step) {
	it.Kind = ItemResponse
	switch step.Kind {
	case exchange.Answers:
	case exchange.Duplicate:
		it.State = session.ReqDuplicate
	default:
		it.State = session.ReqUnmatched
		return
	}
	if q, ok := w.belongs(it, step); ok {
		it.Method, it.Handshake, it.Probe = q.method, q.handshake, q.probe
	}
	if step.X != nil {
		w.settle(step.Of)
	}
}

func (w *walker) forget() {
	clear(w.requests)
	w.settled, w.oldest = w.settled[:0], 0
}

// settle takes in that a request has a response, or gets none any more, and forgets the
// oldest of many such requests.
func (w *walker) settle(at exchange.Place) {
	if len(w.settled) < maxSettled {
		w.settled = append(w.settled, at)
		return
	}
	delete(w.requests, w.settled[w.oldest])
	w.settled[w.oldest] = at
	w.oldest = (w.oldest + 1) % maxSettled
}

// belongs sets the request that an item belongs to.
func (w *walker) belongs(it *Item, step exchange.Step) (q request, ok bool) {
	if !step.Known {
		return request{}, false
	}
	if q, ok = w.requests[step.Of]; !ok {
		q, ok = w.read(step.Of)
	}
	if ok {
		it.Of, it.HasOf, it.Era = q.at, true, q.era
	}
	return q, ok
}

// read reads a request that is not in requests.
func (w *walker) read(of exchange.Place) (q request, ok bool) {
	row, ok := session.RowAt(w.src, int(of.Row))
	if !ok {
		return request{}, false
	}
	e, err := w.src.Entry(row, 1)
	if err != nil {
		return request{}, false
	}
	q = request{
		at:     Ref{Row: int(of.Row), First: int(of.Row), Member: int(of.Member), N: e.N, Seq: e.Seq, T: e.T},
		method: w.src.Method(row.Method), era: w.era, probe: row.Flags&session.FlagProbe != 0,
	}
	return q, true
}

// method returns the method as Source.Method spells it. All messages of a method share
// one string.
func (w *walker) method(m Message) string {
	name := m.Method.Of(m.Line)
	known, ok := w.methods[string(name)]
	if !ok {
		known = string(name)
		if len(w.methods) < maxMethods {
			w.methods[known] = known
		}
	}
	return known
}
