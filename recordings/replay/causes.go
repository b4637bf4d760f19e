package replay

import (
	"context"
	"slices"
	"time"
)

// byAnswer are the questions that the client answered itself, in the order of
// its answers.
func (p *Plan) byAnswer() []int {
	var order []int
	for i := range p.questions {
		if p.questions[i].row > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return p.questions[a].row - p.questions[b].row })
	return order
}

// await waits until an item may be sent: for what came before it, and in the
// mode Timed for its moment.
func (r *runner) await(ctx context.Context, i int) error {
	if r.lostErr() != nil {
		return nil
	}
	it := &r.p.items[i]
	for ; r.nextAnswer < len(r.p.answers) && r.p.items[r.p.answers[r.nextAnswer]].answer < it.row; r.nextAnswer++ {
		if err := r.awaitAnswer(ctx, r.p.answers[r.nextAnswer]); err != nil {
			return err
		}
	}
	for ; r.nextQuestion < len(r.byAnswer) && r.p.questions[r.byAnswer[r.nextQuestion]].row < it.row; r.nextQuestion++ {
		if err := r.awaitQuestion(ctx, r.byAnswer[r.nextQuestion]); err != nil {
			return err
		}
	}
	if it.reports > 0 {
		if err := r.awaitQuestion(ctx, it.reports-1); err != nil {
			return err
		}
	}
	switch r.p.opts.Mode {
	case Serial:
		for ; r.nextItem < i; r.nextItem++ {
			if !r.p.items[r.nextItem].Answered || it.cancels == r.nextItem+1 {
				continue
			}
			if err := r.awaitAnswer(ctx, r.nextItem); err != nil {
				return err
			}
		}
	case Timed:
		return r.awaitMoment(ctx, it.at)
	}
	return nil
}

// awaitAnswer waits until an item that was sent is settled.
func (r *runner) awaitAnswer(ctx context.Context, item int) error {
	if done := r.doneOf(item); done != nil {
		return wait(ctx, done)
	}
	return nil
}

// awaitMoment waits for a moment since the beginning.
func (r *runner) awaitMoment(ctx context.Context, at time.Duration) error {
	timer := time.NewTimer(time.Until(r.began.Add(at)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// awaitQuestion waits until the server has asked what it asked at this point. It
// gives up when that can't come any more: the requests are answered during
// which it was asked, or as much time is over as an answer gets.
func (r *runner) awaitQuestion(ctx context.Context, number int) error {
	q := &r.p.questions[number]
	asked := r.questions[number].asked
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
	if over || len(q.during) > 0 {
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
