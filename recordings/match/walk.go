package match

import (
	"bytes"
	"context"

	"mcpdbg/framing"
	"mcpdbg/session"
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

// An ItemKind is the kind of an Item.
type ItemKind uint8

// The kinds of item.
const (
	ItemRequest      ItemKind = iota // of either side
	ItemResponse                     // a response; see Item.State for orphans and duplicates
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
	State      session.ReqState // for a request its final state, for a response ReqOrphan or ReqDuplicate
	Handshake  bool             // part of the handshake; a response is if its request is
	Probe      bool             // a server/discover that was followed by initialize

	// Of is the request that the item belongs to, if any (HasOf). A response
	// belongs to its request; progress is matched by token and subscription
	// messages by id; other notifications of the server belong to the latest
	// pending request, because they come between it and its response.
	Of    Ref
	HasOf bool
}

// A Message is the bytes of one message and where its parts are.
type Message struct {
	Line []byte
	framing.Message
}

// RawParams returns the raw params, nil if there are none.
func (m Message) RawParams() []byte { return m.Params.Of(m.Line) }

// RawResult returns the raw result, nil if there is none.
func (m Message) RawResult() []byte { return m.Result.Of(m.Line) }

// RawError returns the raw error object, nil if there is none.
func (m Message) RawError() []byte { return m.Error.Of(m.Line) }

// RawID returns the raw id, quotes included, nil if there is none.
func (m Message) RawID() []byte { return m.ID.Of(m.Line) }

const (
	// maxOpen is the most pending requests in one direction; further ones do not
	// get a response.
	maxOpen = 1 << 16
	// maxSettled is how many settled ids are kept, to distinguish duplicate
	// responses from those without a request.
	maxSettled = 1 << 12
	// maxSplit is the most bytes of a message that several writes made up.
	maxSplit = 1 << 20
	// maxMethods is the most method names that are kept.
	maxMethods = 1 << 12
	// keepBuffer is the largest buffer that is kept for the next entry.
	keepBuffer = 4 << 20
)

// Walk calls visit for each item of a session in the order of its log, up to the
// current end of src. The item is valid until visit returns. The walk stops at an
// error of visit, at the end of ctx, or at an entry that can't be read.
//
// Memory is proportional to the number of pending requests, plus the largest entry.
// Each entry of stdin and stdout is read once.
func Walk(ctx context.Context, src session.Source, visit func(*Item) error) error {
	w := walker{src: src, visit: visit, buf: make([]byte, 64<<10), methods: map[string]string{}}
	w.forget()
	for number, row := range session.RowsFrom(src, 0) {
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
	src   session.Source
	visit func(*Item) error
	buf   []byte
	item  Item // passed to visit
	run   int
	// methods are the names seen so far.
	methods map[string]string
	process
}

// process is the state of one run.
type process struct {
	era       mcp.Era
	began     bool // a request after the handshake was sent
	ended     bool
	open      [2]requests // the client's, the server's
	split     []byte      // the incomplete line of stdin
	inSplit   bool
	splitAt   int // row where it begins
	preceding int // messages of that row before it
}

// forget resets the state for a new run.
func (w *walker) forget() {
	w.process = process{}
	for i := range w.open {
		w.open[i] = newRequests()
	}
}

func (w *walker) row(number int, row session.Row) error {
	switch row.Kind {
	case session.KindStart:
		w.forget()
		w.run++
		return w.event(ItemStart, number, row)
	case session.KindClosed, session.KindFailed:
		if w.ended {
			return nil
		}
		w.ended = true
		return w.event(ItemEnd, number, row)
	case session.KindState:
		return w.state(row)
	case session.KindStdin, session.KindStdout:
		return w.stream(number, row)
	}
	return nil
}

// event visits an item that is not a message.
func (w *walker) event(kind ItemKind, number int, row session.Row) error {
	e, err := w.read(row)
	if err != nil {
		return err
	}
	return w.visit(&Item{Kind: kind, At: Ref{Row: number, First: number, N: e.N, Seq: e.Seq, T: e.T}, Run: w.run, Era: w.era})
}

func (w *walker) read(row session.Row) (session.Entry, error) {
	if need := int(row.Len); need > cap(w.buf) && need <= keepBuffer {
		w.buf = make([]byte, min(2*need, keepBuffer))
	}
	return session.EntryInto(w.src, row, 0, w.buf)
}

// state handles the era that a handshake found, or a timed-out request.
func (w *walker) state(row session.Row) error {
	e, err := w.read(row)
	if err != nil {
		return err
	}
	var b session.StateBody
	switch {
	case e.DecodeBody(&b) != nil:
	case b.Of != 0:
		w.open[side(true)].giveUp(string(b.ID))
	case b.Era != "":
		w.era, _ = mcp.ParseEra(b.Era)
	}
	return nil
}

// stream handles an entry of stdin or stdout.
func (w *walker) stream(number int, row session.Row) error {
	e, err := w.read(row)
	if err != nil {
		return err
	}
	at := Ref{Row: number, First: number, N: e.N, Seq: e.Seq, T: e.T}
	if row.State == session.ReqUnread { // the index knows the id
		request, _ := row.Partner()
		w.open[side(true)].settleRow(request)
	}
	if row.Kind == session.KindStdout && row.Flags&session.FlagPart != 0 {
		return w.visit(&Item{Kind: ItemStray, At: at, Run: w.run, Era: w.era, Msg: Message{Line: e.Payload}})
	}
	if row.Kind == session.KindStdin && (w.inSplit || e.EOL == framing.NoEOL) {
		return w.splitWrite(at, row, &e)
	}
	return messages(e.Payload, e.Msg, row.Kind == session.KindStdin, func(member int, m Message) error {
		at.Member = member
		return w.message(at, row, m)
	})
}

// splitWrite handles a write that continues a line or leaves one incomplete.
func (w *walker) splitWrite(at Ref, row session.Row, e *session.Entry) error {
	if !w.inSplit {
		w.splitAt, w.preceding, w.inSplit = at.Row, 0, true
	}
	if len(w.split)+len(e.Payload) > maxSplit {
		w.split, w.splitAt, w.preceding = nil, at.Row, 0 // too long to reassemble: its end is not a message
	}
	written := e.Payload
	if e.EOL != framing.NoEOL {
		written = append(written[:len(written):len(written)], '\n')
	}
	end := bytes.LastIndexByte(written, '\n')
	if end >= 0 {
		end += len(w.split) // which has no newline
	}
	w.split = append(w.split, written...)
	if end < 0 {
		return nil
	}
	at.First = w.splitAt
	err := messages(w.split[:end], framing.Message{}, true, func(member int, m Message) error {
		at.Member = w.preceding + member
		return w.message(at, row, m)
	})
	if err != nil {
		return err
	}
	w.split = append(w.split[:0], w.split[end+1:]...)
	w.inSplit, w.splitAt, w.preceding = len(w.split) > 0, at.Row, 0
	if w.inSplit {
		before := written[:bytes.LastIndexByte(written, '\n')]
		return messages(before, framing.Message{}, true, func(int, Message) error {
			w.preceding++
			return nil
		})
	}
	return nil
}

// messages calls visit for the messages of a payload. known is its scanned form if it
// is one line.
func messages(payload []byte, known framing.Message, lines bool, visit func(member int, m Message) error) error {
	member := 0
	one := func(line []byte, m framing.Message) error {
		if m.Kind != framing.Batch {
			member++
			return visit(member-1, Message{line, m})
		}
		for span := range framing.Elements(line) {
			element := span.Of(line)
			member++
			if err := visit(member-1, Message{element, framing.Scan(element)}); err != nil {
				return err
			}
		}
		return nil
	}
	if known.Kind != framing.NotJSON || !lines {
		return one(payload, known)
	}
	for line := range bytes.SplitSeq(payload, []byte{'\n'}) {
		if err := one(line, framing.Scan(line)); err != nil {
			return err
		}
	}
	return nil
}

// message handles one message.
func (w *walker) message(at Ref, row session.Row, m Message) error {
	it := &w.item
	*it = Item{At: at, Run: w.run, Era: w.era, FromClient: row.Kind == session.KindStdin, Msg: m}
	switch m.Kind {
	case framing.Request:
		w.request(it, row)
	case framing.Notification:
		w.notification(it)
	case framing.Response, framing.ErrorResponse:
		w.response(it)
	default:
		if it.FromClient {
			return nil
		}
		it.Kind = ItemStray
	}
	return w.visit(it)
}

// side returns the index for the sender of a request.
func side(fromClient bool) int {
	if fromClient {
		return 0
	}
	return 1
}

func (w *walker) request(it *Item, row session.Row) {
	it.Kind, it.Method, it.State = ItemRequest, w.method(it.Msg), session.ReqLost
	if row.Flags&(session.FlagBatch|session.FlagPart) == 0 {
		it.State = row.State
	}
	if it.FromClient {
		w.eraOf(it)
		it.Handshake = it.Method == mcp.MethodInitialize || it.Method == mcp.MethodDiscover && !w.began
		w.began = w.began || !it.Handshake
		it.Probe = row.Flags&session.FlagProbe != 0
	}
	w.open[side(it.FromClient)].add(it)
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

func (w *walker) response(it *Item) {
	it.Kind = ItemResponse
	q, state := w.open[side(!it.FromClient)].settle(it.Msg.RawID())
	it.State = state
	if state == session.ReqUnmatched {
		return
	}
	it.Of, it.HasOf = q.at, true
	it.Method, it.Handshake, it.Probe, it.Era = q.method, q.handshake, q.probe, q.era
}

func (w *walker) notification(it *Item) {
	it.Kind, it.Method = ItemNotification, w.method(it.Msg)
	it.Handshake = it.FromClient && it.Method == mcp.MethodInitialized
	if q, ok := w.ownerOf(it); ok {
		it.Of, it.HasOf, it.Era = q.at, true, q.era
	}
}

// ownerOf finds the request that a notification belongs to.
func (w *walker) ownerOf(it *Item) (request, bool) {
	params, theirs := it.Msg.RawParams(), &w.open[side(!it.FromClient)]
	switch {
	case it.Method == mcp.MethodProgress:
		return theirs.byToken(Member(params, "progressToken"))
	case it.Method == mcp.MethodCancelled:
		id, ours := Member(params, "requestId"), &w.open[side(it.FromClient)]
		if q, ok := ours.byID(id); ok {
			ours.giveUp(q.id)
			return q, true
		}
		return theirs.byID(id) // this is how a server ends a subscription
	case it.FromClient:
		return request{}, false
	case bytes.Contains(params, []byte(metaSubscription)):
		return theirs.byID(Member(Member(params, "_meta"), metaSubscription))
	}
	return theirs.latest()
}

// metaSubscription is the _meta key for the id of the request that a notification
// belongs to.
const metaSubscription = "io.modelcontextprotocol/subscriptionId"

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
