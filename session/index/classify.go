package index

import (
	"bytes"
	"encoding/json"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
)

// classify fills a row for an entry of a stream kind and pairs its messages.
func (x *Index) classify(e *session.Entry, row *session.Row) {
	if e.Encoded {
		row.Flags |= session.FlagEncoded
	}
	goesOn := x.inParts[e.Kind]
	part := e.More || goesOn
	x.inParts[e.Kind] = e.More
	if part {
		row.Flags |= session.FlagPart
	}
	if goesOn && !e.More && len(e.Payload) == 0 {
		row.Flags |= session.FlagLineEnd
	}
	size := uint64(e.Size())
	switch e.Kind {
	case session.KindStderr:
		x.stats.BytesErr += size
		if !e.More {
			x.stats.StderrLines++
		}
		return
	case session.KindStdin:
		x.stats.BytesOut += size
	case session.KindStdout:
		x.stats.BytesIn += size
	}
	if part {
		row.Flags |= session.FlagProblem
		if e.Kind == session.KindStdout {
			x.part(e, goesOn, row)
		}
		return
	}
	if e.Kind == session.KindStdin && (x.openIn.open() || e.EOL == framing.NoEOL) {
		x.openStdin(e, row)
		return
	}
	row.Msg = e.Msg.Kind
	if e.Msg.Problems&^framing.ProblemCRLF != 0 {
		row.Flags |= session.FlagProblem
	}
	toolError, known := e.ToolError()
	switch {
	case e.Kind == session.KindStdout && e.Msg.Problems&framing.ProblemTooDeep != 0:
		x.part(e, false, row)
	case e.Kind == session.KindStdin && bytes.IndexByte(e.Payload, '\n') >= 0:
		row.Flags |= session.FlagBatch
		for line := range bytes.SplitSeq(e.Payload, []byte{'\n'}) {
			x.line(e.Kind, framing.Scan(line), line, row)
		}
	case known && e.Msg.Kind == framing.Response:
		count(&x.stats, e.Kind)
		x.response(newPairKey(e.Kind != session.KindStdin, e.Msg.ID.Of(e.Payload)), session.ReqAnswered, toolError, row)
		x.goesOn(e.Kind, e.Payload, row)
	default:
		x.line(e.Kind, e.Msg, e.Payload, row)
	}
}

// part takes in a line of the server that can't be read as a whole, or a part of it. A
// response ends its request as soon as its id is known.
func (x *Index) part(e *session.Entry, goesOn bool, row *session.Row) {
	if !goesOn {
		x.partial = framing.Partial{}
	}
	switch p := &x.partial; {
	case p.Add(e.Payload, !e.More && e.EOL != framing.NoEOL):
		count(&x.stats, e.Kind)
		x.formerly.unread++
		row.Msg = p.Kind
		x.response(newPairKey(true, p.ID), session.ReqLost, false, row)
		if row.State == session.ReqNone {
			row.State = session.ReqUnread
		}
	case !e.More && !p.Found:
		x.stats.Stray++
	}
	if !e.More && x.partial.Found {
		x.formerly.stray++
	}
}

// line counts and pairs the messages of one line: one, or those of a batch.
func (x *Index) line(kind session.Kind, m framing.Message, line []byte, row *session.Row) {
	if m.Kind != framing.Batch {
		x.message(kind, m, line, row)
		return
	}
	x.elements.row.whole = row.Msg == framing.Batch && row.Flags&(session.FlagBatch|session.FlagPart) == 0
	row.Flags |= session.FlagBatch
	for span := range framing.Elements(line) {
		member := span.Of(line)
		x.message(kind, framing.Scan(member), member, row)
	}
}

