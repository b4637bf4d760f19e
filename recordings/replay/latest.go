package replay

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// Reasons for skipping items with Options.Latest.
const (
	skipEqual      = "repeated by a later request"
	skipOlder      = "older than the requests to re-send"
	skipNotRequest = "only requests are re-sent"
	skipCancelled  = "cancelled in the recording"
)

const listTimeout = 30 * time.Second

// latest skips all but the last different requests if Options.Latest is set.
func (p *Plan) latest() {
	if p.opts.Latest == 0 {
		return
	}
	seen := map[uint64]bool{}
	for i := range slices.Backward(p.items) {
		it := &p.items[i]
		switch {
		case it.Skip != "":
		case it.Kind != Request:
			it.Skip = skipNotRequest
		case !it.awaited:
			it.Skip = skipCancelled
		case seen[it.key]:
			it.Skip = skipEqual
		case len(seen) >= p.opts.Latest:
			it.Skip = skipOlder
		default:
			seen[it.key] = true
		}
	}
	for i := range slices.Backward(p.items) { // keep the sources of their variables
		if p.items[i].Skip != "" {
			continue
		}
		for _, u := range p.items[i].uses {
			source := &p.items[p.variables[u.variable].item]
			if source.Skip == skipEqual || source.Skip == skipOlder {
				source.Skip = ""
			}
		}
	}
}

// Older reports whether an item is skipped only because Options.Latest other requests
// came after it.
func (it *Item) Older() bool { return it.Skip == skipOlder }

func (p *Plan) covers(run int) bool {
	return run == p.run || p.opts.FollowingRuns && p.run > 0 && run > p.run
}

// Of several processes, the handshake of the last successful one counts.
func (r *reader) handshake(it *match.Item) {
	if it.State != session.ReqAnswered {
		r.p.leftOut = append(r.p.leftOut, it.At.N)
		return
	}
	r.p.leftOut = append(r.p.leftOut, r.handshakes...)
	r.handshakes = append(r.handshakes[:0], it.At.N)
}

// A request for a page of a list is not replayed.
func (p *Plan) list(it *match.Item, params []byte) {
	if match.Member(params, "cursor") == nil {
		p.walks[it.Method] = nil
	}
	p.walks[it.Method] = append(p.walks[it.Method], it.At.N)
	p.leftOut = append(p.leftOut, it.At.N)
}

// lists requests the lists that the server offers and those that were requested in the
// recording. Failures are left to the comparison.
func (r *runner) lists(ctx context.Context) error {
	offered := r.s.Status().Server
	for _, list := range mcp.Lists {
		if !offered.Offers(list) && r.p.walks[list.Method] == nil {
			continue
		}
		limited, cancel := context.WithTimeout(ctx, listTimeout)
		items, err := r.s.ListAll(limited, list)
		cancel()
		if err != nil {
			if err := r.listFailed(ctx, err); err != nil || r.lostErr() != nil {
				return err
			}
		}
		if list.Method == mcp.MethodToolsList {
			r.hint(items)
		}
	}
	return nil
}

// An error response is not an error; the end of the server or of ctx is.
func (r *runner) listFailed(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, session.ErrEnded), errors.Is(err, session.ErrNotRunning), errors.Is(err, session.ErrClosed):
		return r.ended(ctx, err)
	}
	return nil
}

func (r *runner) hint(tools []json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, tool := range tools {
		eachHint(slices.Concat([]byte(`{"tools":[`), tool, []byte("]}")), func(name string, readOnly bool) { r.hints[name] = readOnly })
	}
}
