package exchange_test

import (
	"bytes"
	"context"

	"mcpdbg/framing"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const (
	maxOpen    = 1 << 16
	maxSettled = 1 << 12
	maxSplit   = 1 << 20
	maxMethods = 1 << 12
	keepBuffer = 4 << 20
)

// walk is the reader that the Follower replaces in match: it pairs messages by the ids in
// their bytes, and is the reference for the shadow test.
func walk(ctx context.Context, src session.Source, visit func(*match.Item) error) error {
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
	visit func(*match.Item) error
	buf   []byte
	item  match.Item // passed to visit
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
		return w.event(match.ItemStart, number, row)
	case session.KindClosed, session.KindFailed:
		if w.ended {
			return nil
		}
		w.ended = true
		return w.event(match.ItemEnd, number, row)
	case session.KindState:
		return w.state(row)
	case session.KindStdin, session.KindStdout:
		return w.stream(number, row)
	}
	return nil
}

// event visits an item that is not a message.
func (w *walker) event(kind match.ItemKind, number int, row session.Row) error {
	e, err := w.read(row)
	if err != nil {
		return err
	}
	return w.visit(&match.Item{Kind: kind, At: match.Ref{Row: number, First: number, N: e.N, Seq: e.Seq, T: e.T}, Run: w.run, Era: w.era})
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
	at := match.Ref{Row: number, First: number, N: e.N, Seq: e.Seq, T: e.T}
	if row.State == session.ReqUnread { // the index knows the id
		request, _ := row.Partner()
		w.open[side(true)].settleRow(request)
	}
	if row.Kind == session.KindStdout && row.Flags&session.FlagPart != 0 {
		return w.visit(&match.Item{Kind: match.ItemStray, At: at, Run: w.run, Era: w.era, Msg: session.Message{Line: e.Payload}})
	}
	if row.Kind == session.KindStdin && (w.inSplit || e.EOL == framing.NoEOL) {
		return w.splitWrite(at, row, &e)
	}
	return messages(e.Payload, e.Msg, row.Kind == session.KindStdin, func(member int, m session.Message) error {
		at.Member = member
		return w.message(at, row, m)
	})
}