// message counts and pairs one message of the row that is being added.
func (x *Index) message(kind session.Kind, m framing.Message, line []byte, row *session.Row) {
	if row.Flags&session.FlagBatch != 0 {
		x.elements.count(m)
	}
	outgoing := kind == session.KindStdin
	if m.Kind == framing.NotJSON || m.Kind == framing.Other {
		if !outgoing {
			x.stats.Stray++
		}
		return
	}
	count(&x.stats, kind)
	switch m.Kind {
	case framing.Request:
		method := m.Method.Of(line)
		row.Method = x.intern(method)
		x.request(newPairKey(outgoing, m.ID.Of(line)), row)
		x.pair.tokens.request(outgoing, m.Params.Of(line), uint32(x.added), x)
		if outgoing {
			x.pair.subscribed = x.pair.subscribed || string(method) == mcp.MethodListen
			x.trackHandshake(string(method))
		}
	case framing.Notification:
		name := m.Method.Of(line)
		row.Method = x.intern(name)
		switch string(name) {
		case mcp.MethodProgress:
			x.owner = x.pair.tokens.owner(!outgoing, m.Params.Of(line))
		case mcp.MethodCancelled:
			x.cancelled(outgoing, m.Params.Of(line))
		default:
			if x.pair.subscribed && !outgoing {
				x.owner = x.subscription(m.Params.Of(line))
			}
		}
	case framing.Response, framing.ErrorResponse:
		outcome := session.ReqAnswered
		if m.Kind == framing.ErrorResponse {
			outcome = session.ReqFailed
		}
		x.response(newPairKey(!outgoing, m.ID.Of(line)), outcome, m.Kind == framing.Response && session.IsToolError(m.Result.Of(line)), row)
		x.goesOn(kind, line, row)
	}
}

// goesOn marks the row of a result of the server with which the request has not
// ended: one that asks for input, or a task.
func (x *Index) goesOn(kind session.Kind, line []byte, row *session.Row) {
	switch {
	case kind != session.KindStdout || row.Flags&session.FlagBatch != 0 || row.Related == 0 || row.State != session.ReqNone:
	case summary.AsksForInput(line):
		row.State = session.ReqInput
	case row.Msg == framing.Response && summary.GoesOn(x.methodName(row.Method), line):
		row.State = session.ReqTask
	case row.Flags&session.FlagError == 0 && summary.TaskFailed(x.methodName(row.Method), line):
		row.Flags |= session.FlagError
		x.stats.Errors++
	}
}

func count(s *session.Stats, kind session.Kind) {
	if kind == session.KindStdin {
		s.Out++
	} else {
		s.In++
	}
}

// request makes a request pending. An id that is already pending belongs to the
// newer request from now on, as their responses could not be told apart.
func (x *Index) request(key pairKey, row *session.Row) {
	number := uint32(x.added)
	key.ofRequest(number, x.elements.current)
	older, again, ok := x.pair.open(key, number)
	if !ok {
		x.stats.Untracked++
	}
	row.State = session.ReqPending
	if again {
		if x.elements.open[key].element == 0 {
			x.elements.addReplaced(older, number)
		}
		x.settled(older, key, session.ReqLost, false)
		x.end(older, session.ReqLost)
	}
	if ok {
		x.elements.opened(key, row.Method, &x.pair)
		x.inRow.addPending()
		row.State = session.ReqPending
	}
}

// tallyOf returns the tally of a row's requests; false for a row with one.
func (x *Index) tallyOf(number uint32) (tally, bool) {
	if x.adding && int(number) == x.added {
		return x.inRow, true
	}
	t, ok := x.pair.tallies[number]
	return t, ok
}

// settleOne records the outcome of one of a row's requests. It returns the
// outcome of the row and whether none of its requests are pending.
func (x *Index) settleOne(number uint32, state session.ReqState, failed bool) (session.ReqState, bool, bool) {
	t, ok := x.tallyOf(number)
	if !ok {
		return state, failed, true
	}
	last := t.settleOne(state, failed)
	switch {
	case x.adding && int(number) == x.added:
		x.inRow = t
	case last:
		delete(x.pair.tallies, number)
	default:
		x.pair.tallies[number] = t
	}
	return t.state, t.failed, last
}

