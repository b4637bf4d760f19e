package replay

import (
	"mcpdbg/recordings/match"
)

// SkipRecorded returns a function that reports whether a comparison with the run's log
// should skip a message of the recording, because it can't occur again: messages of
// other processes, skipped items, and server requests during those. If the server uses
// a different era, it also skips what differs between the eras by design: server
// requests that were answered in both.
func (p *Plan) SkipRecorded(res *Result) func(match.Ref) bool {
	out := map[uint64]bool{}
	for _, n := range p.leftOut {
		out[n] = true
	}
	for _, walk := range p.walks {
		for _, n := range walk {
			delete(out, n)
		}
	}
	if p.partial {
		for _, n := range p.handshake {
			out[n] = true
		}
	}
	for i, o := range res.Outcomes {
		it := &p.items[i]
		rounds := append([]uint64{it.N}, it.Rounds...)
		if o.Status != Skipped {
			if !res.EraDiffers() {
				continue
			}
			rounds = rounds[:len(rounds)-1]
		}
		for _, n := range rounds {
			out[n] = true
		}
	}
	for i := range p.serverRequests {
		q := &p.serverRequests[i]
		if replied := res.replied[i]; !replied && !res.reached(q) || replied && res.EraDiffers() {
			out[q.n] = true
		}
	}
	return func(at match.Ref) bool { return at.Row < p.first || at.Row >= p.end || out[at.N] }
}

// SkipLive returns a function that reports whether a comparison should skip a message of
// the run's log, because it has no counterpart in the recording: what the run sent by
// itself and, if the server uses a different era, all input rounds but the last, and
// server requests that got their recorded response.
func (res *Result) SkipLive() func(match.Ref) bool {
	added := map[uint64]bool{}
	for _, n := range res.own {
		added[n] = true
	}
	if res.EraDiffers() {
		for _, n := range res.answered {
			added[n] = true
		}
		for _, o := range res.Outcomes {
			for _, n := range o.Live[:max(0, len(o.Live)-1)] {
				added[n] = true
			}
		}
	}
	return func(at match.Ref) bool { return added[at.N] }
}

// Rules returns rules for a comparison that ignore members which exist in only one
// era. It returns none if both eras are the same.
func (res *Result) Rules() []match.Rule {
	if !res.EraDiffers() {
		return nil
	}
	var rules []match.Rule
	for _, p := range []match.Pointer{"/params/inputResponses", "/params/requestState", "/params/task", "/result/_meta", "/result/tools/*/execution"} {
		rules = append(rules, match.Rule{Action: match.ActionIgnore, Pointer: p})
	}
	return rules
}
