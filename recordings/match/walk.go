package match

import (
	"bytes"
	"context"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A Ref says where one message of a session stands.
type Ref struct {
	Row    int    // of the session.Source; that of the write that completes it
	First  int    // where it begins: another row for a message that several writes made up
	Member int    // which message of the entry it is, from 0: of a batch, or of a write of several lines
	N      uint64 // number of the entry
	Seq    uint64 // of the event; 0 for what the client sent
	T      int64  // microseconds since the recording's start
}

// An ItemKind says what an Item is.
type ItemKind uint8

// The kinds of item.
const (
	ItemRequest      ItemKind = iota // of either side
	ItemAnswer                       // a response to a request; see Item.State for orphans and second ones
	ItemNotification                 // of either side
	ItemStart                        // a process was started
	ItemEnd                          // it is over: it closed, or the connection is lost
	ItemStray                        // a line of stdout that is no message
)

// An Item is one step of a session.
type Item struct {
	Kind       ItemKind
	At         Ref
	Run        int     // which process, from 1; 0 before the first
	Era        mcp.Era // of the message; Auto if nothing tells
	FromClient bool
	Method     string // of an answer that of its request
	Msg        Message
	State      session.ReqState // of a request what became of it, of an answer ReqOrphan or ReqDuplicate
	Handshake  bool             // of the handshake; an answer as its request
	Probe      bool             // of a server/discover that initialize followed

	// Of is the request that the item belongs to, if it belongs to one (HasOf):
	// an answer to it; progress by its token, what a subscription sends by its
	// id, and other notifications of the server to the latest request that is
	// open, because they stand between it and its answer.
	Of    Ref
	HasOf bool
}

// A Message is the bytes of one message and where its parts are.
type Message struct {
	Line []byte
	framing.Message
}

// RawParams returns the raw params, nil without.
func (m Message) RawParams() []byte { return m.Params.Of(m.Line) }

// RawResult returns the raw result, nil without.
func (m Message) RawResult() []byte { return m.Result.Of(m.Line) }

// RawError returns the raw error object, nil without.
func (m Message) RawError() []byte { return m.Error.Of(m.Line) }

// RawID returns the raw id, quotes included, nil without.
func (m Message) RawID() []byte { return m.ID.Of(m.Line) }

const (
	// maxOpen is how many requests may be open in one direction; what comes
	// beyond them finds no answer.
	maxOpen = 1 << 16
	// maxSettled is how many settled ids are remembered, to tell second answers
	// from those to no request.
	maxSettled = 1 << 12
	// maxSplit is how many bytes of a message are put together that several
	// writes made up.
	maxSplit = 1 << 20
	// maxMethods is how many names of methods are kept.
	maxMethods = 1 << 12
	// keepBuffer is the largest buffer that is kept for the next entry.
	keepBuffer = 4 << 20
)

// Walk calls visit for each step of a session in the order of its log, as far as
// src goes now. What visit gets is good until it returns; an error of visit, of
// ctx, or one about an entry that can't be read ends the walk.
//
// Memory is proportional to the requests that are open, plus the largest entry.
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

// A walker goes over the rows of a session.
type walker struct {
	src   session.Source
	visit func(*Item) error
	buf   []byte
	item  Item // what visit gets
	run   int
	// methods are those seen so far.
	methods map[string]string
	process
}

// process is what a walker knows of one run.
type process struct {
	era     mcp.Era
	began   bool // a request that is not of the handshake was sent
	ended   bool
	open    [2]requests // ours, the server's
	split   []byte      // of stdin: the line that is not complete
	inSplit bool
	splitAt int // row where it begins
	behind  int // messages of that row that stand before it
}

// forget begins a run.
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

// event passes on something that is no message.
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

// state takes the era that a handshake found, or that a request timed out.
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

// stream takes an entry of stdin or stdout.
func (w *walker) stream(number int, row session.Row) error {
	e, err := w.read(row)
	if err != nil {
		return err
	}
	at := Ref{Row: number, First: number, N: e.N, Seq: e.Seq, T: e.T}
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

// splitWrite takes a write that continues a line or leaves one open.
func (w *walker) splitWrite(at Ref, row session.Row, e *session.Entry) error {
	if !w.inSplit {
		w.splitAt, w.behind, w.inSplit = at.Row, 0, true
	}
	if len(w.split)+len(e.Payload) > maxSplit {
		w.split, w.splitAt, w.behind = nil, at.Row, 0 // too long to be put together: its end is no message
	}
	written := e.Payload
	if e.EOL != framing.NoEOL {
		written = append(written[:len(written):len(written)], '\n')
	}
	end := bytes.LastIndexByte(written, '\n')
	if end >= 0 {
		end += len(w.split) // which has none
	}
	w.split = append(w.split, written...)
	if end < 0 {
		return nil
	}
	at.First = w.splitAt
	err := messages(w.split[:end], framing.Message{}, true, func(member int, m Message) error {
		at.Member = w.behind + member
		return w.message(at, row, m)
	})
	if err != nil {
		return err
	}
	w.split = append(w.split[:0], w.split[end+1:]...)
	w.inSplit, w.splitAt, w.behind = len(w.split) > 0, at.Row, 0
	if w.inSplit {
		before := written[:bytes.LastIndexByte(written, '\n')]
		return messages(before, framing.Message{}, true, func(int, Message) error {
			w.behind++
			return nil
		})
	}
	return nil
}

// messages calls visit for the messages of a payload. known is what is known of
// it already, if it is one line.
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

// message takes one message.
func (w *walker) message(at Ref, row session.Row, m Message) error {
	it := &w.item
	*it = Item{At: at, Run: w.run, Era: w.era, FromClient: row.Kind == session.KindStdin, Msg: m}
	switch m.Kind {
	case framing.Request:
		w.request(it, row)
	case framing.Notification:
		w.notification(it)
	case framing.Response, framing.ErrorResponse:
		w.answer(it)
	default:
		if it.FromClient {
			return nil
		}
		it.Kind = ItemStray
	}
	return w.visit(it)
}

// side is the index of who sent the request.
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

// eraOf finds the era of a request of the client in its own bytes.
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

func (w *walker) answer(it *Item) {
	it.Kind = ItemAnswer
	q, state := w.open[side(!it.FromClient)].settle(it.Msg.RawID())
	it.State = state
	if state == session.ReqOrphan {
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
		return theirs.byID(id) // a server ends a subscription so
	case it.FromClient:
		return request{}, false
	case bytes.Contains(params, []byte(metaSubscription)):
		return theirs.byID(Member(Member(params, "_meta"), metaSubscription))
	}
	return theirs.latest()
}

// metaSubscription is the key of _meta with the id of the request that a
// notification is sent for.
const metaSubscription = "io.modelcontextprotocol/subscriptionId"

// method is the method as Source.Method spells it. One string serves all messages
// of a method.
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
