package smoke

import (
	"context"
	"errors"
	"sync"

	"mcpdbg/internal/smoke/inventory"
)

// errNoReference is why there is nothing to compare with.
var errNoReference = errors.New("the target to compare with did not come to its lists")

// references are what targets are compared with, by server. Of nil ones nothing
// is.
type references struct {
	of       *Baseline
	targets  []Target
	byServer map[string]*reference // without Baseline.For
}

// A reference is a target that others are compared with.
type reference struct {
	target int
	once   sync.Once            // closes known
	known  chan struct{}        // closed when it is done with its lists
	offers *inventory.Inventory // nil if it did not come to that
}

func newReferences(targets []Target, of *Baseline) *references {
	if of == nil {
		return nil
	}
	r := &references{of: of, targets: targets, byServer: make(map[string]*reference)}
	if of.For != nil {
		return r
	}
	for i, t := range targets {
		if t.Host == of.Host && r.byServer[t.Server] == nil {
			r.byServer[t.Server] = &reference{target: i, known: make(chan struct{})}
		}
	}
	return r
}

// is tells whether a target is a reference.
func (r *references) is(target int) bool {
	if r == nil {
		return false
	}
	ref := r.byServer[r.targets[target].Server]
	return ref != nil && ref.target == target
}

// offer takes what a reference offers, nil if it did not come to that. The first
// time counts.
func (r *references) offer(target int, offers *inventory.Inventory) {
	if r.is(target) {
		ref := r.byServer[r.targets[target].Server]
		ref.once.Do(func() {
			ref.offers = offers
			close(ref.known)
		})
	}
}

// get gives what to compare a server with, and waits for it. References are
// begun before all others, and who waits here has no server and no connection
// any more: one never waits for who waits for it.
func (r *references) get(ctx context.Context, server string) (*inventory.Inventory, error) {
	if r.of.For != nil {
		return r.of.For(server)
	}
	ref := r.byServer[server]
	if ref == nil {
		return nil, errNoReference
	}
	select {
	case <-ref.known:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if ref.offers == nil {
		return nil, errNoReference
	}
	return ref.offers, nil
}

// compare says in what a target is not what the baseline is. It waits as long as
// the run goes on: that the reference is slow is not the fault of this target.
// The server has been ended before: the reference may have to wait for the
// connection that this target had.
func (c *check) compare() {
	refs := c.run.refs
	if refs == nil || refs.is(c.target) {
		return
	}
	c.enter(PhaseBaseline)
	base, err := refs.get(c.run.ctx, c.result.Server)
	switch {
	case interrupted(c.run.ctx, err):
		c.fail(c.classify(c.run.ctx, err))
	case err != nil:
		c.notice(Notice{Code: "baseline.missing", Text: "not compared with " + refs.of.Name + ": " + err.Error()})
	default:
		c.result.Drift = inventory.Compare(base, c.offers)
		if len(c.result.Drift) > 0 {
			c.fail(drifted(refs.of.Name, c.result.Drift))
		}
	}
}
