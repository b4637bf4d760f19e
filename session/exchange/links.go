package exchange

import (
	"iter"
	"sort"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const (
	// linksRead is how many links after a row are read to find those of its exchange.
	linksRead = 4096
	// maxRounds is how many rounds of one exchange are looked for.
	maxRounds = 1000
)

// A Reader is a log that reads single rows without allocating.
type Reader interface {
	session.Source
	At(number int) (row session.Row, ok bool)
}

type reader struct {
	session.Source
	row [1]session.Row
}

func (r *reader) At(number int) (session.Row, bool) {
	ok := number >= 0 && r.Rows(number, r.row[:]) == 1
	return r.row[0], ok
}

func responseTo(rows Reader, request int) (response session.Row, ok bool) {
	row, _ := rows.At(request)
	number, _ := row.Partner()
	return rows.At(number)
}

// RowOf returns the row of entry n.
func RowOf(rows Reader, n uint64) (number int, ok bool) {
	const near = 64 // rows that may have no entry number of their own
	for number := int(n) - 1; n > 0 && number >= 0 && number > int(n)-near; number-- {
		row, ok := rows.At(number)
		if !ok {
			continue
		}
		if e, err := rows.Entry(row, 1); err == nil && e.N == n {
			return number, true
		}
	}
	return 0, false
}

// A link is a row that belongs to the exchange of another row.
type link struct{ row, of uint32 }

type links []link

func (l links) from(row int) int {
	return sort.Search(len(l), func(i int) bool { return int(l[i].row) >= row })
}

func (l links) of(row int) (exchange int, ok bool) {
	i := l.from(row)
	if i == len(l) || int(l[i].row) != row {
		return 0, false
	}
	return int(l[i].of), true
}

// all iterates over the rows of an exchange among a limited number after it.
func (l links) all(exchange int) iter.Seq[int] {
	return func(yield func(int) bool) {
		from := l.from(exchange + 1)
		for _, link := range l[from:min(from+linksRead, len(l))] {
			if int(link.of) == exchange && !yield(int(link.row)) {
				return
			}
		}
	}
}

// to returns the first row of an exchange.
func (l links) to(exchange int) (row int, ok bool) {
	for row = range l.all(exchange) {
		return row, true
	}
	return 0, false
}

func (l links) upTo(rows int) links {
	n := l.from(rows)
	return l[:n:n]
}

// Links are the rows of a log that belong to the exchange of an earlier row, which is
// that of its first request: those that rows themselves do not name. They may be read on
// any goroutine while the Table that they come from goes on.
type Links struct {
	later     links // requests that continue an exchange: sent again with the input that a result asked for, or about its task
	nested    links // requests that servers made during an exchange
	withdrawn links // notifications with which servers cancelled a request
	cancels   links // notifications with which we cancelled an exchange
	givenUp   links // entries that report that it timed out, or was not sent
	statuses  links // notifications about its task
}

// upTo returns the links when the log had a number of rows.
func (l *Links) upTo(rows int) Links {
	return Links{l.later.upTo(rows), l.nested.upTo(rows), l.withdrawn.upTo(rows), l.cancels.upTo(rows), l.givenUp.upTo(rows), l.statuses.upTo(rows)}
}

// First returns the first request of the exchange of a request.
func (l *Links) First(request int) int {
	if first, ok := l.later.of(request); ok {
		return first
	}
	return request
}

// During returns the exchange to which a request of the server belongs.
func (l *Links) During(request int) (first int, ok bool) { return l.nested.of(request) }

// Cancelled returns the row of the first cancellation of an exchange.
func (l *Links) Cancelled(first int) (row int, ok bool) { return l.cancels.to(first) }

// CancelOf returns the exchange that a notification cancels.
func (l *Links) CancelOf(row int) (first int, ok bool) { return l.cancels.of(row) }

// Statuses iterates over the notifications about the task of an exchange.
func (l *Links) Statuses(first int) iter.Seq[int] { return l.statuses.all(first) }

// StatusOf returns the exchange about whose task a notification is.
func (l *Links) StatusOf(row int) (first int, ok bool) { return l.statuses.of(row) }

// Later iterates over the requests of an exchange after the first.
func (l *Links) Later(rows Reader, first int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if len(l.later) == 0 {
			return
		}
		task, more := goesOn(rows, first)
		if !more {
			return
		}
		found := 0
		for round := range l.later.all(first) {
			found++
			if !yield(round) || found == maxRounds {
				return
			}
			if task { // several requests about it may be pending at once
				continue
			}
			if task, more = goesOn(rows, round); !more {
				return
			}
		}
	}
}

