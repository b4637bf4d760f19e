package exchange

import (
	"cmp"
	"math"
	"slices"

	"mcpdbg/session"
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
		waits = slices.SortedFunc(slices.Values(waits), func(a, b Span) int { return cmp.Compare(a.From, b.From) })
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
