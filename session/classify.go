package session

import (
	"bytes"
	"encoding/json"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// classify fills a row for an entry of a stream kind and pairs its messages.
func (x *Index) classify(e *Entry, row *Row) {
	if e.Encoded {
		row.Flags |= FlagEncoded
	}
	goesOn := x.inParts[e.Kind]
	part := e.More || goesOn
	x.inParts[e.Kind] = e.More
	if part {
		row.Flags |= FlagPart
	}
	if goesOn && !e.More && len(e.Payload) == 0 {
		row.Flags |= FlagLineEnd
	}
	size := uint64(len(e.Payload))
	switch e.Kind {
	case KindStderr:
		x.stats.BytesErr += size
		if !e.More {
			x.stats.StderrLines++
		}
		return
	case KindStdin:
		x.stats.BytesOut += size
	case KindStdout:
		x.stats.BytesIn += size
	}
	if part { // never a message
		row.Flags |= FlagProblem
		if e.Kind == KindStdout && !e.More {
			x.stats.Stray++
		}
		return
	}
	if e.Kind == KindStdin && (x.openIn.open() || e.EOL == framing.NoEOL) {
		x.openStdin(e, row)
		return
	}
	row.Msg = e.Msg.Kind
	if e.Msg.Problems&^framing.ProblemCRLF != 0 {
		row.Flags |= FlagProblem
	}
	switch {
	case e.Kind == KindStdin && bytes.IndexByte(e.Payload, '\n') >= 0:
		row.Flags |= FlagBatch
		for line := range bytes.SplitSeq(e.Payload, []byte{'\n'}) {
			x.line(e.Kind, framing.Scan(line), line, row)
		}
	case e.judged && e.Msg.Kind == framing.Response:
		x.stats.count(e.Kind)
		x.response(newPairKey(e.Kind != KindStdin, e.Msg.ID.Of(e.Payload)), false, e.toolError, row)
	default:
		x.line(e.Kind, e.Msg, e.Payload, row)
	}
}

// line counts and pairs the messages of one line: one, or those of a batch.
func (x *Index) line(kind Kind, m framing.Message, line []byte, row *Row) {
	if m.Kind != framing.Batch {
		x.message(kind, m, line, row)
		return
	}
	row.Flags |= FlagBatch
	for span := range framing.Elements(line) {
		member := span.Of(line)
		x.message(kind, framing.Scan(member), member, row)
	}
}

// message counts and pairs one message of the row that is about to be added.
func (x *Index) message(kind Kind, m framing.Message, line []byte, row *Row) {
	outgoing := kind == KindStdin
	if m.Kind == framing.NotJSON || m.Kind == framing.Other {
		if !outgoing {
			x.stats.Stray++
		}
		return
	}
	x.stats.count(kind)
	switch m.Kind {
	case framing.Request:
		method := m.Method.Of(line)
		row.Method = x.intern(method)
		x.request(newPairKey(outgoing, m.ID.Of(line)), row)
		if outgoing {
			x.shakes(string(method))
		}
	case framing.Notification:
		row.Method = x.intern(m.Method.Of(line))
		x.cancelled(outgoing, m, line)
	case framing.Response, framing.ErrorResponse:
		failed := m.Kind == framing.ErrorResponse
		x.response(newPairKey(!outgoing, m.ID.Of(line)), failed, !failed && isToolError(m.Result.Of(line)), row)
	}
}

// count counts one message.
func (s *Stats) count(kind Kind) {
	if kind == KindStdin {
		s.Out++
	} else {
		s.In++
	}
}

// request makes a request pending. An id that is pending already belongs to
// the newer request from now on, as nobody could tell whose answer comes.
func (x *Index) request(key pairKey, row *Row) {
	number := uint32(x.added)
	older, again, ok := x.pair.open(key, number)
	if !ok {
		x.stats.Untracked++
	}
	row.State = ReqPending
	if again {
		x.end(older, ReqLost)
	}
	if ok {
		x.inRow.opens()
		row.State = ReqPending
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

// settles takes what became of one of a row's requests. It returns what became
// of the row, and whether nothing of it is pending any more.
func (x *Index) settles(number uint32, state ReqState, failed bool) (ReqState, bool, bool) {
	t, ok := x.tallyOf(number)
	if !ok {
		return state, failed, true
	}
	last := t.settles(state, failed)
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

// response settles the request of key with an error, or with a result that may
// be that of a tool that failed. One to a probe is as good as any other.
func (x *Index) response(key pairKey, failed, toolError bool, row *Row) {
	number, pending := x.pair.settle(key, true)
	before, known := x.pair.done[key]
	if !pending && known {
		number = before.row
	}
	var request Row
	if known || pending {
		request, known = x.row(int(number))
	}
	mark := failed || toolError
	if probe := request.Flags & FlagProbe; probe != 0 {
		row.Flags |= probe
		failed, mark = false, false
	}
	if mark {
		row.Flags |= FlagError
		x.stats.Errors++
	}
	if !known {
		if !x.Partial {
			x.stats.Orphans++
			row.State = ReqOrphan
		}
		return
	}
	row.Pair, row.Method = number+1, request.Method
	if !pending && before.answered {
		x.stats.Orphans++
		row.State = ReqDuplicate
		return
	}
	if pending {
		x.answered(number, request, failed, mark)
	} else {
		x.pair.remember(key, settled{number, true})
		x.answeredLate(number, request, mark)
	}
}

// answered notes the answer, which the row that is about to be added is, to a
// request that was pending. A row with several has its answer when all have.
func (x *Index) answered(number uint32, request Row, failed, mark bool) {
	state := ReqAnswered
	if failed {
		state = ReqFailed
	}
	state, mark, last := x.settles(number, state, mark)
	if !last {
		return
	}
	x.pairWith(number, request, state, mark)
}

// answeredLate notes the answer to a request that was cancelled or timed out: it
// stays that, but for a probe, to which no time is too long.
func (x *Index) answeredLate(number uint32, request Row, mark bool) {
	if request.Pair != 0 || request.State == ReqPending && request.Flags&FlagProbe == 0 {
		return // of several, another answer is the row's
	}
	state := request.State
	if request.Flags&FlagProbe != 0 {
		state = ReqAnswered
	}
	x.pairWith(number, request, state, mark)
}

// pairWith makes the row that is about to be added the answer to a request's. A
// batch may answer another row itself: then its Pair stays that.
func (x *Index) pairWith(number uint32, request Row, state ReqState, mark bool) {
	before := request
	request.State = state
	if mark {
		request.Flags |= FlagError
	}
	if before.Pair != 0 || int(number) == x.added {
		x.change(int(number), before, request)
		return
	}
	request.Pair = uint32(x.added) + 1
	x.history.answered(int(number), x.added, before, request)
	x.setRow(int(number), request)
}

// cancelled marks the request that a notifications/cancelled names. An answer
// that crosses it is still paired.
func (x *Index) cancelled(outgoing bool, m framing.Message, line []byte) {
	if string(m.Method.Of(line)) != "notifications/cancelled" {
		return
	}
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.Params.Of(line), &params) != nil || params.RequestID == nil {
		return
	}
	x.giveUp(newPairKey(outgoing, params.RequestID), ReqCancelled)
}

// note reads what the index needs from an entry that carries no stream bytes.
// A body that can't be decoded, in a file that others wrote, says nothing.
func (x *Index) note(e *Entry) {
	switch e.Kind {
	case KindState:
		var b StateBody
		switch {
		case e.DecodeBody(&b) != nil:
		case b.ID != nil && b.State == ReqTimedOut.String():
			x.giveUp(newPairKey(true, b.ID), ReqTimedOut)
		case b.Of == 0 && b.Era != "":
			x.shookHands(mcp.Era(b.Era))
		}
	case KindWrite:
		var b WriteBody
		if dense := e.N == uint64(x.added)+1; dense && e.DecodeBody(&b) == nil {
			x.unsent(b.Of)
		}
	case KindLagged:
		x.stats.Lagged++
	case KindHeld:
		x.stats.Held++
	case KindGap:
		x.stats.Gaps++
		var b GapBody
		if e.DecodeBody(&b) == nil {
			x.stats.LostBytes += b.Bytes
		}
	case KindStart, KindClosed, KindFailed:
		for _, number := range x.pair.pending {
			x.setState(number, ReqLost)
		}
		for _, number := range x.shaking.rows {
			x.setState(number, ReqLost)
		}
		x.pair.forget()
		clear(x.inParts[:])
		x.openIn = openLine{}
		x.shaking = shaking{}
	}
}

// unsent marks the requests of entry n, whose write did not reach the server
// whole. All that are pending are looked at only if one of them is of that entry:
// after a flood of requests to us thousands of answers fail at once.
func (x *Index) unsent(n uint64) {
	if row, ok := x.row(int(n) - 1); !ok || row.Kind != KindStdin || row.State != ReqPending {
		return
	}
	for key, number := range x.pair.pending {
		if uint64(number)+1 == n && key.outgoing() {
			x.giveUp(key, ReqLost)
		}
	}
}

// giveUp ends the wait of a request without an answer.
func (x *Index) giveUp(key pairKey, state ReqState) {
	if number, ok := x.pair.settle(key, false); ok {
		x.end(number, state)
	} else if done, ok := x.pair.done[key]; ok && !done.answered && x.shaking.has(done.row) {
		x.setState(done.row, state)
	}
}

// end notes that one of a row's requests waits no more.
func (x *Index) end(number uint32, state ReqState) {
	if state, _, last := x.settles(number, state, false); last {
		x.setState(number, state)
	}
}

// setState moves a request that is still pending to another state.
func (x *Index) setState(number uint32, state ReqState) {
	if row, ok := x.row(int(number)); ok && row.State == ReqPending {
		x.history.change(int(number), x.added, row)
		row.State = state
		x.setRow(int(number), row)
	}
}

// isToolError tells whether a result has the member isError with true. Most
// results say false, and are not decoded for that. It looks for the end of the
// name first: few texts have an E, and all have quotes.
func isToolError(result []byte) bool {
	const begin, end = `"is`, `Error"`
	for rest := result; ; {
		i := bytes.Index(rest, []byte(end))
		if i < 0 {
			return false
		}
		named := bytes.HasSuffix(rest[:i], []byte(begin))
		rest = rest[i+len(end):]
		value := bytes.TrimLeft(rest, " \t:")
		if named && bytes.HasPrefix(value, []byte("true")) {
			break
		}
	}
	var r struct {
		IsError bool `json:"isError"`
	}
	return json.Unmarshal(result, &r) == nil && r.IsError
}