// response settles the request of key with an outcome: ReqFailed with an error,
// ReqAnswered with a result, which may be that of a failed tool, and ReqLost with a
// response that can't be read. Any response settles a probe.
func (x *Index) response(key pairKey, outcome session.ReqState, toolError bool, row *session.Row) {
	number, pending := x.pair.settle(key, x.elements.open[key].element, true)
	before, known := x.pair.done[key]
	if !pending && known {
		number = before.row
	}
	var request session.Row
	if known || pending {
		request, known = x.row(int(number))
	}
	mark := outcome == session.ReqFailed || toolError
	if probe := request.Flags & session.FlagProbe; probe != 0 {
		row.Flags |= probe
		outcome, mark = session.ReqAnswered, false
	}
	if mark {
		row.Flags |= session.FlagError
		if row.Kind == session.KindStdout {
			x.stats.Errors++
		} else {
			x.formerly.sentErrors++
		}
	}
	if !known {
		if !x.Partial && !*x.pair.untrackedLike(key) {
			x.stats.Unmatched++
			row.State = session.ReqUnmatched
		}
		return
	}
	row.Related, row.Method = number+1, request.Method
	if !pending && before.answered {
		x.stats.Unmatched++
		row.State = session.ReqDuplicate
		x.settled(number, key, session.ReqDuplicate, mark)
		return
	}
	if method := x.settled(number, key, outcome, mark); method != 0 {
		row.Method = method
	}
	if pending {
		x.answered(number, request, outcome, mark)
	} else {
		x.pair.remember(key, settled{number, before.element, true})
		x.answeredLate(number, request, outcome, mark)
	}
}

// answered records that the row being added is the response to a pending
// request. A row with several requests is answered when all of them are.
func (x *Index) answered(number uint32, request session.Row, state session.ReqState, mark bool) {
	state, mark, last := x.settleOne(number, state, mark)
	if !last {
		return
	}
	x.pairWith(number, request, state, mark)
}

// answeredLate records the response to a request that was given up. A cancelled or
// timed-out one keeps that state, except a probe, for which no response is too late.
// The response to one whose write failed proves that it arrived.
func (x *Index) answeredLate(number uint32, request session.Row, outcome session.ReqState, mark bool) {
	if request.Related != 0 || request.State == session.ReqPending && request.Flags&session.FlagProbe == 0 {
		return // of several requests, another response is paired with the row
	}
	state := request.State
	switch {
	case request.Flags&session.FlagProbe != 0:
		state = session.ReqAnswered
	case state == session.ReqLost:
		state = outcome
	}
	x.pairWith(number, request, state, mark)
}

// pairWith pairs a request with the row being added. A row that already has a
// partner keeps it.
func (x *Index) pairWith(number uint32, request session.Row, state session.ReqState, mark bool) {
	before := request
	request.State = state
	if mark {
		request.Flags |= session.FlagError
	}
	if before.Related != 0 || int(number) == x.added {
		x.change(int(number), before, request)
		return
	}
	request.Related = uint32(x.added) + 1
	x.history.answered(int(number), x.added, before, request)
	x.setRow(int(number), request)
}

// cancelled marks the request that a notifications/cancelled names. A response
// that crosses it is still paired. Only a subscription can be cancelled by the side
// that answers it.
func (x *Index) cancelled(outgoing bool, raw []byte) {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(raw, &params) != nil || params.RequestID == nil {
		return
	}
	key, other := newPairKey(outgoing, params.RequestID), newPairKey(!outgoing, params.RequestID)
	_, pending := x.pair.pending[key]
	theirs, open := x.pair.pending[other]
	subscription := !pending && open && methodOf(x, other, theirs) == mcp.MethodListen
	number, ok := x.pair.find(key)
	if subscription || !ok {
		number, ok = x.pair.find(other)
	}
	if !ok {
		return
	}
	x.owner = number + 1
	if subscription {
		key = other
	}
	x.giveUp(key, session.ReqCancelled)
}

