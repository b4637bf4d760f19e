package probe

import (
	"slices"

	"mcpdbg/internal/verify"
)

// repeat runs a target again, as often as the options ask and while the run begins
// targets. It returns the last run that passed, or the first if none did.
func (r *run) repeat(first *target) *target {
	passed, failed := first, first
	all := verify.Repeats{}
	var attempts []verify.Attempt
	var recordings []string
	c := first
	for {
		all.Of++
		recordings = slices.Concat(recordings, c.result.Recordings)
		switch one := &c.result; {
		case one.OK:
			all.Passed++
			passed = c
		case one.Cause == verify.CauseCancelled:
			return c
		default:
			if all.Of-all.Passed == 1 {
				failed = c
			}
			attempts = append(attempts, verify.Attempt{Cause: one.Cause, Code: one.Code, Message: one.Message, DurationMS: one.DurationMS})
		}
		c.slot.leave()
		if all.Of == r.opts.Repeat || r.begin.Err() != nil || c.slot.rejoin(r.begin) != nil {
			break
		}
		next := newTarget(r, c.index, c.random)
		next.slot = c.slot
		c = next
		c.do()
	}
	c = passed
	if all.Passed == 0 {
		c = failed
	} else {
		c.result.Attempts = append(c.result.Attempts, attempts...)
	}
	c.result.Repeats, c.result.Recordings = &all, recordings
	return c
}
