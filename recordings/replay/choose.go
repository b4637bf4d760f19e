package replay

import (
	"fmt"
	"maps"
	"slices"
	"sort"

	"mcpdbg/framing"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const skipNotChosen = "not chosen"

// Chosen reports whether an item was chosen by Plan.Choose, or comes along.
func (it *Item) Chosen() bool { return it.Skip != skipNotChosen }

// Named reports whether a person has named an item: see Plan.Choose.
func (it *Item) Named() bool { return it.named }

// Partial reports whether the plan has only chosen items.
func (p *Plan) Partial() bool { return p.partial }

// Unchosen returns the number of items that were not chosen.
func (p *Plan) Unchosen() (n int) {
	for i := range p.items {
		if !p.items[i].Chosen() {
			n++
		}
	}
	return n
}

// RowOf returns the row of an entry of a recording, which may have gaps.
func RowOf(src session.Source, n uint64) (number int, ok bool) {
	number = sort.Search(src.Len(), func(i int) bool {
		row, _ := session.RowAt(src, i)
		e, err := src.Entry(row, 1)
		return err == nil && e.N >= n
	})
	row, ok := session.RowAt(src, number)
	if !ok {
		return 0, false
	}
	e, err := src.Entry(row, 1)
	return number, err == nil && e.N == n
}

// AppendItems appends the items that a row of the recording belongs to: its request or
// further round, a poll, update or cancellation of its task, or a response to one of these.
// A batch of responses may belong to several.
func (p *Plan) AppendItems(items []int, row int) []int {
	if item, ok := p.byRow[row]; ok {
		return append(items, item)
	}
	if others, ok := p.others[row]; ok {
		return append(items, others...)
	}
	r, ok := session.RowAt(p.src, row)
	if !ok || r.Msg != framing.Response && r.Msg != framing.ErrorResponse {
		return items
	}
	partner, paired := r.Partner()
	if item, ok := p.byRow[partner]; ok && paired {
		return append(items, item)
	}
	if paired {
		items = append(items, p.others[partner]...)
	}
	return items
}

// Choose returns a plan with only some items of p and those that they depend on; the
// handshake is not compared. If named is set, a person has named each of the items: they are
// sent even if their tool is not known to be read-only. Those that come along are not.
func (p *Plan) Choose(items []int, named bool) *Plan {
	chosen := *p
	q := &chosen
	q.partial, q.items = true, slices.Clone(p.items)
	keep, needs := map[int]bool{}, p.needs()
	for _, i := range items {
		q.items[i].named, keep[i] = named, true
	}
	for work := slices.Sorted(maps.Keys(keep)); len(work) > 0; work = work[1:] {
		for _, k := range needs[work[0]] {
			if !keep[k] {
				keep[k], q.items[k].NeededBy = true, p.items[work[0]].N
				work = append(work, k)
			}
		}
	}
	for i := range q.items {
		it := &q.items[i]
		if it.Skip = it.ungated; keep[i] {
			q.gate(it)
		} else {
			it.Skip, it.Unsure = skipNotChosen, false
		}
	}
	q.clock()
	return q
}

// needs returns for each item those without which it is not the same: those whose responses
// gave it a value, the subscription to its resource, the cancelled request, its
// cancellation.
func (p *Plan) needs() [][]int {
	all, subscribed := make([][]int, len(p.items)), map[uint64]int{}
	for i := range p.items {
		it := &p.items[i]
		for _, u := range it.uses {
			all[i] = append(all[i], p.variables[u.variable].item)
		}
		if of := it.cancels - 1; of >= 0 {
			all[i], all[of] = append(all[i], of), append(all[of], i)
		}
		if it.reports > 0 {
			all[i] = append(all[i], p.serverRequests[it.reports-1].during...)
		}
		if it.uri == 0 {
			continue
		}
		if of, ok := subscribed[it.uri]; ok && it.Method != mcp.MethodSubscribe {
			all[i] = append(all[i], of)
		}
		switch it.Method {
		case mcp.MethodSubscribe:
			subscribed[it.uri] = i
		case mcp.MethodUnsubscribe:
			delete(subscribed, it.uri)
		}
	}
	return all
}

// uriOf returns the hash of the URI that a request reads or subscribes to, or 0.
func uriOf(method string, params []byte) uint64 {
	switch method {
	case mcp.MethodSubscribe, mcp.MethodUnsubscribe, mcp.MethodReadResource:
		if uri := match.Member(params, "uri"); uri != nil {
			return match.Hash(uri)
		}
	}
	return 0
}

// Response returns the row of an item's last response in the recording, or -1.
func (p *Plan) Response(item int) int {
	if it := &p.items[item]; it.Answered {
		return it.response
	}
	return -1
}

// Describe describes an entry of the recording that belongs to no item, such as "the
// notification notifications/message of the server".
func (p *Plan) Describe(row int) string {
	r, ok := session.RowAt(p.src, row)
	if !ok {
		return "no entry"
	}
	side := map[session.Kind]string{session.KindStdin: "the client", session.KindStdout: "the server"}[r.Kind]
	method := p.src.Method(r.Method)
	switch {
	case side == "":
		return fmt.Sprintf("not a message (%s)", r.Kind)
	case r.Msg == framing.Notification:
		return fmt.Sprintf("the notification %s of %s", method, side)
	case r.Msg == framing.Request && r.Kind == session.KindStdout:
		return fmt.Sprintf("the request %s of the server", method)
	case r.Msg == framing.Request:
		return fmt.Sprintf("the request %s, which is not replayed", method)
	case r.Msg == framing.Response || r.Msg == framing.ErrorResponse:
		return fmt.Sprintf("a response of %s to no call that is replayed", side)
	}
	return "a line of " + side + " that is not a message"
}