// note reads what the index needs from an entry that carries no stream bytes. A
// body that can't be decoded, in a foreign file, is ignored.
func (x *Index) note(e *session.Entry) {
	switch e.Kind {
	case session.KindState:
		var b session.StateBody
		switch {
		case e.DecodeBody(&b) != nil:
		case b.ID != nil && b.State == session.ReqTimedOut.String():
			x.timedOut(b.Of, newPairKey(true, b.ID))
		case b.Of == 0 && b.Era != "":
			x.finishHandshake(mcp.Era(b.Era))
		}
	case session.KindWrite:
		var b session.WriteBody
		if e.DecodeBody(&b) == nil {
			x.unsent(b.Of)
		}
	case session.KindLagged:
		x.stats.Lagged++
	case session.KindHeld:
		x.stats.Held++
	case session.KindGap:
		x.stats.Gaps++
		var b session.GapBody
		if e.DecodeBody(&b) == nil {
			x.stats.LostBytes += b.Bytes
		}
	case session.KindStart, session.KindClosed, session.KindFailed:
		for _, number := range x.pair.pending {
			x.setState(number, session.ReqLost)
		}
		for _, number := range x.handshakeState.rows {
			x.setState(number, session.ReqLost)
		}
		x.pair.forget()
		clear(x.elements.open)
		clear(x.inParts[:])
		x.openIn = openLine{}
		x.handshakeState = handshakeState{}
	}
}

// timedOut marks the request of an entry that was reported as timed out: the one with
// the id, unless another entry has that. A log may not have the entry.
func (x *Index) timedOut(n uint64, key pairKey) {
	number, ok := x.pair.find(key)
	of, known := x.numbering.row(n, x.added)
	row, _ := x.row(int(of))
	if known && (!ok || number != of) && row.Kind == session.KindStdin && row.Msg == framing.Request && row.Flags&session.FlagBatch == 0 {
		number, ok = of, true
		if row.State == session.ReqPending {
			key = x.pair.pendingAt(of)
		}
	}
	if !ok {
		return
	}
	x.owner = number + 1
	if at, ok := x.pair.find(key); ok && at == number {
		x.giveUp(key, session.ReqTimedOut)
	}
}

// pendingAt returns the key of a pending request, which is the only message of a row.
func (p *pairing) pendingAt(row uint32) (key pairKey) {
	for key, at := range p.pending {
		if at == row {
			return key
		}
	}
	return pairKey{}
}

// unsent marks the requests of entry n, whose write did not fully reach the
// server. It scans all pending requests only if one of them belongs to that
// entry: after a flood of server requests thousands of responses fail at once.
func (x *Index) unsent(n uint64) {
	of, known := x.numbering.row(n, x.added)
	row, ok := x.row(int(of))
	if !known || !ok || row.Kind != session.KindStdin || row.State == session.ReqNone || row.Msg != framing.Request && row.Flags&session.FlagBatch == 0 {
		return
	}
	x.owner = of + 1
	if row.State != session.ReqPending {
		return
	}
	for key, number := range x.pair.pending {
		if number == of && key.outgoing() {
			x.giveUp(key, session.ReqLost)
		}
	}
}

// giveUp settles a pending request without a response.
func (x *Index) giveUp(key pairKey, state session.ReqState) {
	if number, ok := x.pair.settle(key, x.elements.open[key].element, false); ok {
		x.settled(number, key, state, false)
		x.end(number, state)
	} else if done, ok := x.pair.done[key]; ok && !done.answered && x.handshakeState.has(done.row) {
		x.setState(done.row, state)
	}
}

// end records that one of a row's requests is no longer pending.
func (x *Index) end(number uint32, state session.ReqState) {
	if state, _, last := x.settleOne(number, state, false); last {
		x.setState(number, state)
	}
}

// setState moves a request that is still pending to another state.
func (x *Index) setState(number uint32, state session.ReqState) {
	if row, ok := x.row(int(number)); ok && row.State == session.ReqPending {
		x.history.change(int(number), x.added, row)
		row.State = state
		x.setRow(int(number), row)
	}
}
