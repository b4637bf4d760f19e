package replay

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	replayer "mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/session/elements"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/workspace"
)

// selected returns the entry and the process of the selected call, or 0.
func selected(w *workspace.Workspace) (n uint64, run int) {
	number, ok := w.SelectedCall()
	if !ok {
		return 0, 0
	}
	row, ok := session.RowAt(w.Log, number)
	if !ok {
		return 0, 0
	}
	e, err := w.Log.Entry(row, 1)
	if err != nil {
		return 0, 0
	}
	return e.N, int(row.Run)
}

func entryFilter(n uint64) string { return fmt.Sprintf("n:%d", n) }

// choose plans to send the calls that match the field, or all if it is empty.
func (v *view) choose(c host.Context) tea.Cmd {
	text := strings.TrimSpace(string(v.calls.Text))
	if v.whole == nil || text == v.chosen {
		return nil
	}
	if v.stopChoosing != nil {
		v.stopChoosing()
	}
	v.chosen, v.choosing, v.invalid = text, false, false
	if text == "" {
		v.show(nil)
		return nil
	}
	shown, err := filter.Parse(text)
	if err != nil {
		v.invalid, v.failure = true, "calls: "+err.Error()
		return nil
	}
	ctx, stop := context.WithCancel(c.Host.Lifetime())
	v.stopChoosing, v.choosing = stop, true
	source, whole := v.of.Log, v.whole
	shown = shown.SlowFrom(v.state.Slow.Microseconds())
	return func() tea.Msg {
		items := matching(ctx, source, whole, shown)
		return host.Result{Then: func(c host.Context) tea.Cmd {
			if v.chosen != text || ctx.Err() != nil {
				return nil
			}
			stop()
			v.choosing = false
			c.Host.Redraw()
			if len(items) == 0 && v.isNamed() { // such as the handshake
				v.calls.Wipe()
				return v.choose(c)
			}
			if v.show(items); len(items) == 0 {
				v.failure = "calls: no match; " + c.Host.Key(actClear) + " for all"
			}
			return nil
		}}
	}
}

// matching returns the items whose request or response matches a filter; not nil.
func matching(ctx context.Context, source session.Source, plan *replayer.Plan, shown *filter.Filter) []int {
	items, matcher := []int{}, shown.Matcher(elements.New(source))
	for number, row := range session.RowsFrom(source, 0) {
		if ctx.Err() != nil {
			break
		}
		if more := plan.AppendItems(items, number); len(more) > len(items) && matcher.Match(number, row) {
			items = more
		}
	}
	slices.Sort(items)
	return slices.Compact(items)
}

// show shows the plan with some items; nil means all.
func (v *view) show(items []int) {
	if v.items, v.plan = items, v.whole; items != nil {
		v.plan = v.whole.Choose(items, v.isNamed())
	}
	v.listed = slices.DeleteFunc(slices.Clone(v.plan.Items()), func(it replayer.Item) bool { return !it.Chosen() })
	v.Scroll(0)
}

// isNamed reports whether the plan is for the selected call, which needs no other consent.
func (v *view) isNamed() bool { return v.named > 0 && v.chosen == entryFilter(v.named) }