// splitWrite handles a write that continues a line or leaves one incomplete.
func (w *walker) splitWrite(at match.Ref, row session.Row, e *session.Entry) error {
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
	err := messages(w.split[:end], framing.Message{}, true, func(member int, m session.Message) error {
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
		return messages(before, framing.Message{}, true, func(int, session.Message) error {
			w.preceding++
			return nil
		})
	}
	return nil
}

// messages calls visit for the messages of a payload. known is its scanned form if it
// is one line.
func messages(payload []byte, known framing.Message, lines bool, visit func(member int, m session.Message) error) error {
	member := 0
	one := func(line []byte, m framing.Message) error {
		if m.Kind != framing.Batch {
			member++
			return visit(member-1, session.Message{Line: line, Message: m})
		}
		for span := range framing.Elements(line) {
			element := span.Of(line)
			member++
			if err := visit(member-1, session.Message{Line: element, Message: framing.Scan(element)}); err != nil {
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
func (w *walker) message(at match.Ref, row session.Row, m session.Message) error {
	it := &w.item
	*it = match.Item{At: at, Run: w.run, Era: w.era, FromClient: row.Kind == session.KindStdin, Msg: m}
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
		it.Kind = match.ItemStray
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

func (w *walker) request(it *match.Item, row session.Row) {
	it.Kind, it.Method, it.State = match.ItemRequest, w.method(it.Msg), session.ReqLost
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
func (w *walker) eraOf(it *match.Item) {
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

func (w *walker) response(it *match.Item) {
	it.Kind = match.ItemResponse
	q, state := w.open[side(!it.FromClient)].settle(it.Msg.RawID())
	it.State = state
	if state == session.ReqUnmatched {
		return
	}
	it.Of, it.HasOf = q.at, true
	it.Method, it.Handshake, it.Probe, it.Era = q.method, q.handshake, q.probe, q.era
}

func (w *walker) notification(it *match.Item) {
	it.Kind, it.Method = match.ItemNotification, w.method(it.Msg)
	it.Handshake = it.FromClient && it.Method == mcp.MethodInitialized
	if q, ok := w.ownerOf(it); ok {
		it.Of, it.HasOf, it.Era = q.at, true, q.era
	}
}

// ownerOf finds the request that a notification belongs to.
func (w *walker) ownerOf(it *match.Item) (request, bool) {
	params, theirs := it.Msg.RawParams(), &w.open[side(!it.FromClient)]
	switch {
	case it.Method == mcp.MethodProgress:
		return theirs.byToken(match.Member(params, "progressToken"))
	case it.Method == mcp.MethodCancelled:
		id, ours := match.Member(params, "requestId"), &w.open[side(it.FromClient)]
		if q, ok := ours.byID(id); ok {
			ours.giveUp(q.id)
			return q, true
		}
		return theirs.byID(id) // this is how a server ends a subscription
	case it.FromClient:
		return request{}, false
	case bytes.Contains(params, []byte(mcp.MetaSubscriptionID)):
		return theirs.byID(match.Member(match.Member(params, "_meta"), mcp.MetaSubscriptionID))
	}
	return theirs.latest()
}

// method returns the method as Source.Method spells it. All messages of a method share
// one string.
func (w *walker) method(m session.Message) string {
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

// A request is a request seen by a walker.
type request struct {
	at        match.Ref
	id        string
	token     string
	method    string
	era       mcp.Era
	handshake bool
	probe     bool
	answered  bool // it has its response
}

// requests are the requests of one side in one run.
type requests struct {
	open    map[string]*request // by id
	tokens  map[string]string   // id by progress token
	order   []*request          // oldest first, mixed with settled ones
	settled map[string]request
	ring    []string // keys of settled, to drop the oldest
	next    int
}

func newRequests() requests {
	return requests{open: map[string]*request{}, tokens: map[string]string{}, settled: map[string]request{}}
}

func (r *requests) add(it *match.Item) {
	id := string(it.Msg.RawID())
	if len(r.open) >= maxOpen && r.open[id] == nil {
		return
	}
	q := &request{at: it.At, id: id, method: it.Method, era: it.Era, handshake: it.Handshake, probe: it.Probe}
	if token := progressToken(it.Msg.RawParams()); token != nil {
		q.token = string(token)
		r.tokens[q.token] = id
	}
	r.open[id] = q
	r.order = append(r.order, q)
	r.tidy()
}

// progressToken returns the raw progress token of a request, nil if it has none.
func progressToken(params []byte) []byte {
	const name = "progressToken"
	if !bytes.Contains(params, []byte(name)) {
		return nil
	}
	return match.Member(match.Member(params, "_meta"), name)
}

// tidy keeps order at no more than about twice the open requests.
func (r *requests) tidy() {
	if len(r.order) <= 2*len(r.open)+64 {
		return
	}
	kept := r.order[:0]
	for _, q := range r.order {
		if r.open[q.id] == q {
			kept = append(kept, q)
		}
	}
	clear(r.order[len(kept):])
	r.order = kept
}

// settle returns the request that a response is for. The state is ReqOrphan if there
// is none, and ReqDuplicate if it already has a response.
func (r *requests) settle(id []byte) (request, session.ReqState) {
	q := r.open[string(id)]
	if q == nil {
		old, ok := r.settled[string(id)]
		switch {
		case !ok:
			return request{}, session.ReqUnmatched
		case old.answered:
			return old, session.ReqDuplicate
		}
		q = &old // given up before; this is its late response
	}
	q.answered = true
	r.close(q)
	return *q, session.ReqNone
}

// settleRow settles the request at a row, whose response can't be read.
func (r *requests) settleRow(row int) {
	for _, q := range r.open {
		if q.at.Row == row {
			q.answered = true
			r.close(q)
			return
		}
	}
}

// giveUp stops waiting for a response, which may still come.
func (r *requests) giveUp(id string) {
	if q := r.open[id]; q != nil {
		r.close(q)
	}
}

func (r *requests) close(q *request) {
	delete(r.open, q.id)
	if r.tokens[q.token] == q.id {
		delete(r.tokens, q.token)
	}
	r.remember(*q)
}

func (r *requests) remember(q request) {
	_, again := r.settled[q.id]
	r.settled[q.id] = q
	switch {
	case again:
	case len(r.ring) < maxSettled:
		r.ring = append(r.ring, q.id)
	default:
		delete(r.settled, r.ring[r.next])
		r.ring[r.next] = q.id
		r.next = (r.next + 1) % maxSettled
	}
}

func (r *requests) byID(id []byte) (request, bool) {
	if q := r.open[string(id)]; q != nil {
		return *q, true
	}
	return request{}, false
}

func (r *requests) byToken(token []byte) (request, bool) {
	id, ok := r.tokens[string(token)]
	if !ok {
		return request{}, false
	}
	return r.byID([]byte(id))
}

// latest returns the most recent open request.
func (r *requests) latest() (request, bool) {
	for len(r.order) > 0 {
		q := r.order[len(r.order)-1]
		if r.open[q.id] == q {
			break
		}
		r.order = r.order[:len(r.order)-1]
	}
	for i := len(r.order) - 1; i >= 0; i-- {
		if q := r.order[i]; r.open[q.id] == q && q.method != mcp.MethodListen {
			return *q, true
		}
	}
	return request{}, false
}
