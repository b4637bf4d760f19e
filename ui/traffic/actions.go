package traffic

import (
	"fmt"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/workspace"
)

const (
	actNextSlow = "next-slow"
	actPrevSlow = "previous-slow"
	actMark     = "mark"
	actNextMark = "next-mark"
	actPrevMark = "previous-mark"
	actTimeZero = "time-zero"
	actTimeWall = "time-clock"
	actFlood    = "fold-flood"
	actUnfold   = "unfold"
	actFloods   = "fold-floods"
	actOnly     = "only-these"
)

// ActView is the name of the action that changes the view.
const ActView = "timeline"

// Scope is the scope of the traffic in the action table.
const Scope = "traffic"

// Actions are those on the lists of rows. mark marks the selected row, or
// removes its mark.
func Actions(of func(host.Context) *Lists, mark func(host.Context) tea.Cmd) []host.Action {
	on := func(do func(*Lists, host.Context) tea.Cmd) func(host.Context) tea.Cmd {
		return func(c host.Context) tea.Cmd { return do(of(c), c) }
	}
	foldable := func(c host.Context) (bool, string) { return of(c).Traffic.foldable() }
	return []host.Action{
		{Entry: host.Entry{ID: ActView, Keys: []string{"w"}, Scope: keymap.Global, Title: "view", Synonyms: []string{"log", "logs", "exchange", "wire", "calls", "messages"}, Help: "Show a row for each call, for each message, or for each entry of the log: messages, stderr lines and events.", Yields: true}, Do: on((*Lists).nextView)},
		{Entry: host.Entry{ID: actNextSlow, Keys: []string{"s"}, Scope: keymap.Global, Title: "next slow", Synonyms: []string{"slowest"}, Priority: 78, Hint: key.Help{Key: "s", Desc: "slow"}, Now: func(c host.Context) (string, int) { return of(c).rankOf(c, of(c).anySlow()) }, Help: "Go to the call for which the server took longest; again, to the next slower one. Slow is over 100 ms and over 5 times the median. Running calls count, too; the handshake does not."}, Do: on(func(r *Lists, _ host.Context) tea.Cmd { return r.findSlow(1) })},
		{Entry: host.Entry{ID: actPrevSlow, Keys: []string{"S"}, Scope: keymap.Global, Title: "previous slow", Help: "Go to the previous slow call, which took longer; before the slowest, to the last."}, Do: on(func(r *Lists, _ host.Context) tea.Cmd { return r.findSlow(-1) })},
		{Entry: host.Entry{ID: actMark, Keys: []string{"m"}, Scope: keymap.Global, Title: "mark", Help: "Mark the selected row of the traffic with an m, or remove its mark.", Enabled: host.HasTraffic}, Do: mark},
		{Entry: host.Entry{ID: actNextMark, Keys: []string{"'"}, Scope: keymap.Global, Title: "next mark", Help: "Go to the next marked row.", Enabled: host.AnyMark}, Do: on(func(r *Lists, c host.Context) tea.Cmd { return r.goToMark(c, 1) })},
		{Entry: host.Entry{ID: actPrevMark, Keys: []string{`"`}, Scope: keymap.Global, Title: "previous mark", Help: "Go to the previous marked row.", Enabled: host.AnyMark}, Do: on(func(r *Lists, c host.Context) tea.Cmd { return r.goToMark(c, -1) })},
		{Entry: host.Entry{ID: actTimeZero, Keys: []string{"T"}, Scope: keymap.Global, Title: "time from here", Help: "Show the times of the traffic relative to the selected row, or again to the beginning.", Enabled: host.HasTraffic}, Do: on((*Lists).toggleTimeZero)},
		{Entry: host.Entry{ID: actTimeWall, Keys: []string{"W"}, Scope: keymap.Global, Title: "clock", Help: "Show the times of the traffic as local clock time, or again relative to the beginning."}, Do: on((*Lists).toggleTimeWall)},
		{Entry: host.Entry{ID: actUnfold, Keys: []string{"+"}, Scope: Scope, Title: "unfold", Help: "List what is folded into the selected row: the messages of a call, or a burst of notifications.", Enabled: foldable}, Do: on((*Lists).unfoldRow)},
		{Entry: host.Entry{ID: actOnly, Keys: []string{"o"}, Scope: Scope, Title: "only these", Synonyms: []string{"only this tool", "only this method", "filter"}, Help: "Show only the calls of this tool, or the messages of this method, or again all.", Priority: 76, Now: func(c host.Context) (string, int) { return of(c).onlyNow(c) }, Enabled: func(c host.Context) (bool, string) { return of(c).canOnly(c) }}, Do: on((*Lists).only)},
		{Entry: host.Entry{ID: actFlood, Keys: []string{"-"}, Scope: Scope, Title: "fold", Help: "Fold the selected row, or unfold it if it is folded.", Enabled: foldable}, Do: on((*Lists).toggleFlood)},
		{Entry: host.Entry{ID: actFloods, Keys: []string{"*"}, Scope: Scope, Title: "fold bursts", Help: "Fold bursts of notifications, or show all of their rows."}, Do: on((*Lists).toggleFloods)},
	}
}

