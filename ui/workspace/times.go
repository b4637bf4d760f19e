package workspace

import (
	"slices"

	"mcpdbg/session"
	"mcpdbg/session/exchange"
)

// Times returns whose time a span of the exchange of the request at a row was.
func (w *Workspace) Times(number int, whole exchange.Span) exchange.Times {
	return w.Shown.Index.Exchanges.Split(&w.Shown.Rows, number, whole)
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
	waits := w.Shown.Index.Exchanges.WaitsIn(&w.Shown.Rows, number, whole)
	if since, ok := w.WaitsSince(number); ok {
		waits = append(waits, exchange.Span{From: since, To: exchange.Open})
	}
	return exchange.TimesOf(whole, waits)
}

// WaitsSince returns since when a pending exchange waits for the user: a request of the
// server, or the call around it.
func (w *Workspace) WaitsSince(number int) (since int64, ok bool) {
	at, ok := w.Question(number)
	row, _ := w.Shown.Rows.At(at)
	return row.T, ok
}

// Question returns the row of the first request of the server for which a pending exchange
// waits for the user: the exchange itself, or one during it.
func (w *Workspace) Question(number int) (row int, ok bool) {
	var since int64
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
		if asked, _ := w.Shown.Rows.At(at); !ok || asked.T < since {
			row, since, ok = at, asked.T, true
		}
	}
	return row, ok
}

// OpenTask reports whether a call goes on as a task that has not ended, and whose
// process runs.
func (w *Workspace) OpenTask(call int) bool {
	x := w.Shown.Index
	if t, ok := x.Exchanges.Task(call); !ok || !t.Open {
		return false
	}
	row, _ := x.Exchanges.rows.At(call)
	return !x.ended(call, row.Run)
}

// ended reports whether the process of a row has ended.
func (x *Index) ended(number int, run uint16) bool {
	exits := x.Points[ExitPoint]
	i, _ := slices.BinarySearch(exits, uint32(number))
	if i == len(exits) {
		return false
	}
	exit, ok := x.Exchanges.rows.At(int(exits[i]))
	return ok && exit.Run == run
}

// EndOfProcess returns when the process of a request without a response ended.
func (w *Workspace) EndOfProcess(number int, request *session.Row) (at int64, ok bool) {
	exits := w.Shown.Index.Points[ExitPoint]
	i, _ := slices.BinarySearch(exits, uint32(number))
	if request.State != session.ReqLost || i == len(exits) {
		return 0, false
	}
	exit, ok := w.Shown.Rows.At(int(exits[i]))
	return exit.T, ok && exit.Run == request.Run
}
