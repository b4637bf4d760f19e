package exchange

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const (
	// maxRequests is how many requests without a response are known each way.
	maxRequests = 1 << 16
	// maxGivenUp is how many of them may be cancelled, timed out or not written.
	maxGivenUp = 1 << 14
	// maxFree is how many exchanges are kept to be used again.
	maxFree = 1 << 10
)

// A Follower takes the rows of a log in order and finds out which messages belong
// together and how requests ended, in bounded memory. Rows name the partners and owners
// of messages, so only entries of several messages are read. It belongs to one goroutine.
type Follower struct {
	src     session.Source
	members session.ElementReader // nil: the log does not know them
	open    [2]requests           // of the client, of the server
	run     uint16
	ended   bool // the process, if there was one
	shaking handshake
	process Process
	steps   []Step
	lost    []Exchange
	pairs   []session.ElementPair // of the current row, by the member of the response
	addPair func(session.ElementPair) bool
	row     int          // of pairs
	known   bool         // pairs has all of them
	next    int          // the first of pairs that replaced has not taken in
	kinds   []methodKind // by method
}

// requests are the requests of one side that have no response.
type requests struct {
	order   []*Exchange // oldest first; some are settled
	waiting int         // those that are not
	pending int         // those that are not given up either
	free    []*Exchange // to be used again
	// reused are rows of requests, one of which has the id of an older one that was pending.
	reused map[uint32]bool
}

// A Place identifies a message of a log.
type Place struct {
	Row    uint32
	Member uint16 // of the messages that the row ends, from 0
}

func (p Place) compare(other Place) int {
	return cmp.Or(cmp.Compare(p.Row, other.Row), cmp.Compare(p.Member, other.Member))
}

// An Exchange is a request and its response. Copy it to keep it.
type Exchange struct {
	Request, Response Place
	Begin, End        int64            // microseconds; End is that of the response, or of the process
	State             session.ReqState // as on rows, from what the log had so far
	Method, Run       uint16
	FromClient        bool
	Handshake         bool // it began the process, or followed such a request
	Probe             bool // any response would have done
	Answered          bool // Response is its response
	Failed            bool // the response is an error
	Late              bool // the response came after the request was cancelled or timed out
	Reused            bool // a later request has its id, and gets its response
	several           bool // the request is one of several messages of its entry
	settled           bool
	initialize        bool // a Handshake that is not server/discover
}

// A StepKind is what one message or event did.
type StepKind uint8

// The kinds of steps.
const (
	Nothing    StepKind = iota
	Opens               // a request
	Answers             // a response to it, or to one that is not Known
	Unreadable          // a response to it that can't be read, so that it is lost
	Duplicate           // another response to an answered request
	Unmatched           // a response to no request
	Informs             // a notification that belongs to a request
	Cancels             // a notification that cancels it
	GivesUp             // a report that it timed out, or that its write failed
	Starts              // a process was started
	Ends                // it closed, or the connection was lost, or the start failed
)

// A Step is what one message or event did.
type Step struct {
	Kind StepKind
	// X is the exchange that it belongs to. It is nil if there is none, if that has
	// ended before, and for requests beyond the limit. It is valid until the next call.
	X *Exchange
	// Of is the request that it belongs to, if Known. A notification about one of several
	// messages of an entry, which does not end it, belongs to no request.
	Of    Place
	Known bool
	// Reused reports of a Duplicate that it may be the response to an older request, whose
	// id the one that it belongs to has used again.
	Reused bool
}

// NewFollower returns a Follower at the beginning of a log.
func NewFollower(src session.Source) *Follower {
	f := &Follower{src: src}
	f.addPair = func(p session.ElementPair) bool { // one for all rows
		if p.At.Row == f.row {
			f.pairs = append(f.pairs, p)
		}
		return true
	}
	f.members, _ = src.(session.ElementReader)
	f.reset()
	return f
}

// Add takes in the current row of a cursor, and returns a step for each message that the
// row ends, in their order, or one for an event. They are valid until the next call. The
// error is that of reading an entry of several messages, whose messages are then unknown.
func (f *Follower) Add(c *session.Cursor) ([]Step, error) {
	number, row := c.Row()
	f.steps, f.lost, f.pairs, f.next = f.steps[:0], f.lost[:0], f.pairs[:0], 0
	switch row.Kind {
	case session.KindStdin, session.KindStdout:
		err := f.stream(c, uint32(number), row)
		if row.Kind == session.KindStdout && f.process.Begun.Seen {
			f.spoke(c)
		}
		return f.steps, err
	case session.KindStderr:
		return nil, nil
	}
	f.process.happened(c)
	switch row.Kind {
	case session.KindStart:
		f.lose(row.T)
		f.reset()
		f.run, f.ended = row.Run, false
		f.steps = append(f.steps, Step{Kind: Starts})
	case session.KindClosed, session.KindFailed:
		if !f.ended {
			f.steps = append(f.steps, Step{Kind: Ends})
		}
		f.lose(row.T)
		f.reset()
		f.ended = true
	case session.KindState, session.KindWrite:
		if owner, ok := row.Owner(); ok {
			f.givenUp(uint32(number), row, owner)
		}
	}
	return f.steps, nil
}

