package exchange

import (
	"math"
	"slices"
	"sort"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A Span is a part of the time of a log, in microseconds.
type Span struct{ From, To int64 }

// Open is the end of a span that has not ended.
const Open = math.MaxInt64

// Times are how long an exchange took, in microseconds.
type Times struct {
	Total  int64 // from the request to the response
	Person int64 // of that, what the server waited for a response or input of its client
	Server int64 // the rest
}

// noticed is the shortest time of a person that texts mention: people notice delays
// from a tenth of a second on (Nielsen, Usability Engineering, 1993).
const noticed = 100_000

// Noticed reports whether a time in microseconds in which a server waited is worth
// mentioning.
func Noticed(waited int64) bool { return waited >= noticed }

// Answering returns how long the side took that answers a request, whose row has the
// given kind, and for how long that side waited for the other one: a client, which
// answers requests of a server, does not wait.
func (t Times) Answering(request session.Kind) (took, waited int64) {
	if request == session.KindStdout {
		return t.Total, 0
	}
	return t.Server, t.Person
}

// TimesOf returns the times of an exchange that took a span. waits are the spans in
// which the server waited, in any order; they may overlap and exceed the exchange.
func TimesOf(whole Span, waits []Span) Times {
	t := Times{Total: max(whole.To-whole.From, 0)}
	if len(waits) > 1 {
		waits = slices.Clone(waits)
		sort.Slice(waits, func(i, j int) bool { return waits[i].From < waits[j].From })
	}
	counted := whole.From
	for _, w := range waits {
		from, to := max(w.From, counted), min(w.To, whole.To)
		if from < to {
			t.Person += to - from
			counted = to
		}
	}
	t.Server = t.Total - t.Person
	return t
}

// Times returns the times of the request at a row, which has a response. All the time
// of a request of the server is that of the person.
func (t *Table) Times(number int, request, response session.Row) Times {
	whole := Span{request.T, response.T}
	if request.Kind == session.KindStdout {
		return TimesOf(whole, []Span{whole})
	}
	answer, _ := request.Partner()
	return t.Between(number, answer, whole)
}

// Between returns the times of a request of the client at a row, whose response is at
// another one, for a span.
func (t *Table) Between(request, response int, whole Span) Times {
	return TimesOf(whole, t.Waits(request, response))
}

// Waits returns when the server waited for responses of its client during the exchange of
// the request at a row, as far as the row of its response. The spans may exceed the
// exchange.
func (t *Table) Waits(number, response int) []Span {
	t.reach(response)
	return t.asked(&t.rows, t.First(number), Open)
}

// TimesOfRounds returns the times of an exchange of several requests, which are rows
// in ascending order: rounds, between which the server waited for input, or a call and
// the requests about its task, for whose input it waited before tasks/update.
func (t *Table) TimesOfRounds(requests []int) (times Times) {
	var whole Span
	var waits []Span
	for i, number := range requests {
		request, _ := t.rows.At(number)
		at, _ := request.Partner()
		response, answered := t.rows.At(at)
		switch method := t.src.Method(request.Method); {
		case i == 0:
			whole.From = request.T
		case !mcp.IsTaskMethod(method) || method == mcp.MethodTasksUpdate:
			waits = append(waits, Span{whole.To, request.T})
		}
		if answered {
			whole.To = response.T
		}
		waits = append(waits, t.Waits(number, at)...)
	}
	return TimesOf(whole, waits)
}

// TimesCancelled returns the times of the request at a row until it was cancelled, if it was. It
// follows the whole log.
func (t *Table) TimesCancelled(number int, request session.Row) (times Times, ok bool) {
	if request.Msg != framing.Request || request.State != session.ReqCancelled {
		return Times{}, false
	}
	at, ok := t.GivenUp(number)
	whole := Span{request.T, at}
	if request.Kind == session.KindStdout {
		return TimesOf(whole, []Span{whole}), ok
	}
	return t.Between(number, number, whole), ok
}

// GivenUp returns when the request at a row was cancelled or timed out. It follows the
// whole log.
func (t *Table) GivenUp(number int) (at int64, ok bool) {
	t.reach(t.src.Len() - 1)
	for _, ends := range []links{t.cancels, t.withdrawn, t.givenUp} {
		for event := range ends.all(t.First(number)) {
			row, _ := t.rows.At(event)
			if of, _ := row.Owner(); of == number && row.Kind != session.KindWrite {
				return row.T, true
			}
		}
	}
	return 0, false
}
