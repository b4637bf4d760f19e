package localexec

import (
	"context"
	"errors"
	"time"

	"mcpdbg/session/executor"
)

// A killed process takes a moment to be gone: rounds of killing are this far
// apart at first, and twice as far each time up to the longest pause.
const (
	firstPause = time.Millisecond
	maxPause   = 50 * time.Millisecond
)

// killRounds kills all that find finds, until it finds none or ctx is done. It
// tells seen of each round, lastly of an empty one if all are gone.
func killRounds(ctx context.Context, find func() ([]proc, error), seen func([]proc)) error {
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		found, err := find()
		if err != nil {
			return err
		}
		seen(found)
		if len(found) == 0 {
			return nil
		}
		for _, m := range found {
			// Who cannot be killed is found again, and reported in the end.
			_ = signalOne(m.pid, executor.StepKill)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
	}
}

// killFamily kills all members until a scan finds none, or ctx is done; then
// it returns whom it found, and who is left.
func (p *process) killFamily(ctx context.Context) (found, left []executor.Descendant, err error) {
	find := func() ([]proc, error) { return p.child.members(p.family()) }
	err = killRounds(ctx, find, func(round []proc) {
		left = nil
		for _, m := range round {
			left = append(left, m.descendant())
		}
		found = addNew(found, left)
	})
	return found, left, err
}

func signalEach(step executor.Step, found []executor.Descendant) error {
	var failures []error
	for _, d := range found {
		failures = append(failures, signalOne(d.PID, step))
	}
	return errors.Join(failures...)
}