// Lost returns the exchanges that the last row ended without a response, in the order of
// their requests: those of a process that ended, one whose id was used again, and the
// oldest that were given up when there are too many. It is valid until the next call of
// Add.
func (f *Follower) Lost() []Exchange { return f.lost }

// Waiting iterates over the exchanges of one side that have no response so far, given up
// or not, oldest first.
func (f *Follower) Waiting(fromClient bool) iter.Seq[*Exchange] {
	return func(yield func(*Exchange) bool) {
		for _, x := range f.open[side(fromClient)].order {
			if !x.settled && !yield(x) {
				return
			}
		}
	}
}

// Rest returns the exchanges that have no response so far, given up or not, in the order of
// their requests.
func (f *Follower) Rest() []Exchange {
	var rest []Exchange
	for i := range f.open {
		for _, x := range f.open[i].order {
			if !x.settled {
				rest = append(rest, *x)
			}
		}
	}
	sortExchanges(rest)
	return rest
}

func sortExchanges(all []Exchange) {
	sort.Slice(all, func(i, j int) bool { return all[i].Request.compare(all[j].Request) < 0 })
}

func side(fromClient bool) int {
	if fromClient {
		return 0
	}
	return 1
}

func (f *Follower) reset() {
	for i := range f.open {
		f.open[i] = requests{}
	}
	f.shaking = handshake{}
}

// lose ends all exchanges without a response.
func (f *Follower) lose(at int64) {
	f.lost = f.Rest()
	for i := range f.lost {
		x := &f.lost[i]
		x.End, x.settled = at, true
		if x.State == session.ReqPending {
			x.State = session.ReqLost
		}
	}
}

// stream takes in a row of stdin or stdout.
func (f *Follower) stream(c *session.Cursor, number uint32, row *session.Row) error {
	if row.Flags&session.FlagBatch == 0 {
		f.message(number, row, row.Msg, 0, row.Method, -1)
		return nil
	}
	f.readPairs(number)
	i := 0
	for _, m := range c.Messages() {
		f.message(number, row, m.Kind, i, 0, i)
		if last := &f.steps[len(f.steps)-1]; last.Kind == Opens {
			f.named(last.X, string(m.Method.Of(m.Line)))
		}
		i++
	}
	_, err := c.Entry()
	return err
}

// message takes in one message of a row: a row of its own, with element -1, or one of
// several.
func (f *Follower) message(number uint32, row *session.Row, kind framing.Kind, member int, method uint16, element int) {
	step := Step{}
	fromClient := row.Kind == session.KindStdin
	at := Place{number, uint16(min(member, math.MaxUint16))}
	switch {
	case row.State == session.ReqUnread && element < 0:
		step = f.ends(number, row, element)
		if x := step.X; x != nil && step.Kind == Answers {
			f.open[side(x.FromClient)].settle(x)
			x.Response, x.End, x.State = at, row.T, session.ReqLost
		}
		step.Kind = Unreadable
	case row.Flags&session.FlagPart != 0 && row.Kind == session.KindStdout:
	case kind == framing.Request:
		step = f.opens(at, row, method, element)
	case kind == framing.Response || kind == framing.ErrorResponse:
		step = f.ends(number, row, element)
		f.answers(&step, kind == framing.ErrorResponse, at, row)
	case kind == framing.Notification && element < 0:
		if owner, ok := row.Owner(); ok {
			step = f.informs(number, row, owner, fromClient)
		}
	}
	f.steps = append(f.steps, step)
}

func (f *Follower) opens(at Place, row *session.Row, method uint16, element int) Step {
	fromClient := row.Kind == session.KindStdin
	open := &f.open[side(fromClient)]
	if open.pending > 0 {
		f.replaced(at.Row, element)
	}
	if at.Member == math.MaxUint16 || open.waiting >= maxRequests+maxGivenUp || open.pending >= maxRequests {
		return Step{Kind: Opens}
	}
	x, dropped := open.add(Exchange{
		Request: at, Begin: row.T, State: session.ReqPending, Method: method, Run: f.run, FromClient: fromClient,
		Probe: row.Flags&session.FlagProbe != 0, several: element >= 0,
	})
	for i := range dropped {
		dropped[i].End = row.T
	}
	f.lost = append(f.lost, dropped...)
	if element < 0 {
		f.named(x, "")
	}
	return Step{Kind: Opens, X: x, Of: at, Known: true}
}

