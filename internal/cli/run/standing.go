package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/live"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/widget/termsafe"
)

// standing requests of --in may stay open as long as the server runs: a listen, and the
// wait for a task's result.
type standing []standingRequest

type standingRequest struct {
	n      uint64 // its entry
	id     json.RawMessage
	method string
}

// maxStanding limits the remembered requests. Further responses are awaited as usual.
const maxStanding = 1000

// add ignores requests that must be answered.
func (s *standing) add(n uint64, line []byte) {
	m := framing.Scan(line)
	method := string(m.Method.Of(line))
	if m.Kind != framing.Request || method != mcp.MethodListen && method != mcp.MethodTasksResult || len(*s) == maxStanding {
		return
	}
	*s = append(*s, standingRequest{n, bytes.Clone(m.ID.Of(line)), method})
}

// open returns the requests without a response.
func (s standing) open(log session.Source) standing {
	var open standing
	for _, q := range s {
		if row, ok := session.RowAt(log, int(q.n)-1); ok && row.State == session.ReqPending {
			open = append(open, q)
		}
	}
	return open
}

// cancelTime limits cancel: the server may not read its input.
const cancelTime = time.Second

// cancel cancels the requests without a response, before stdin is closed, and notes that
// unless it was to be expected. wait is the time of --for.
func (s standing) cancel(ctx context.Context, env *console.Env, l *live.Session, wait time.Duration, quiet bool) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer stop()
	for _, q := range s.open(l.Log) {
		params, err := json.Marshal(map[string]any{"requestId": q.id, "reason": "the client ends the session"})
		if err != nil || l.Notify(ctx, mcp.MethodCancelled, params) != nil {
			return // the server has ended
		}
		why := ""
		switch {
		case wait == 0:
			why = "when the other responses were there; --for 10s waits longer"
		case q.method != mcp.MethodListen:
			why = fmt.Sprintf("without a response after --for %v", wait)
		}
		if why != "" && !quiet {
			fmt.Fprintln(env.Stderr, termsafe.String(fmt.Sprintf("mcpdbg: note: %s (id %s) was cancelled %s", q.method, q.id, why)))
		}
	}
}
