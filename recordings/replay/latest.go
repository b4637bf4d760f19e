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

// What is said of items that Options.Latest leaves out.
const (
	skipEqual  = "the same is asked again later"
	skipOlder  = "others were asked after it"
	skipNoCall = "only requests are sent again"
	skipGiven  = "it was cancelled"
)

// listWait is how long a list may take.
const listWait = 30 * time.Second

// latest skips all but the last different requests, if the options ask for
// those.
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
			it.Skip = skipNoCall
		case !it.awaited:
			it.Skip = skipGiven
		case seen[it.key]:
			it.Skip = skipEqual
		case len(seen) >= p.opts.Latest:
			it.Skip = skipOlder
		default:
			seen[it.key] = true
		}
	}
	for i := range slices.Backward(p.items) { // what one of them carries over has to be there
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

// Older reports whether an item is not sent only because Options.Latest other
// ones were asked after it.
func (it *Item) Older() bool { return it.Skip == skipOlder }

// covers tells whether a process of the recording is one of those that are
// replayed.
func (p *Plan) covers(run int) bool {
	return run == p.run || p.opts.Onward && p.run > 0 && run > p.run
}

// shake takes a handshake of one of several processes: that of the last one that
// went well counts.
func (r *reader) shake(it *match.Item) {
	if it.State != session.ReqAnswered {
		r.p.leftOut = append(r.p.leftOut, it.At.N)
		return
	}
	r.p.leftOut = append(r.p.leftOut, r.shaken...)
	r.shaken = append(r.shaken[:0], it.At.N)
}

// list notes a request for a page of a list, which is not replayed.
func (p *Plan) list(it *match.Item, params []byte) {
	if match.Member(params, "cursor") == nil {
		p.walks[it.Method] = nil
	}
	p.walks[it.Method] = append(p.walks[it.Method], it.At.N)
	p.leftOut = append(p.leftOut, it.At.N)
}

func isList(method string) bool {
	return slices.ContainsFunc(mcp.Lists, func(l mcp.List) bool { return l.Method == method })
}

// lists asks for what the server offers, and for what was asked for when it was
// recorded. What the server does not answer the comparison tells of.
func (r *runner) lists(ctx context.Context) error {
	offered := r.s.Status().Server
	for _, list := range mcp.Lists {
		if !offered.Offers(list) && r.p.walks[list.Method] == nil {
			continue
		}
		limited, cancel := context.WithTimeout(ctx, listWait)
		items, err := r.s.ListAll(limited, list)
		cancel()
		if err != nil {
			if err := r.unlisted(ctx, err); err != nil || r.lostErr() != nil {
				return err
			}
		}
		if list.Method == mcp.MethodToolsList {
			r.hint(items)
		}
	}
	return nil
}

// unlisted takes the failure of a list: only the end of the server, or of ctx,
// is more than an answer.
func (r *runner) unlisted(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, session.ErrEnded), errors.Is(err, session.ErrNotRunning), errors.Is(err, session.ErrClosed):
		return r.ended(ctx, err)
	}
	return nil
}

// hint takes what the server says of its tools now.
func (r *runner) hint(tools []json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, tool := range tools {
		eachHint(slices.Concat([]byte(`{"tools":[`), tool, []byte("]}")), func(name string, readOnly bool) { r.hints[name] = readOnly })
	}
}