// named takes in the method of a request: its number, or its name.
func (f *Follower) named(x *Exchange, name string) {
	if x != nil && x.FromClient {
		kind := f.kindOf(x.Method)
		if x.several {
			kind = kindOfName(name)
		} else if kind == begins {
			name = f.src.Method(x.Method)
		}
		x.Handshake = f.shaking.request(kind)
		x.initialize = x.Handshake && name == mcp.MethodInitialize
	}
}

// replaced ends the exchanges whose ids the requests of a row up to element use again.
func (f *Follower) replaced(number uint32, element int) {
	if element < 0 {
		f.readPairs(number)
	}
	for ; f.next < len(f.pairs); f.next++ {
		p := f.pairs[f.next]
		if p.State != session.ReqLost {
			continue
		}
		if element >= 0 && p.Request.Row == int(number) && p.Request.Index >= element {
			return
		}
		if x := f.find(placeOf(p.Request)); x != nil && x.State == session.ReqPending {
			open := &f.open[side(x.FromClient)]
			open.settle(x)
			x.State, x.Reused = session.ReqLost, true
			open.reuses(number)
			f.lost = append(f.lost, *x)
		}
	}
}

func placeOf(e session.Element) Place { return Place{uint32(e.Row), uint16(max(e.Index, 0))} }

// readPairs reads how requests ended by the messages of a row.
func (f *Follower) readPairs(number uint32) {
	f.pairs, f.next, f.known = f.pairs[:0], 0, false
	if f.members == nil {
		return
	}
	f.row = int(number)
	f.known = f.members.ElementPairs(f.row+1, f.row, f.addPair)
	sort.SliceStable(f.pairs, func(i, j int) bool { return f.pairs[i].At.Index < f.pairs[j].At.Index })
}

// ends finds the request that a message of a row is the response to.
func (f *Follower) ends(number uint32, row *session.Row, element int) Step {
	partner, paired := row.Partner()
	if element < 0 {
		switch {
		case row.State == session.ReqUnmatched || paired && partner > int(number):
			return Step{Kind: Unmatched}
		case !paired: // too many requests are pending, or the log begins after this one
			return Step{Kind: Answers}
		case row.State == session.ReqDuplicate:
			f.readPairs(number)
			if len(f.pairs) > 0 {
				return f.found(Duplicate, placeOf(f.pairs[len(f.pairs)-1].Request), row)
			}
			return f.foundRow(Duplicate, partner, row)
		}
		if step := f.found(Answers, Place{Row: uint32(partner)}, row); step.X != nil && !step.X.several {
			return step
		}
		f.readPairs(number)
	}
	from, _ := slices.BinarySearchFunc(f.pairs, element, func(p session.ElementPair, element int) int { return p.At.Index - element })
	for _, p := range f.pairs[from:] {
		if p.At.Index != element {
			break
		}
		switch {
		case p.Request.Row == int(number) && p.Request.Index == element:
		case p.Answered() || row.State == session.ReqUnread:
			return f.found(Answers, placeOf(p.Request), row)
		case p.State == session.ReqDuplicate:
			return f.found(Duplicate, placeOf(p.Request), row)
		}
	}
	switch {
	case element < 0:
		return f.foundRow(Answers, partner, row)
	case !f.known || element >= session.MaxPaired:
		return Step{Kind: Answers}
	}
	return Step{Kind: Unmatched}
}

// foundRow returns the step of a response to the request at a row, if that is its only
// message: else the request is unknown.
func (f *Follower) foundRow(kind StepKind, request int, row *session.Row) Step {
	if of, _ := session.RowAt(f.src, request); of.Flags&session.FlagBatch != 0 {
		return Step{Kind: kind}
	}
	return f.found(kind, Place{Row: uint32(request)}, row)
}

// found returns the step of a response to a request.
func (f *Follower) found(kind StepKind, of Place, row *session.Row) Step {
	open := &f.open[side(row.Kind != session.KindStdin)]
	return Step{Kind: kind, X: open.find(of), Of: of, Known: true, Reused: kind == Duplicate && open.reused[of.Row]}
}

func (f *Follower) answers(step *Step, failed bool, at Place, row *session.Row) {
	x := step.X
	if x == nil || step.Kind != Answers {
		return
	}
	x.Response, x.End, x.Answered, x.Failed = at, row.T, true, failed
	x.Late = x.State == session.ReqCancelled || x.State == session.ReqTimedOut
	open := &f.open[side(x.FromClient)]
	open.settle(x)
	if x.Late && !x.Probe {
		return
	}
	x.State = session.ReqAnswered
	if failed && !x.Probe {
		x.State = session.ReqFailed
	}
}

