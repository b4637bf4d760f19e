package probe

import (
	"context"
	"errors"
	"sync"
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/surface"
)

var errNoReference = errors.New("the baseline target did not complete its lists")

// A nil *references compares nothing.
type references struct {
	of       *Baseline
	targets  []verify.Target
	byServer map[string]*reference // set if Baseline.For is nil
}

type reference struct {
	target int
	once   sync.Once        // closes known
	known  chan struct{}    // closed when its lists are complete or it has failed
	offers *surface.Surface // nil if its lists are incomplete
}

func newReferences(targets []verify.Target, of *Baseline) *references {
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

func (r *references) isReference(target int) bool {
	if r == nil {
		return false
	}
	ref := r.byServer[r.targets[target].Server]
	return ref != nil && ref.target == target
}

// offer takes nil for incomplete lists. Only the first call counts.
func (r *references) offer(target int, offers *surface.Surface) {
	if r.isReference(target) {
		ref := r.byServer[r.targets[target].Server]
		ref.once.Do(func() {
			ref.offers = offers
			close(ref.known)
		})
	}
}

// get waits for the surface to compare a server with. References are started before all
// others, and a waiting target no longer holds a server or a connection, so they cannot
// wait for each other.
func (r *references) get(ctx context.Context, server string) (*surface.Surface, error) {
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

// compare waits as long as the run lasts, because a slow reference is not the fault of
// this target. The server has already been shut down: the reference may need its
// connection.
func (c *target) compare() {
	refs := c.run.refs
	if refs == nil || refs.isReference(c.index) {
		return
	}
	c.enter(verify.PhaseBaseline)
	begin := time.Now()
	base, err := refs.get(c.run.ctx, c.result.Server)
	c.times.add(verify.PhaseBaseline, time.Since(begin))
	switch {
	case interrupted(c.run.ctx, err):
		c.fail(c.classify(c.run.ctx, err))
	case err != nil:
		c.notice(verify.Notice{Code: "baseline.missing", Text: "not compared with " + refs.of.Name + ": " + err.Error()})
	default:
		c.result.Drift = surface.Compare(base, c.offers)
		if len(c.result.Drift) > 0 {
			c.fail(drifted(refs.of.Name, c.result.Drift))
		}
	}
}
