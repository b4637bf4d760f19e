package cause

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/exchange"
	"mcpdbg/session/executor"
)

// maxEnds is how many ends of processes are kept. Of later processes hardly any problem
// is kept.
const maxEnds = 1000

// Ends returns the ends of the processes so far that have a cause, oldest first. The slice
// must not be changed.
func (t *Tracker) Ends() []diagnosis.End {
	all := t.facts.ends
	if now, ok := t.facts.end(); ok {
		all = append(slices.Clip(all), now)
	}
	return all
}

// Groups groups the problems of a whole log by the ends of its processes.
func Groups(ctx context.Context, src session.Source, found []diagnosis.Problem) []diagnosis.Group {
	return diagnosis.Groups(found, EndsOf(ctx, src, found))
}

// EndsOf returns the ends of the processes of a whole log that problems may follow from. It
// reads the log only if some problem may be a consequence.
func EndsOf(ctx context.Context, src session.Source, found []diagnosis.Problem) []diagnosis.End {
	if !slices.ContainsFunc(found, func(p diagnosis.Problem) bool { return p.MayFollow() }) {
		return nil
	}
	return read(ctx, src).Ends()
}

func (f *facts) keepEnd() {
	if now, ok := f.end(); ok && len(f.ends) < maxEnds {
		f.ends = append(f.ends, now)
	}
}

// end returns the end of the process, if it has one with a cause.
func (f *facts) end() (diagnosis.End, bool) {
	if !f.Begun.Seen || !f.Exited.Seen && !f.Lost.Seen {
		return diagnosis.End{}, false
	}
	w := f.view()
	for i := range causes {
		c := &causes[i]
		if c.id != "bridge" && !slices.Contains(ends, c.id) { // a bridge that still runs has no end
			continue
		}
		if found, ok := c.in(w); ok { // the likeliest, so none of the causes that exclude it apply
			end := diagnosis.End{Run: f.Run, Attempt: f.Attempt, How: w.howEnded(), Cause: found}
			if row, ok := f.row(found.Row); ok {
				if e, ok := f.entry(row, quoteBytes); ok {
					end.N = e.N
				}
			}
			return end, true
		}
	}
	return diagnosis.End{}, false
}

// ending records the steps taken to end the process. The zero value has none.
type ending struct {
	ignored []string       // steps after which the process itself was still running
	killed  int            // processes killed after the exit of the server
	row     exchange.Event // the entry of that kill
	killT   int64          // when the kill began
}

// maxIgnored is the maximum length of ending.ignored.
const maxIgnored = 6

// step adds a step of the shutdown sequence: a phase that is logged when it is
// over. A failed step says nothing about the server.
func (e *ending) step(number int, b session.PhaseBody, t int64) {
	switch b.Phase {
	case executor.StepCloseStdin.String(), executor.StepInterrupt.String(), executor.StepTerm.String():
		if b.Error == "" && strings.Contains(b.Detail, "still running") { // pids may precede it
			e.ignored = append(e.ignored[:min(len(e.ignored), maxIgnored)], b.Phase)
		}
	case executor.StepKill.String():
		_, _ = fmt.Sscanf(b.Detail, "%d killed", &e.killed) // no number: none was killed
		e.row, e.killT = exchange.Event{Seen: true, Row: number, T: t}, t-b.Took
	}
}
