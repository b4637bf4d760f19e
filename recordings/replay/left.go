package replay

import (
	"mcpdbg/recordings/match"
)

// LeftOut tells which messages of the recording a comparison with the run's log
// should leave out, because they are not to be seen again: those of other
// processes, what was skipped, and what the server asked during that. Where the
// server speaks another era, it also leaves out what the eras do in other ways:
// questions that were asked and answered all the same.
func (p *Plan) LeftOut(res *Result) func(match.Ref) bool {
	out := map[uint64]bool{}
	for _, n := range p.leftOut {
		out[n] = true
	}
	for _, walk := range p.walks {
		for _, n := range walk {
			delete(out, n)
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
	for i := range p.questions {
		q := &p.questions[i]
		if replied := res.replied[i]; !replied && !res.reached(q) || replied && res.EraDiffers() {
			out[q.n] = true
		}
	}
	return func(at match.Ref) bool { return at.Row < p.first || at.Row >= p.end || out[at.N] }
}

// Added tells which messages of the run's log a comparison should leave out,
// because they stand for no one message of the recording: what the run sent on
// its own account and, where the server speaks another era, rounds of input but
// the last, and questions that had their recorded answer.
func (res *Result) Added() func(match.Ref) bool {
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

// Rules are rules for a comparison: what is in messages of the one era only.
// Without a difference of eras there are none.
func (res *Result) Rules() []match.Rule {
	if !res.EraDiffers() {
		return nil
	}
	var rules []match.Rule
	for _, p := range []match.Pointer{"/params/inputResponses", "/params/requestState", "/result/_meta"} {
		rules = append(rules, match.Rule{Action: match.ActionIgnore, Pointer: p})
	}
	return rules
}
