package mock

import (
	"bytes"
	"context"
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// choose finds the process to serve, and the row after its start. If want is 0, it is the
// first one that was used: not one that another replaced in the middle of its handshake.
// Without one it is the first that responded with a result, or else the first.
func (r *rows) choose(ctx context.Context, want int) (run uint16, first int, err error) {
	starts := []int{0} // by number: the row that follows
	limit := 0         // the number of the last process seen
	answered := uint16(0)
	for i := 0; r.wait(ctx, i); i++ {
		row, _ := r.row(i)
		for int(row.Run) >= len(starts) {
			starts = append(starts, i)
		}
		limit = int(row.Run)
		if want > 0 {
			if limit == want {
				return row.Run, starts[want], nil
			}
			continue
		}
		if r.used(row) {
			return row.Run, starts[row.Run], nil
		}
		if answered == 0 && isResult(row) {
			answered = row.Run
		}
	}
	switch {
	case ctx.Err() != nil:
		return 0, 0, context.Cause(ctx)
	case want > 0:
		return 0, 0, fmt.Errorf("%w: run %d of %d", ErrNoRun, want, limit)
	}
	if run = answered; run == 0 {
		run = uint16(min(1, limit))
	}
	return run, starts[run], nil
}

// used reports whether a row shows that the handshake of its process was over.
func (r *rows) used(row session.Row) bool {
	switch {
	case row.Kind == session.KindState:
		return r.enters(row, session.Ready)
	case row.Kind == session.KindStdin:
		return row.Msg == framing.Notification
	case isResult(row):
		request, ok := r.partner(row)
		return ok && !isHandshake(r.method(request))
	}
	return false
}

func isResult(row session.Row) bool {
	return row.Kind == session.KindStdout && row.Msg == framing.Response && row.Paired()
}

const eraRequests = 16

// era judges by the first requests.
func (t *table) era(ctx context.Context) (mcp.Era, error) {
	seen, discovered := 0, -1
	for i := t.next; seen < eraRequests && t.rows.wait(ctx, i); i++ {
		row, _ := t.rows.row(i)
		if row.Run != t.run {
			break
		}
		if !isRequest(row) {
			continue
		}
		seen++
		switch t.rows.method(row) {
		case mcp.MethodInitialize:
			// Both may have been pending at the same time: the first result counts.
			response, result := t.rows.result(ctx, i)
			switch {
			case discovered >= 0 && (response < 0 || discovered < response):
				return mcp.Modern, nil
			case result:
				return mcp.Legacy, nil
			}
		case mcp.MethodDiscover:
			if response, result := t.rows.result(ctx, i); result {
				if row, _ := t.rows.row(i); row.Flags&session.FlagProbe == 0 {
					return mcp.Modern, nil
				}
				discovered = response
			}
		default:
			e, err := t.rows.look(row)
			if err == nil && bytes.Contains(e.Msg.Params.Of(e.Payload), []byte(mcp.MetaProtocolVersion)) {
				return mcp.Modern, nil
			}
			return mcp.Legacy, nil
		}
	}
	if ctx.Err() != nil {
		return mcp.Auto, context.Cause(ctx)
	}
	return mcp.Legacy, nil
}