// goesOn reports whether the request at a row does not end with its result, and
// whether it has become a task.
func goesOn(rows Reader, request int) (task, more bool) {
	row, ok := rows.At(request)
	if !ok || row.Msg != framing.Request {
		return false, false
	}
	number, _ := row.Partner()
	result, _ := rows.At(number)
	return result.State == session.ReqTask, result.State == session.ReqTask || result.State == session.ReqInput
}

// EndOf returns when an exchange was cancelled, timed out, or was not sent.
func (l *Links) EndOf(rows Reader, first int) (at int64, ok bool) {
	for _, ends := range []links{l.cancels, l.withdrawn, l.givenUp} {
		if number, found := ends.to(first); found {
			row, _ := rows.At(number)
			if !ok || row.T < at {
				at, ok = row.T, true
			}
		}
	}
	return at, ok
}

// Split returns whose time a span of the exchange of the request at a row was. That of a
// server's request is all the person's.
func (l *Links) Split(rows Reader, number int, whole Span) Times {
	row, ok := rows.At(number)
	if ok && row.Kind == session.KindStdout {
		return TimesOf(whole, []Span{whole})
	}
	if len(l.later) == 0 && len(l.nested) == 0 { // as in nearly all logs
		at, _ := row.Partner()
		if result, ok := rows.At(at); !ok || result.State != session.ReqInput {
			return TimesOf(whole, nil)
		}
	}
	return TimesOf(whole, l.WaitsIn(rows, l.First(number), whole))
}

// WaitsIn returns when the server waited for its client in a span of an exchange: for
// responses to its own requests, and for input. The spans may exceed that span.
func (l *Links) WaitsIn(rows Reader, first int, whole Span) []Span {
	return append(l.pauses(rows, first), l.asked(rows, first, whole.To)...)
}

// asked returns when the server waited for responses to the requests that it made during
// an exchange, before a time.
func (l *Links) asked(rows Reader, first int, before int64) (waits []Span) {
	for number := range l.nested.all(first) {
		request, ok := rows.At(number)
		if !ok || request.T >= before {
			break
		}
		waits = append(waits, Span{request.T, l.waitedUntil(rows, number, &request)})
	}
	return waits
}

// waitedUntil returns the end of the server's wait for the response to its request at a
// row.
func (l *Links) waitedUntil(rows Reader, number int, request *session.Row) int64 {
	end := int64(Open)
	at, _ := request.Partner()
	if response, ok := rows.At(at); ok {
		end = response.T
	}
	if request.State != session.ReqCancelled {
		return end
	}
	if at, ok := l.withdrawn.to(number); ok {
		cancel, _ := rows.At(at)
		end = min(end, cancel.T)
	}
	return end
}

// pauses returns the times between the rounds of an exchange, and from the last result on
// if that asks for input. A server works between two polls of a task: there the only
// pause is before tasks/update.
func (l *Links) pauses(rows Reader, first int) (pauses []Span) {
	before := first
	for round := range l.Later(rows, first) {
		request, _ := rows.At(round)
		method := rows.Method(request.Method)
		if result, answered := responseTo(rows, before); answered && (!mcp.IsTaskMethod(method) || method == mcp.MethodTasksUpdate) {
			pauses = append(pauses, Span{result.T, request.T})
		}
		before = round
	}
	if result, answered := responseTo(rows, before); answered && result.State == session.ReqInput {
		pauses = append(pauses, Span{result.T, Open})
	}
	return pauses
}
