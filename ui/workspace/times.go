package workspace

import (
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/mcp"
)

// Times returns whose time a span of the exchange of the request at a row was. That of a
// server's request is all the person's.
func (r *Rows) Times(rounds Rounds, number int, whole exchange.Span) exchange.Times {
	if row, ok := r.At(number); ok && row.Kind == session.KindStdout {
		return exchange.TimesOf(whole, []exchange.Span{whole})
	}
	return exchange.TimesOf(whole, r.waits(rounds, rounds.First(number), whole))
}

// Times is Rows.Times for the shown log.
func (w *Workspace) Times(number int, whole exchange.Span) exchange.Times {
	return w.Shown.Rows.Times(w.Shown.Index.Exchanges.Rounds(), number, whole)
}

// Took returns whose time it was until an exchange ended at a row.
func (w *Workspace) Took(number int, end session.Row) exchange.Times {
	row, _ := w.Shown.Rows.At(number)
	return w.Times(number, exchange.Span{From: row.T, To: end.T})
}

// Elapsed returns whose time it was since a request whose exchange has not ended.
func (w *Workspace) Elapsed(number int, row session.Row) exchange.Times {
	whole := exchange.Span{From: row.T, To: w.Clock}
	if row.Kind == session.KindStdout {
		return w.Times(number, whole)
	}
	waits := w.Shown.Rows.waits(w.Shown.Index.Exchanges.Rounds(), number, whole)
	if since, ok := w.WaitsSince(number); ok {
		waits = append(waits, exchange.Span{From: since, To: exchange.Open})
	}
	return exchange.TimesOf(whole, waits)
}

// WaitsSince returns since when a pending exchange waits for the user: a request of the
// server, or the call around it.
func (w *Workspace) WaitsSince(number int) (since int64, ok bool) {
	for _, q := range w.Waiting {
		at, found := w.RowOf(q.N)
		if !found {
			continue
		}
		call, during := w.Shown.Index.Exchanges.During(at)
		parent, known := w.RowOf(q.Parent)
		if at != number && (!during || call != number) && (!known || parent != number) {
			continue
		}
		if row, _ := w.Shown.Rows.At(at); !ok || row.T < since {
			since, ok = row.T, true
		}
	}
	return since, ok
}

// waits returns when the server waited for its client in a span of an exchange: for
// responses to its own requests, and for input.
func (r *Rows) waits(rounds Rounds, first int, whole exchange.Span) (waits []exchange.Span) {
	waits = r.pauses(rounds, first)
	from := rounds.nested.from(first + 1)
	for _, l := range rounds.nested[from:min(from+nestedRead, len(rounds.nested))] {
		request, ok := r.At(int(l.row))
		if !ok || request.T >= whole.To {
			break
		}
		if int(l.of) != first {
			continue
		}
		waits = append(waits, exchange.Span{From: request.T, To: r.waitedUntil(rounds, int(l.row), &request)})
	}
	return waits
}

// waitedUntil returns the end of the server's wait for the response to its request at a
// row.
func (r *Rows) waitedUntil(rounds Rounds, number int, request *session.Row) int64 {
	end := int64(exchange.Open)
	if response, ok := r.PartnerOf(*request); ok {
		end = response.T
	}
	if request.State != session.ReqCancelled {
		return end
	}
	if at, ok := rounds.withdrawn.to(number); ok {
		cancel, _ := r.At(at)
		end = min(end, cancel.T)
	}
	return end
}

// pauses returns the times between the rounds of an exchange, and from the last result on
// if that asks for input. A server works between two polls of a task: there the only
// pause is before tasks/update.
func (r *Rows) pauses(rounds Rounds, first int) (pauses []exchange.Span) {
	before := first
	for round := range rounds.Later(r, first) {
		request, _ := r.At(round)
		method := r.Source.Method(request.Method)
		if asked, answered := r.responseTo(before); answered && (!mcp.IsTaskMethod(method) || method == mcp.MethodTasksUpdate) {
			pauses = append(pauses, exchange.Span{From: asked.T, To: request.T})
		}
		before = round
	}
	if asked, answered := r.responseTo(before); answered && asked.State == session.ReqInput {
		pauses = append(pauses, exchange.Span{From: asked.T, To: exchange.Open})
	}
	return pauses
}

// givenUp returns when an exchange was cancelled, timed out, or was not sent.
func (r *Rows) givenUp(rounds Rounds, first int) (at int64, ok bool) {
	for _, ends := range []links{rounds.cancels, rounds.withdrawn, rounds.givenUp} {
		if number, found := ends.to(first); found {
			row, _ := r.At(number)
			if !ok || row.T < at {
				at, ok = row.T, true
			}
		}
	}
	return at, ok
}

func (r *Rows) responseTo(number int) (session.Row, bool) {
	request, _ := r.At(number)
	return r.PartnerOf(request)
}
