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
	part := e.More || x.inParts[e.Kind]
	x.inParts[e.Kind] = e.More
	if part {
		row.Flags |= FlagPart
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
			x.probed(string(method))
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
	row.State = ReqPending
	older, again, ok := x.pair.open(key, uint32(x.added))
	if !ok {
		x.stats.Untracked++
	}
	if again {
		x.setState(older, ReqLost)
	}
}

// probed finds out which server/discover was a probe: one that initialize
// follows. Its answer may be there already, or come late.
func (x *Index) probed(method string) {
	switch method {
	case mcp.MethodDiscover:
		x.probe = uint32(x.added) + 1
	case mcp.MethodInitialize:
		answer := x.flag(x.probe, FlagProbe)
		x.flag(answer, FlagProbe)
		x.probe = 0
	}
}

// flag sets a flag of the row with a number plus one, if there is such a row,
// and returns its Pair.
func (x *Index) flag(next uint32, flag RowFlags) (pair uint32) {
	if next == 0 {
		return 0
	}
	row, ok := x.row(int(next) - 1)
	if !ok {
		return 0
	}
	if row.Flags&flag == 0 {
		x.history.change(int(next)-1, x.added, row)
		row.Flags |= flag
		x.setRow(int(next)-1, row)
	}
	return row.Pair
}

// response settles the request of key with an error, or with a result that may
// be that of a tool that failed.
func (x *Index) response(key pairKey, failed, toolError bool, row *Row) {
	var mark RowFlags
	if failed || toolError {
		mark = FlagError
		x.stats.Errors++
	}
	row.Flags |= mark
	number, pending := x.pair.settle(key)
	if !pending {
		var known bool
		if number, known = x.pair.done[key]; !known {
			if x.Partial {
				return
			}
			x.stats.Orphans++
			row.State = ReqOrphan
			return
		}
	}
	request, ok := x.row(int(number))
	if !ok {
		return
	}
	row.Pair, row.Method = number+1, request.Method
	row.Flags |= request.Flags & FlagProbe
	if request.Pair != 0 {
		x.stats.Orphans++
		row.State = ReqDuplicate
		return
	}
	before := request
	request.Pair = uint32(x.added) + 1
	if pending {
		request.State = ReqAnswered
		if failed {
			request.State = ReqFailed
		}
	} // else it was cancelled or timed out before, and stays that
	request.Flags |= mark
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
	x.settle(newPairKey(outgoing, params.RequestID), ReqCancelled)
}

// note reads what the index needs from an entry that carries no stream bytes.
// A body that can't be decoded, in a file that others wrote, says nothing.
func (x *Index) note(e *Entry) {
	switch e.Kind {
	case KindState:
		var b StateBody
		if e.DecodeBody(&b) == nil && b.ID != nil && b.State == ReqTimedOut.String() {
			x.settle(newPairKey(true, b.ID), ReqTimedOut)
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
		x.pair.forget()
		clear(x.inParts[:])
		x.openIn = openLine{}
		x.probe = 0
	}
}

// unsent marks the requests of entry n, whose write did not reach the server
// whole. It happens rarely enough to look at all that are pending.
func (x *Index) unsent(n uint64) {
	for key, number := range x.pair.pending {
		if uint64(number)+1 == n && key.outgoing() {
			x.settle(key, ReqLost)
		}
	}
}

// settle ends the wait of a pending request without an answer.
func (x *Index) settle(key pairKey, state ReqState) {
	if number, ok := x.pair.settle(key); ok {
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