// informs takes in a notification about a request of either side.
func (f *Follower) informs(number uint32, row *session.Row, owner int, fromClient bool) Step {
	step := Step{Kind: Informs, Of: Place{Row: uint32(owner)}, Known: true}
	cancels := f.kindOf(row.Method) == cancels
	if cancels {
		step.Kind = Cancels
		f.readPairs(number)
	}
	ofMember := slices.IndexFunc(f.pairs, func(p session.ElementPair) bool { return p.Request.Row == owner && p.Request.Index >= 0 })
	if ofMember >= 0 {
		step.Of = placeOf(f.pairs[ofMember].Request)
	} else if f.several(step.Of) {
		return Step{Kind: step.Kind} // of which message is unknown
	}
	x := f.find(step.Of)
	if x != nil && cancels && (x.FromClient == fromClient || f.src.Method(x.Method) == mcp.MethodListen || ofMember >= 0) {
		f.open[side(x.FromClient)].giveUp(x, session.ReqCancelled)
	}
	step.X = x
	return step
}

// find returns the exchange of a request that is not settled, nil if there is none.
func (f *Follower) find(request Place) *Exchange {
	if x := f.open[0].find(request); x != nil {
		return x
	}
	return f.open[1].find(request)
}

// several reports whether the row of a request has further messages.
func (f *Follower) several(request Place) bool {
	if x := f.find(request); x != nil {
		return x.several
	}
	row, _ := session.RowAt(f.src, int(request.Row))
	return row.Flags&session.FlagBatch != 0
}

// givenUp takes in an entry that reports a timeout or a failed write.
func (f *Follower) givenUp(number uint32, row *session.Row, owner int) {
	state := session.ReqTimedOut
	if row.Kind == session.KindWrite {
		state = session.ReqLost
	}
	open := &f.open[side(true)]
	step := Step{Kind: GivesUp, Of: Place{Row: uint32(owner)}, Known: true}
	step.X = open.find(step.Of)
	f.readPairs(number)
	for _, p := range f.pairs {
		at := placeOf(p.Request)
		if x := open.find(at); x != nil {
			step.Of, step.X = at, x
			open.giveUp(x, state)
		}
	}
	if step.X != nil && !step.X.several {
		open.giveUp(step.X, state)
	}
	f.steps = append(f.steps, step)
}

// add adds a request. It returns those that tidy dropped.
func (r *requests) add(request Exchange) (added *Exchange, dropped []Exchange) {
	dropped = r.tidy()
	if n := len(r.free); n > 0 {
		added, r.free = r.free[n-1], r.free[:n-1]
	} else {
		added = new(Exchange)
	}
	*added = request
	r.waiting++
	r.pending++
	r.order = append(r.order, added)
	return added, dropped
}

// find returns the exchange of a request that is not settled, nil if there is none.
func (r *requests) find(request Place) *Exchange {
	i := len(r.order) - 1
	ok := i >= 0 && r.order[i].Request == request // as most
	if !ok {
		i, ok = slices.BinarySearchFunc(r.order, request, func(x *Exchange, at Place) int { return x.Request.compare(at) })
	}
	if !ok || r.order[i].settled {
		return nil
	}
	return r.order[i]
}

// settle takes in that an exchange has a response, or gets none any more.
func (r *requests) settle(x *Exchange) {
	r.waiting--
	if x.State == session.ReqPending {
		r.pending--
	}
	x.settled = true
}

// reuses takes in that a request of a row has the id of an older one that was pending.
func (r *requests) reuses(row uint32) {
	if r.reused == nil || len(r.reused) >= maxGivenUp {
		r.reused = map[uint32]bool{}
	}
	r.reused[row] = true
}

// giveUp ends the wait for the response of an exchange.
func (r *requests) giveUp(x *Exchange, state session.ReqState) {
	if x.State == session.ReqPending && !x.settled {
		x.State = state
		r.pending--
	}
}

// tidy keeps order at no more than about twice the exchanges, and of those that are given
// up the latest. It returns the others of these.
func (r *requests) tidy() (dropped []Exchange) {
	if len(r.order) <= 2*r.waiting+64 && r.waiting-r.pending <= maxGivenUp {
		return nil
	}
	older := 0
	if givenUp := r.waiting - r.pending; givenUp > maxGivenUp {
		older = givenUp - maxGivenUp/2
	}
	kept := r.order[:0]
	for _, x := range r.order {
		if !x.settled && x.State != session.ReqPending && older > 0 {
			older--
			r.settle(x)
			dropped = append(dropped, *x)
		}
		if !x.settled {
			kept = append(kept, x)
		} else if len(r.free) < maxFree {
			r.free = append(r.free, x)
		}
	}
	clear(r.order[len(kept):])
	r.order = kept
	return dropped
}
