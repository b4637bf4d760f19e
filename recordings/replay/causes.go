package replay

import (
	"context"
	"sort"
	"time"
)

// byResponse returns the server requests that the client answered itself, in the order of
// the responses.
func (p *Plan) byResponse() []int {
	var order []int
	for i := range p.serverRequests {
		if p.serverRequests[i].row > 0 {
			order = append(order, i)
		}
	}
	sort.Slice(order, func(i, j int) bool { return p.serverRequests[order[i]].row < p.serverRequests[order[j]].row })
	return order
}

// await waits for everything that came before the item, and in mode Timed for its time.
func (r *runner) await(ctx context.Context, i int) error {
	if r.lostErr() != nil {
		return nil
	}
	it := &r.p.items[i]
	for ; r.nextResponse < len(r.p.responses) && r.p.items[r.p.responses[r.nextResponse]].response < it.row; r.nextResponse++ {
		if err := r.awaitResponse(ctx, r.p.responses[r.nextResponse]); err != nil {
			return err
		}
	}
	for ; r.nextServerRequest < len(r.byResponse) && r.p.serverRequests[r.byResponse[r.nextServerRequest]].row < it.row; r.nextServerRequest++ {
		if err := r.awaitServerRequest(ctx, r.byResponse[r.nextServerRequest]); err != nil {
			return err
		}
	}
	if it.reports > 0 {
		if err := r.awaitServerRequest(ctx, it.reports-1); err != nil {
			return err
		}
	}
	switch r.p.opts.Mode {
	case Serial:
		for ; r.nextItem < i; r.nextItem++ {
			if !r.p.items[r.nextItem].Answered || it.cancels == r.nextItem+1 {
				continue
			}
			if err := r.awaitResponse(ctx, r.nextItem); err != nil {
				return err
			}
		}
	case Timed:
		timer := time.NewTimer(time.Until(r.began.Add(it.at)))
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// A settled item has its response, or gets none.
func (r *runner) awaitResponse(ctx context.Context, item int) error {
	if done := r.doneOf(item); done != nil {
		return wait(ctx, done)
	}
	return nil
}

// awaitServerRequest gives up when the request can't come any more: when the client
// requests during which it was sent have their responses, or when the time limit for its
// response is over.
func (r *runner) awaitServerRequest(ctx context.Context, number int) error {
	q := &r.p.serverRequests[number]
	asked := r.serverRequests[number].asked
	timer := time.NewTimer(r.p.opts.limit(q.took))
	defer timer.Stop()
	over := false
	for _, item := range q.during {
		done := r.doneOf(item)
		if done == nil {
			continue
		}
		over = true
		select {
		case <-done:
		case <-asked:
			return nil
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if over || len(q.during) > 0 || r.p.partial {
		return nil
	}
	select {
	case <-asked:
	case <-timer.C:
	case <-r.s.ExitedChan():
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}
