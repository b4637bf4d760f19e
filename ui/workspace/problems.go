package workspace

import (
	"slices"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/rule"
)

// The limits of one step of checking the log: at most about 50 ms of work, on its own
// goroutine.
const (
	CheckRows  = 1 << 14
	CheckBytes = 8 << 20
)

// Problems are the places where a log breaks the rules of the protocol or its
// recommendations. They follow the log in steps, and lag behind one that grows fast.
// Those of a past moment are taken from the Problems of the whole log, which has the
// linter.
type Problems struct {
	Checker *rule.Checker
	Running bool // a step is running
	Timed   bool // a timer is set for the next check
	Final   bool // no row followed at the last step

	List   []diagnosis.Problem
	Groups []diagnosis.Group // of List: the effects of one cause, or a flood, are one
	Count  diagnosis.Count   // of Groups
	ends   []diagnosis.End   // of the processes
	times  diagnosis.Count   // occurrences of List

	Rows    int         // rows checked so far
	first   map[int]int // by row with a warning or an error: the worst in List
	Version uint32      // changes with first

	// Events are the rows of the events pane: events, and rows with a warning or an
	// error, in ascending order. merged is the number of events merged.
	Events []uint32
	merged int
}

// NewProblems returns the unchecked problems of a source.
func NewProblems(source session.Source) *Problems {
	return &Problems{Checker: rule.New(source), first: map[int]int{}}
}

// Worst returns the worst warning or error of a row.
func (f *Problems) Worst(row int) (*diagnosis.Problem, bool) {
	i, ok := f.first[row]
	if !ok {
		return nil, false
	}
	return &f.List[i], true
}

// Follow merges new events.
func (f *Problems) Follow(events []uint32) {
	for _, row := range events[f.merged:] {
		f.Insert(row)
	}
	f.merged = len(events)
}

// Insert adds a row to Events, in order and once.
func (f *Problems) Insert(row uint32) {
	if n := len(f.Events); n == 0 || f.Events[n-1] < row {
		f.Events = append(f.Events, row)
		return
	}
	if i, found := slices.BinarySearch(f.Events, row); !found {
		f.Events = slices.Insert(f.Events, i, row)
	}
}

// Take updates the list from the linter and reports whether anything was found since the
// last call.
func (f *Problems) Take() bool {
	f.Rows, _ = f.Checker.Progress()
	if f.Checker.Count() == f.times {
		return false
	}
	f.keep(f.Checker.Problems())
	return true
}

// recall reports whether there are more problems; their number never decreases.
func (f *Problems) recall(whole *Problems, rows int) bool {
	looked, _ := whole.Checker.Progress()
	f.Rows = min(looked, rows)
	found, _ := whole.Checker.AsOf(rows)
	before := f.times
	f.keep(found)
	return f.times != before
}

// takeEnds groups the problems by the ends of the processes, once.
func (f *Problems) takeEnds(ends []diagnosis.End) {
	if !slices.Equal(f.ends, ends) {
		f.ends = ends
		f.group()
	}
}

func (f *Problems) group() {
	f.Groups = diagnosis.Groups(f.List, f.ends)
	f.Count = diagnosis.CountGroups(f.Groups)
}

// keep sets the list to found, which begins with the current list.
func (f *Problems) keep(found []diagnosis.Problem) {
	f.times = diagnosis.CountOf(found)
	known := len(f.List)
	f.List = found
	f.group()
	for i, found := range f.List[known:] {
		if found.Severity == diagnosis.Info {
			continue
		}
		if worst, ok := f.Worst(found.Row); !ok || found.Severity > worst.Severity {
			f.first[found.Row] = known + i
		}
		f.Insert(uint32(found.Row))
	}
	if len(found) > known {
		f.Version++
	}
}

// RecallProblems updates the problems of the shown moment, and reports whether there are
// more.
func (w *Workspace) RecallProblems() bool {
	if w.Playback == nil || w.Shown != w.Playback.Past {
		return false
	}
	return w.Shown.Problems.recall(w.Whole.Problems, w.Shown.Source.Len())
}

// CheckProgress returns the percentage of the rows checked for problems, "" if all. It is
// also "" for a session that is only a little behind, whose rows are checked soon.
func (w *Workspace) CheckProgress() string {
	behind := w.Shown.Source.Len() - w.Shown.Problems.Rows
	if behind <= 0 || !w.FullyRead() || w.Session != nil && behind < CheckRows {
		return ""
	}
	return wording.Percent(w.Shown.Problems.Rows, w.Shown.Source.Len())
}
