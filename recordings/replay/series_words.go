package replay

import (
	"cmp"
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/recordings/compare"
)

const maxChanges = 20

func (r *Series) logRound(round *Round) {
	r.s.Note(round.Summary()+" ("+round.Times()+")", "")
	for _, line := range round.Changes() {
		r.s.Note(line, "")
	}
}

// Sent returns how many requests were re-sent, without those for lists.
func (r *Round) Sent() int {
	n := 0
	for _, o := range r.Result.Outcomes {
		if o.Status != Skipped {
			n++
		}
	}
	return n
}

// Unsent returns how many due requests were not re-sent: those in Held, and those that
// lack a value from an earlier response. Requests beyond Options.Calls do not count:
// see Older.
func (r *Round) Unsent() int {
	n := 0
	for i, it := range r.Plan.Items() {
		due := it.Kind == Request && (it.Skip == "" || it.Gated())
		if due && r.Result.Outcomes[i].Status == Skipped {
			n++
		}
	}
	return n
}

// missingValues lists the requests that were skipped for reasons other than possible side
// effects, with the reason.
func (r *Round) missingValues() []string {
	var list []string
	for i, it := range r.Plan.Items() {
		o := r.Result.Outcomes[i]
		if it.Kind == Request && it.Skip == "" && !it.Gated() && o.Status == Skipped {
			list = append(list, fmt.Sprintf("%s (%s)", cmp.Or(it.Tool, it.Method), o.Why))
		}
	}
	return list
}

// Differs reports whether the server's responses changed.
func (r *Round) Differs() bool { return r.Report != nil && r.Report.Differs }

// Summary returns the result of a round in one line.
func (r *Round) Summary() string {
	text := "the lists: "
	if n := r.Sent(); n > 0 {
		text = wording.Plural(n, "call") + " and " + text
	}
	switch lone := r.lone(); {
	case r.Report == nil:
		text += "nothing to compare with"
	case !r.Report.Differs && (r.Older || r.Unsent() > 0):
		text += "their responses are the same"
	case !r.Report.Differs:
		text += "all responses are the same"
	default:
		text += fmt.Sprintf("%d of %s changed", r.Report.Compared-r.Report.Equal, wording.Plural(r.Report.Compared, "response"))
		if lone > 0 {
			text += fmt.Sprintf(", %d on one side only", lone)
		}
	}
	parts := []string{"re-sent " + text}
	if r.Result.Lost != nil {
		parts = append(parts, "server lost: "+r.Result.Lost.Error())
	}
	unsent := r.missingValues()
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

// Times returns the durations of a round.
func (r *Round) Times() string {
	asked := "responses in " + wording.Time(r.Asked)
	if r.Opened == 0 {
		return asked
	}
	return fmt.Sprintf("ended in %s, ready in %s, %s", wording.Time(r.Ended), wording.Time(r.Opened), asked)
}

// lone counts exchanges that only one side has.
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

// Changes returns lines about at most 20 changes. Their text is the server's: it must
// be sanitized before it is written to a terminal.
func (r *Round) Changes() []string {
	if r.Report == nil {
		return nil
	}
	return r.Report.Brief(maxChanges)
}
