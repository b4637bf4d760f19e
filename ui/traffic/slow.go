package traffic

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/ui/workspace"
)

const (
	// slowFrom is the shortest time that counts as slow: people notice delays
	// from a tenth of a second on (Nielsen, Usability Engineering, 1993).
	slowFrom = 100 * time.Millisecond
	// slowTimes is the multiple of the median that counts as slow.
	slowTimes = 5
)

// slowness returns the time from which a call is slow, in microseconds: a multiple of the
// median that the latency panel shows.
func (r *Lists) slowness() int64 {
	if r.Slow > 0 {
		return r.Slow.Microseconds()
	}
	latencies := r.ws.Shown.Index.Latencies
	if latencies == nil { // an earlier moment of a recording
		latencies = r.ws.Whole.Index.Latencies
	}
	return max(slowFrom.Microseconds(), slowTimes*latencies.All().Median())
}

// A basis is what a filter depends on besides the rows. If it changes, all rows are judged
// again.
type basis struct {
	slow     int64 // microseconds from which a call is slow
	complete bool  // the log can no longer grow
}

// basis returns what the filter depends on now. The time of slow calls follows the median
// in steps, so that few of the calls that arrive change it.
func (r *Lists) basis() basis {
	b, shown := r.Traffic.basis, r.Traffic.Shown
	if shown.NamesSlow() {
		if now := r.slowness(); now*stepShare > b.slow*(stepShare+1) || now*(stepShare+1) < b.slow*stepShare {
			b.slow = now
		}
	}
	if shown.NamesUnanswered() {
		b.complete = r.ws.Shown.Source.Stats().Recording.Complete()
	}
	return b
}

// stepShare is the part of the time of slow calls by which it changes at least.
const stepShare = 8

// A ranking is calls by the time of the server.
type ranking struct {
	by      int
	limit   int64    // from which a call is slow
	last    ranked   // the row that was checked last
	slow    []ranked // calls that are slow
	before  *int     // row of the call that was found last; the cursor may have left it
	slowest ranked   // of all calls
}

// ranked is the row that ends a call, and the time of the server.
type ranked struct {
	row  int
	took int64
}

func (k *ranking) add() {
	if k.slowest.row < 0 || k.last.took > k.slowest.took {
		k.slowest = k.last
	}
	if k.last.took > k.limit {
		k.slow = append(k.slow, k.last)
	}
}

// next returns the row after that of the cursor in the order of the times, and its place.
// Without a slow call it is the slowest one; -1 if there is none.
func (k *ranking) next(x *workspace.Exchanges, cursor int) (row int, place string) {
	limit := wording.Took(k.limit)
	if len(k.slow) == 0 {
		return k.slowest.row, fmt.Sprintf("the slowest, %s: none over %s", wording.Took(k.slowest.took), limit)
	}
	sort.SliceStable(k.slow, func(i, j int) bool {
		a, b := &k.slow[i], &k.slow[j]
		return cmp.Compare(b.took, a.took) < 0
	})
	at, n := -1, len(k.slow)
	if k.before != nil && x.Of(*k.before) == x.Of(cursor) {
		at = slices.IndexFunc(k.slow, func(c ranked) bool { return x.Of(c.row) == x.Of(cursor) })
	}
	if at < 0 && k.by < 0 {
		at = 0
	}
	at = (at + k.by + n) % n
	place = wording.Ordinal(at + 1)
	if at == 0 {
		place = "slowest"
	}
	return k.slow[at].row, fmt.Sprintf("%s of %s over %s", place, wording.Thousands(n), limit)
}

// findSlow selects the slowest call, and from there the next slower ones. Only the time
// of the server counts: an answer of the user is never slow, and the handshake does not
// count.
func (r *Lists) findSlow(by int) tea.Cmd {
	k := &ranking{by: by, limit: r.slowness(), slowest: ranked{row: -1}, before: r.ranked}
	source, clock, links := r.ws.Shown.Source, r.ws.Clock, r.ws.Shown.Index.Exchanges.Links
	requests := workspace.Rows{Source: source}
	s := newRowMatcher(source, TrafficList, r.Traffic.listing(), nil)
	s.also = func(number int, row *session.Row) bool {
		a, ok := requests.AnsweredBy(&links, number, row)
		if row.State == session.ReqPending && row.Msg == framing.Request && row.Kind == session.KindStdin && clock >= 0 {
			a.Took = links.Split(&requests, number, exchange.Span{From: row.T, To: clock}).Server
			ok = !workspace.IsHandshake(source.Method(row.Method))
		}
		if k.last = (ranked{number, a.Took}); a.Cancelled {
			k.last.row = a.Request
		}
		return ok
	}
	return r.find(&Find{list: TrafficList, by: 1, What: "call", matcher: s, ranking: k})
}
