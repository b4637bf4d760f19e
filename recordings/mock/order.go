package mock

import (
	"context"

	"mcpdbg/recordings/match"
	"mcpdbg/session/mcp"
)

// An order requires requests in their recorded order.
type order struct {
	next int
}

// find returns the next recorded request if it equals the client's. With errOrder it
// returns the request that was expected; after the last one the error is errOver.
func (o *order) find(ctx context.Context, t *table, r *query) (found, error) {
	at, ok := o.expected(ctx, t)
	if !ok {
		return found{}, errOver
	}
	row, _ := t.rows.row(at)
	e, err := t.rows.look(row)
	if err != nil {
		return found{row: at}, err
	}
	var requested, recorded key
	t.queryText, requested = t.key(t.queryText, r.method, r.params)
	t.keyed, recorded = t.key(t.keyed, string(e.Msg.Method.Of(e.Payload)), e.Msg.Params.Of(e.Payload))
	if requested != recorded && !match.Equal(t.queryText, t.keyed) {
		return found{row: at}, errOrder
	}
	o.next = at + 1
	return found{row: at}, nil
}

// expected returns the row of the next request. Handshake and ping are not part of the
// order.
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
