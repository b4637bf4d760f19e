package mock

import (
	"context"

	"mcpdbg/recordings/match"
	"mcpdbg/session/mcp"
)

// An order demands the requests in the order in which they were recorded.
type order struct {
	next int // the row to look at
}

// take finds the request that was recorded next, if it is equal to one of a
// client. With errOrder it is the one that was not asked for; after the last one
// the error is errOver.
func (o *order) take(ctx context.Context, t *table, r *query) (found, error) {
	at, ok := o.expected(ctx, t)
	if !ok {
		return found{}, errOver
	}
	row, _ := t.rows.row(at)
	e, err := t.rows.look(row)
	if err != nil {
		return found{row: at}, err
	}
	var asked, recorded key
	t.asked, asked = t.key(t.asked, r.method, r.params)
	t.keyed, recorded = t.key(t.keyed, string(e.Msg.Method.Of(e.Payload)), e.Msg.Params.Of(e.Payload))
	if asked != recorded && !match.Equal(t.asked, t.keyed) {
		return found{row: at}, errOrder
	}
	o.next = at + 1
	return found{row: at}, nil
}

// expected is the row of the request that comes next. Handshake and ping are
// not in the order.
func (o *order) expected(ctx context.Context, t *table) (row int, ok bool) {
	for ; t.rows.wait(ctx, o.next); o.next++ {
		row, _ := t.rows.row(o.next)
		if row.Run != t.run {
			break
		}
		if method := t.rows.method(row); isRequest(row) && !isHandshake(method) && method != mcp.MethodPing {
			return o.next, true
		}
	}
	return 0, false
}
