package rerun

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/replay"
)

// maxTold is how many changes a log is told of.
const maxTold = 20

// told leaves in the log what a round came to.
func (r *Series) told(round *Round) {
	r.s.Note(round.Summary()+" ("+round.Times()+")", "")
	for _, line := range round.Changes() {
		r.s.Note(line, "")
	}
}

// Sent is how many requests were sent again, besides those for lists.
func (r *Round) Sent() int {
	n := 0
	for _, o := range r.Result.Outcomes {
		if o.Status != replay.Skipped {
			n++
		}
	}
	return n
}

// Unsent is how many requests were not sent again though it was their turn: what
// is in Held, and what lacks a value that an earlier response had. Requests
// beyond Options.Calls are not among them: see Older.
func (r *Round) Unsent() int {
	n := 0
	for i, it := range r.Plan.Items() {
		due := it.Kind == replay.Request && (it.Skip == "" || it.Gated())
		if due && r.Result.Outcomes[i].Status == replay.Skipped {
			n++
		}
	}
	return n
}

// lacking are the requests that were not sent for another reason than what they
// may change, with that reason.
func (r *Round) lacking() []string {
	var list []string
	for i, it := range r.Plan.Items() {
		o := r.Result.Outcomes[i]
		if it.Kind == replay.Request && it.Skip == "" && !it.Gated() && o.Status == replay.Skipped {
			list = append(list, fmt.Sprintf("%s (%s)", cmp.Or(it.Tool, it.Method), o.Why))
		}
	}
	return list
}

// Differs tells whether something has changed in what the server answers.
func (r *Round) Differs() bool { return r.Report != nil && r.Report.Differs }

// Summary says in one line what a round came to.
func (r *Round) Summary() string {
	text := "the lists again: "
	if n := r.Sent(); n > 0 {
		text = count(n, "call") + " and " + text
	}
	switch lone := r.lone(); {
	case r.Report == nil:
		text += "nothing to compare with"
	case !r.Report.Differs && (r.Older || r.Unsent() > 0):
		text += "all answers to these are the same"
	case !r.Report.Differs:
		text += "all answers are the same"
	default:
		text += fmt.Sprintf("%d of %s changed", r.Report.Compared-r.Report.Equal, count(r.Report.Compared, "answer"))
		if lone > 0 {
			text += fmt.Sprintf(", %d on one side only", lone)
		}
	}
	parts := []string{text}
	if r.Result.Lost != nil {
		parts = append(parts, "the server is gone: "+r.Result.Lost.Error())
	}
	unsent := r.lacking()
	if len(r.Held) > 0 {
		unsent = append(unsent, strings.Join(r.Held, ", ")+" (may have side effects)")
	}
	if len(unsent) > 0 {
		parts = append(parts, "not re-sent: "+strings.Join(unsent, ", "))
	}
	if r.Older {
		parts = append(parts, "older calls not re-sent")
	}
	return strings.Join(parts, "; ")
}

// Times says where the time of a round went.
func (r *Round) Times() string {
	asked := "answers in " + shown(r.Asked)
	if r.Opened == 0 {
		return asked
	}
	return fmt.Sprintf("ended in %s, ready in %s, %s", shown(r.Ended), shown(r.Opened), asked)
}

func shown(d time.Duration) string {
	if d < 10*time.Millisecond {
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// lone is how many exchanges only one side has.
func (r *Round) lone() int {
	n := 0
	if r.Report != nil {
		for _, g := range r.Report.Groups {
			if g.Class == compare.ClassMissing || g.Class == compare.ClassExtra {
				n += g.Count
			}
		}
	}
	return n
}

// Changes are lines about what changed, at most 20 changes. Their text is the
// server's: it is to be made safe before a terminal sees it.
func (r *Round) Changes() []string {
	if r.Report == nil {
		return nil
	}
	return r.Report.Brief(maxTold)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
