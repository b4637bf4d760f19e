package probe

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"sync"

	"mcpdbg/internal/verify"
	"mcpdbg/session/diagnosis"
)

// A job takes steps in processes of its own, while others do, and adds them to its
// target.
type job func(ctx context.Context, t *part)

// A roll numbers the processes of a target, and keeps their recordings.
type roll struct {
	mu         sync.Mutex
	recordings []string
}

func (r *roll) next() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recordings = append(r.recordings, "")
	return len(r.recordings)
}

func (r *roll) recorded(number int, path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recordings[number-1] = path
}

// A server may not tolerate others of its kind that use its ports, lock files and
// databases: what fails with others is done again alone, and only that counts.
func (t *part) together(ctx context.Context, jobs []job) {
	if t.opts.Processes <= 1 {
		for _, do := range jobs {
			do(ctx, t)
		}
		return
	}
	parts := make([]*part, len(jobs))
	free := make(chan struct{}, t.opts.Processes)
	var done sync.WaitGroup
	for i, do := range jobs {
		free <- struct{}{}
		parts[i] = t.part()
		done.Go(func() {
			defer func() { <-free }()
			do(ctx, parts[i])
		})
	}
	done.Wait()
	for i, do := range jobs {
		if parts[i].failed() && ctx.Err() == nil {
			alive := parts[i].leaks.alive
			parts[i] = t.part()
			do(ctx, parts[i])
			parts[i].leaks.alive = append(alive, parts[i].leaks.alive...)
		}
		t.join(parts[i])
	}
}

func (t *part) part() *part {
	return &part{opts: t.opts, of: t.of, roll: t.roll, speaks: t.speaks}
}

func (t *part) failed() bool {
	l := &t.leaks
	return slices.ContainsFunc(t.result.Steps, func(s verify.Step) bool {
		return s.Status == verify.Failed || s.Status == verify.NotChecked && s.Unstarted
	}) ||
		slices.ContainsFunc(t.result.Problems, func(p verify.ProcessProblem) bool { return p.Severity != diagnosis.Info.String() }) ||
		len(l.found)+len(l.alive) > 0 || l.lost != nil
}

func (t *part) join(part *part) {
	r, from := &t.result, &part.result
	r.Steps = append(r.Steps, from.Steps...)
	r.Servers = append(r.Servers, from.Servers...)
	r.Partial = append(r.Partial, from.Partial...)
	r.Merge(from.Problems)

	r.ProblemsMore += from.ProblemsMore
	t.leaks.join(&part.leaks)
}

func (l *leaks) join(from *leaks) {
	l.found = append(l.found, from.found...)
	l.alive = append(l.alive, from.alive...)
	for _, doubt := range from.doubts {
		if !slices.Contains(l.doubts, doubt) {
			l.doubts = append(l.doubts, doubt)
		}
	}
	l.lost = cmp.Or(l.lost, from.lost)
}

// order puts steps with their own process in the order of the plan, and those of the
// first process's era before the other's.
func orderSteps(steps []verify.Step, first string) {
	alone := []string{verify.StepBadLine, verify.StepVersion, verify.StepEOF, verify.StepTerm}
	rank := func(s *verify.Step) int {
		at := 2 * slices.Index(alone, s.Name)
		if at >= 0 && s.Era != "" && s.Era != first {
			at++
		}
		return at
	}
	sort.SliceStable(steps, func(i, j int) bool {
		a, b := &steps[i], &steps[j]
		return cmp.Compare(rank(a), rank(b)) < 0
	})
}