// FailedNow has a hint only if there may be a call that failed or has no answer: errors,
// ends of processes or cancellations.
func (r *Lists) FailedNow(c host.Context) (title string, priority int) {
	l := r.ws.Whole.Index.Latencies
	return r.rankOf(c, len(r.ws.Whole.Index.Points[workspace.ExitPoint]) > 0 || l != nil && (l.All().Errors > 0 || l.All().Cancelled > 0))
}

func (r *Lists) anySlow() bool {
	l := r.ws.Whole.Index.Latencies
	return l != nil && l.All().Max > r.slowness()
}

// rankOf is the rank of a hint of an action that needs such calls.
func (r *Lists) rankOf(c host.Context, any bool) (title string, priority int) {
	if !any {
		return "", -1
	}
	return host.Ranks{None: -1}.Now(c)
}

// ShowMarks shows changed marks and notes.
func (r *Lists) ShowMarks() {
	r.Traffic.messages.SetFlags(len(r.ws.Notes.Marks) > 0)
	r.Traffic.messages.Renumbered(nil)
	r.Traffic.exchanges.Renumbered(nil)
	r.changed = true
}

// SetFilter shows only traffic that passes a filter; nil shows all.
func (r *Lists) SetFilter(f *filter.Filter) tea.Cmd {
	r.changed = true
	return tea.Batch(r.Traffic.SetFilter(f), r.recountTraffic())
}

func (r *Lists) nextView(c host.Context) tea.Cmd {
	v := (r.Traffic.view + 1) % viewCount
	c.Host.Notify([...]string{"one row per call", "one row per message", "the whole log: messages, stderr lines and events"}[v])
	r.changed = true
	return tea.Batch(r.Traffic.setView(v), r.recountTraffic())
}

func (r *Lists) goToMark(c host.Context, by int) tea.Cmd {
	t := r.Traffic
	row, _ := t.Cursor()
	found, hidden, ok := r.ws.Notes.Marks.Next(row, by, t.Listed().Has)
	hiding := ""
	if hidden > 0 {
		hiding = fmt.Sprintf("; %d hidden", hidden)
	}
	switch {
	case ok:
		c.Panes().Select(found)
		if hidden > 0 {
			c.Host.Notify("skipped nearer marks" + hiding)
		}
	case by > 0:
		c.Host.Notify("no mark below" + hiding)
	default:
		c.Host.Notify("no mark above" + hiding)
	}
	return nil
}

func (r *Lists) toggleTimeZero(host.Context) tea.Cmd {
	f := &r.Traffic.times
	f.reference, f.wall = !f.reference || f.wall, false
	f.zero = r.ws.Selected.Row.T
	r.timeChanged()
	return nil
}

func (r *Lists) toggleTimeWall(host.Context) tea.Cmd {
	f := &r.Traffic.times
	f.wall = !f.wall
	r.timeChanged()
	return nil
}

func (r *Lists) timeChanged() {
	r.Traffic.setColumns()
	for _, l := range []*LineList{r.Stderr, r.Events, r.Log} {
		l.SetColumns(l.rows.columns())
	}
	r.changed = true
}
