package cause

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
)

// maxOpen is the number of unanswered requests of each direction that are known;
// further ones are not reported.
const maxOpen = 1024

// maxQuoted is the largest message that is decoded to describe a call, in bytes.
const maxQuoted = 64 << 10

// A request is one without a response that came in time, or several in one entry.
type request struct {
	row       int
	t         int64
	timedOut  bool
	handshake bool
}

// lose keeps a request that ended without a response.
func (f *facts) lose(x exchange.Exchange) {
	if x.State != session.ReqCancelled {
		lost := &f.lost[sideOf(x.FromClient)]
		*lost = appendRequest(*lost, &x)
	}
}

// unanswered returns the requests of one side, oldest first.
func (f *facts) unanswered(fromClient bool) []request {
	if !f.Begun.Seen {
		return nil
	}
	var all []request
	for x := range f.follow.Waiting(fromClient) {
		if x.State != session.ReqCancelled {
			all = appendRequest(all, x)
		}
	}
	all = append(all, f.lost[sideOf(fromClient)]...)
	sort.SliceStable(all, func(i, j int) bool { return all[i].row < all[j].row })
	return slices.CompactFunc(all, func(a, b request) bool { return a.row == b.row })
}

// appendRequest appends a request, unless there are too many or it is in the same entry as
// the last one.
func appendRequest(all []request, x *exchange.Exchange) []request {
	row := int(x.Request.Row)
	if len(all) >= maxOpen || len(all) > 0 && all[len(all)-1].row == row {
		return all
	}
	return append(all, request{row, x.Begin, x.State == session.ReqTimedOut, x.Handshake})
}

func sideOf(fromClient bool) int {
	if fromClient {
		return 0
	}
	return 1
}

// waitingFor returns our unanswered requests. Handshake requests do not count once
// it is done: a server of one era need not answer the other's.
func (w *view) waitingFor() []request {
	if !w.Ready.Seen {
		return w.asked
	}
	return slices.DeleteFunc(slices.Clone(w.asked), func(q request) bool { return q.handshake })
}

// lateHandshake returns the request of a handshake that timed out.
func (w *view) lateHandshake() (request, bool) {
	for _, q := range slices.Backward(w.asked) {
		if !q.handshake {
			continue
		}
		// The probe times out early, and initialize follows.
		row, _ := w.row(q.row)
		last := w.src.Method(row.Method) == mcp.MethodInitialize || w.Over() || w.Exited.Seen
		return q, q.timedOut && last && !w.Ready.Seen
	}
	return request{}, false
}

// message reads a whole message, unless it is too large.
func (w *view) message(number int) (session.Entry, bool) {
	row, ok := w.row(number)
	if !ok || row.Len > maxQuoted {
		return session.Entry{}, false
	}
	return w.entry(row, 0)
}

// id returns the raw id of a message, or "" if it is not known.
func (w *view) id(number int) string {
	e, ok := w.message(number)
	if !ok {
		return ""
	}
	return string(e.Msg.ID.Of(e.Payload))
}

// call describes a request as the calls do: its tool, or its method with the name in its
// params, and its id.
func (w *view) call(number int) string {
	row, ok := w.row(number)
	if !ok {
		return "a request"
	}
	name := clip(w.src.Method(row.Method), quoteShort)
	e, ok := w.message(number)
	if !ok {
		return name
	}
	var params struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(e.Msg.Params.Of(e.Payload), &params) == nil && params.Name != "" {
		name = strings.TrimPrefix(name+" "+clip(params.Name, quoteShort), mcp.MethodToolsCall+" ")
	}
	if id := e.Msg.ID.Of(e.Payload); len(id) > 0 {
		name += fmt.Sprintf(" (id %s)", clip(summary.ID(string(id)), quoteShort))
	}
	return name
}

// called describes the request at a row by its arguments too, which may have numbers that
// look like its id.
func (w *view) called(number int) string {
	row, _ := w.row(number)
	method := w.src.Method(row.Method)
	e, ok := w.message(number)
	if !ok {
		return w.call(number)
	}
	text := clip(summary.Request(method, e.Payload), quoteShort)
	if method != mcp.MethodToolsCall {
		text = wording.Join(" ", clip(method, quoteShort), text)
	} else if tool := summary.Call(method, e.Payload); tool != "" {
		text = wording.Join(" ", clip(tool, quoteShort), text)
	}
	if id := e.Msg.ID.Of(e.Payload); len(id) > 0 {
		text += fmt.Sprintf(" (request id %s)", clip(summary.ID(string(id)), quoteShort))
	}
	return text
}
