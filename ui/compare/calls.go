package compare

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	diff "mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/summary"
	"mcpdbg/ui/host"
	"mcpdbg/ui/workspace"
)

// A twoCalls is what a comparison of two calls of one session has besides the view.
type twoCalls struct {
	rows      [2]int // of their first requests
	call      string // what both call
	arguments string // of the second
	facts     [2]string
}

func (t *twoCalls) title() string { return strings.TrimSpace(t.call + " " + t.arguments) }

func clock(t int64) string { return string(wording.AppendClock(nil, t)) }

// canCompareCalls reports whether there may be a call to compare the selected one with, and
// if not, why.
func canCompareCalls(c host.Context) (bool, string) {
	if why := cannotCompare(c.Workspace); why != "" {
		return false, why
	}
	call, ok := c.Workspace.SelectedCall()
	if !ok {
		return false, "no call is selected"
	}
	if c.Workspace.IsAlone(call) {
		_, ok = c.Workspace.MarkedCall(call)
	}
	return ok, "no earlier call has the same arguments; mark another call to compare with"
}

// compareCalls compares the selected call with the marked one of the same tool, or else with
// the last earlier one that has the same arguments.
func compareCalls(of func(host.Context) *State) func(host.Context) tea.Cmd {
	return func(c host.Context) tea.Cmd {
		s, w := of(c), c.Workspace
		call, _ := w.SelectedCall()
		if marked, ok := w.MarkedCall(call); ok && callsTheSame(w, call, marked) {
			return s.showCalls(c, min(call, marked), max(call, marked))
		}
		return host.FindEarlier(c.Host.Lifetime(), w, call, func(c host.Context, e workspace.Earlier) tea.Cmd {
			if now, ok := w.SelectedCall(); !ok || now != call || !s.Idle(c) {
				return nil // the user has moved on
			}
			return s.showCalls(c, e.Row, call)
		}, func(c host.Context) {
			_, why := canCompareCalls(c)
			c.Host.Warn("compare: " + why)
		})
	}
}

func (s *State) showCalls(c host.Context, a, b int) tea.Cmd {
	v := s.newCalls(c, a, b)
	c.Host.Open(c.Workspace, v)
	return v.compare(c)
}

// newCalls compares the last rounds of two calls: the rows of each, without the other
// exchanges among them.
func (s *State) newCalls(c host.Context, a, b int) *view {
	w := c.Workspace
	v := s.newView(c, w, w)
	v.calls, v.inside = &twoCalls{rows: [2]int{a, b}}, true
	var skips [2]func(match.Ref) bool
	for i, call := range v.calls.rows {
		last, _ := w.Shown.Index.Exchanges.LastRound(call)
		end := last
		if response, _, ok := w.Response(call); ok {
			end = w.EntryRow(response)
		}
		v.logs[i] = session.RowRange(w.Log, last, end+1)
		skips[i] = func(at match.Ref) bool { return at.Row != last }
		v.calls.call, v.calls.arguments = calledBy(w, call)
		v.calls.facts[i] = v.calls.factsOf(w, i)
	}
	v.opts = diff.Options{OtherParams: true, Exact: true, Skip: skips[0], SkipB: skips[1]}
	return v
}

func callsTheSame(w *workspace.Workspace, a, b int) bool {
	ofA, _ := calledBy(w, a)
	ofB, _ := calledBy(w, b)
	return ofA == ofB
}

// calledBy returns what a request calls, such as its tool, and its arguments.
func calledBy(w *workspace.Workspace, call int) (name, arguments string) {
	row, _ := w.Shown.Rows.At(call)
	name = w.Shown.Source.Method(row.Method)
	e, err := w.Shown.Source.Entry(row, summary.Limit)
	if err != nil {
		return name, ""
	}
	if called := summary.Call(name, e.Payload); called != "" {
		return called, summary.Request(name, e.Payload)
	}
	return name, summary.Request(name, e.Payload)
}

// factsOf returns when a call was made, of which process, and what its server took.
func (t *twoCalls) factsOf(w *workspace.Workspace, side int) string {
	call := t.rows[side]
	row, _ := w.Shown.Rows.At(call)
	text := clock(row.T)
	if pid := w.PIDAt(call); pid != 0 {
		text += fmt.Sprintf("  pid %d", pid)
	}
	other, _ := w.Shown.Rows.At(t.rows[1-side])
	latest, _ := w.Shown.Rows.At(w.Shown.Source.Len() - 1)
	switch {
	case row.Run < other.Run:
		text += "  before the restart"
	case w.Session != nil && row.Run == latest.Run && side == 1:
		text += "  now"
	case row.Run > other.Run:
		text += "  after the restart"
	}
	if _, response, ok := w.Response(call); ok {
		return text + "  " + wording.Took(w.Took(call, response).Server)
	}
	return text + "  no answer"
}

// shown returns how many differences a comparison shows, "" while it is nil.
func shown(result *diff.Comparison) string {
	if result == nil {
		return ""
	}
	r, shown, all := result.Report, 0, 0
	for i := range r.Groups {
		if r.Groups[i].Counts {
			shown += r.Groups[i].Count
		} else {
			all += r.Groups[i].Count
		}
	}
	for i := range r.Ignored {
		all += r.Ignored[i].Count
	}
	if all += shown + maskedCount(r); all == 0 {
		return "no differences"
	}
	return fmt.Sprintf("%d of %s shown", shown, wording.Counted(all, "difference"))
}

// canCallAgain reports whether the second call can be sent again, and if not, why.
func canCallAgain(c host.Context) (bool, string) {
	v, ok := c.View.(*view)
	if !ok || v.calls == nil {
		return false, "only a comparison of two calls can call again"
	}
	return host.CanSend(c)
}

// again sends the second call again, and compares the first with that.
func again(c host.Context, v *view) tea.Cmd {
	row, _ := c.Workspace.Shown.Rows.At(v.calls.rows[1])
	return v.state.Resend(c, row, func(c host.Context, n uint64) tea.Cmd {
		cmd := c.Panes().Refresh()
		number, found := c.Workspace.RowOf(n)
		call, ok := c.Workspace.CallOf(number)
		if !found || !ok || !slices.Contains(c.Host.Views(c.Workspace), host.View(v)) {
			return cmd
		}
		next := v.state.newCalls(c, v.calls.rows[0], call)
		next.form, next.half, next.all, next.reveal, next.rules, next.file = v.form, v.half, v.all, v.reveal, v.rules, v.file
		v.cancel()
		c.Host.Close(v)
		c.Host.Open(c.Workspace, next)
		return tea.Batch(cmd, next.compare(c))
	})
}
