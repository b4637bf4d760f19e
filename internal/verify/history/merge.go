package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/internal/verify"
)

// Merge makes one report of the shards of a plan. missing are the shards without a report:
// their targets are stopped. One report of a whole plan is returned as it is.
func Merge(all []*verify.Report) (merged *verify.Report, missing []int, notes []string, err error) {
	if len(all) == 1 && all[0].Plan.Shard == nil {
		return all[0], nil, nil, nil
	}
	shards, notes, err := byShard(all)
	if err != nil {
		return nil, nil, nil, err
	}
	m := *all[0]
	merged = &m
	merged.Targets, merged.OK, merged.Plan.Shard, merged.Expectations, merged.Stale = nil, true, nil, nil, nil
	var end time.Time
	for _, r := range shards {
		if r.Started.Before(merged.Started) {
			merged.Started, merged.ID = r.Started, r.ID
		}
		if over := r.Started.Add(time.Duration(r.DurationMS * float64(time.Millisecond))); over.After(end) {
			end = over
		}
	}
	merged.DurationMS = float64(end.Sub(merged.Started).Microseconds()) / 1000
	for i := 1; i <= all[0].Plan.Shard.Of; i++ {
		r := shards[i]
		if r == nil {
			missing = append(missing, i)
			continue
		}
		merged.OK, merged.Stopped = merged.OK && r.OK, merged.Stopped || r.Stopped
		after := float64(r.Started.Sub(merged.Started).Microseconds()) / 1000
		for _, t := range r.Targets {
			t.StartedMS += after
			merged.Targets = append(merged.Targets, t)
		}
		for _, e := range r.Expectations {
			e.Expect = fmt.Sprintf("shard %d/%d: %s", i, r.Plan.Shard.Of, e.Expect)
			merged.Expectations = append(merged.Expectations, e)
		}
	}
	merged.OK = merged.OK && len(missing) == 0
	return merged, missing, notes, complete(merged, missing)
}

// byShard returns the reports by number. Of two reports of one shard it takes the later.
func byShard(all []*verify.Report) (map[int]*verify.Report, []string, error) {
	shards := map[int]*verify.Report{}
	var notes []string
	plan := &all[0].Plan
	for i, r := range all {
		p := &r.Plan
		switch {
		case p.Shard == nil:
			return nil, nil, fmt.Errorf("report %d (%s) is of a whole run, and not of a shard", i+1, r.ID)
		case plan.Shard == nil || p.Hash != plan.Hash || p.Shard.Of != plan.Shard.Of || r.Command != all[0].Command:
			return nil, nil, fmt.Errorf("report %d (%s) is of another plan: run all shards with the same hosts, servers and number of shards", i+1, r.ID)
		case p.Shard.Index < 1 || p.Shard.Index > p.Shard.Of:
			return nil, nil, fmt.Errorf("report %d (%s) is of shard %d of %d", i+1, r.ID, p.Shard.Index, p.Shard.Of)
		}
		earlier := shards[p.Shard.Index]
		if earlier != nil {
			if r.Started.Before(earlier.Started) {
				r, earlier = earlier, r
			}
			notes = append(notes, fmt.Sprintf("two reports of shard %d: %s is used, and %s ignored", p.Shard.Index, r.ID, earlier.ID))
		}
		shards[p.Shard.Index] = r
	}
	return shards, notes, nil
}

// complete sorts the targets by the plan, and adds those that no report has.
func complete(r *verify.Report, missing []int) error {
	found := make(map[string]*verify.Result, len(r.Targets))
	for i := range r.Targets {
		t := &r.Targets[i]
		if found[t.ID] != nil {
			return fmt.Errorf("target %s is in two shards", t.ID)
		}
		found[t.ID] = t
	}
	why := "not run"
	if len(missing) > 0 {
		why += ": no report of shard " + strings.Trim(fmt.Sprint(missing), "[]")
	}
	all := make([]verify.Result, len(r.Plan.IDs))
	for i, id := range r.Plan.IDs {
		if t := found[id]; t != nil {
			all[i] = *t
			delete(found, id)
			continue
		}
		server, host := split(id, r.Targets)
		all[i] = verify.Result{
			ID: id, Server: server, Host: host, Outcome: verify.OutcomeStopped, Phase: verify.PhaseWait,
			Cause: verify.CauseCancelled, Code: "cancelled", Message: why,
		}
	}
	for id := range found {
		return fmt.Errorf("target %s is not in the plan", id)
	}
	r.Targets, r.Plan.Targets, r.Plan.IDs = all, len(all), nil
	return nil
}

// split finds the server of an id among those of the other targets: a name may have an @.
func split(id string, known []verify.Result) (server, host string) {
	at := slices.IndexFunc(known, func(t verify.Result) bool { return strings.HasPrefix(id, t.Server+"@") })
	if at >= 0 {
		server = known[at].Server
		return server, id[len(server)+1:]
	}
	server, host, found := strings.Cut(id, "@")
	if !found {
		host = verify.Local
	}
	return server, cmp.Or(host, verify.Local)
}
