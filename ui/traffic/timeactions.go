package traffic

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/table"
)

// The scopes of this screen: those of the three tabs inherit from Scope.
const (
	ScopeTime      = "time"
	ScopeWaterfall = "time-waterfall"
	ScopeSequence  = "time-sequence"
	ScopeLatency   = "time-latency"
)

// The actions of this screen.
const (
	actOpen      = "time"
	actWaterfall = "waterfall"
	actSequence  = "sequence"
	actLatency   = "latency"
)

// TimeActions are those of the time view. of finds the state of the session that a
// context is about.
func TimeActions(of func(host.Context) *TimeState) []host.Action {
	show := func(t timeTab) func(host.Context) tea.Cmd {
		return func(c host.Context) tea.Cmd { return of(c).open(c, t) }
	}
	actions := []host.Action{
		{Entry: host.Entry{ID: actOpen, Keys: []string{"t"}, Scope: keymap.Global, Title: "time", Synonyms: []string{"timing", "profile", "timeline"}, Help: "Show where the time went: a waterfall of the calls, the sequence of messages, the latency of each method and tool.", Priority: 68, Now: host.Ranks{Recording: 76}.Now, Enabled: host.HasSession}, Do: func(c host.Context) tea.Cmd {
			s := of(c)
			if s.view != nil {
				return s.open(c, s.view.tab)
			}
			return s.open(c, waterfallTab)
		}},
		{Entry: host.Entry{ID: actWaterfall, Scope: keymap.Global, Title: "waterfall", Synonyms: []string{"gantt", "bars"}, Help: "Show when each call began and ended, as bars on one axis.", Enabled: host.HasSession}, Do: show(waterfallTab)},
		{Entry: host.Entry{ID: actSequence, Scope: keymap.Global, Title: "sequence", Synonyms: []string{"diagram", "arrows"}, Help: "Show the messages between client and server as arrows.", Enabled: host.HasSession}, Do: show(sequenceTab)},
		{Entry: host.Entry{ID: actLatency, Scope: keymap.Global, Title: "latency", Synonyms: []string{"slow calls", "histogram", "percentile", "statistics"}, Help: "Show how long responses take, for each method and tool: median, 95th percentile, longest, errors.", Enabled: host.HasSession}, Do: show(latencyTab)},
	}
	return append(append(actions, commonTimeActions()...), tabActions()...)
}

func commonTimeActions() []host.Action {
	turn := func(by timeTab) func(host.Context) tea.Cmd {
		return host.On(func(_ host.Context, v *timeView) tea.Cmd { v.tab = (v.tab + by + timeTabs) % timeTabs; return nil })
	}
	return []host.Action{
		{Entry: host.Entry{Name: "next-tab", Keys: []string{"v", "tab"}, Scope: ScopeTime, Title: "next view", Help: "Go to the next of Waterfall, Sequence and Latency.", Priority: 70}, Do: turn(1)},
		{Entry: host.Entry{Name: "previous-tab", Keys: []string{"shift+tab"}, Scope: ScopeTime, Title: "previous view", Help: "Go to the previous of Waterfall, Sequence and Latency."}, Do: turn(-1)},
		host.Override(host.Entry{Name: kit.Down, Scope: ScopeTime, Priority: 50, Hint: key.Help{Key: "j/k", Desc: "move"}}),
		host.Override(host.Entry{Name: kit.PageDown, Scope: ScopeTime, Keys: []string{"pgdown", "ctrl+d"}}),
		host.Override(host.Entry{Name: kit.PageUp, Scope: ScopeTime, Keys: []string{"pgup", "ctrl+u"}}),
		host.Override(host.Entry{Name: kit.Top, Scope: ScopeTime, Keys: []string{"g", "home"}}),
		host.Override(host.Entry{Name: kit.Bottom, Scope: ScopeTime, Keys: []string{"G", "end"}}),
		host.Override(host.Entry{Name: host.CloseName, Scope: ScopeTime, Keys: []string{"esc", "t", "q"}, Title: "close", Help: "Close the time view; the selected call stays selected.", Priority: 80}),
	}
}

func tabActions() []host.Action {
	on := func(do func(*waterfallPart)) func(host.Context) tea.Cmd {
		return host.On(func(_ host.Context, v *timeView) tea.Cmd { do(v.waterfall); return nil })
	}
	sorted := func(do func(*latencyPart)) func(host.Context) tea.Cmd {
		return host.On(func(_ host.Context, v *timeView) tea.Cmd { do(v.latency); return nil })
	}
	return []host.Action{
		{Entry: host.Entry{ID: "waterfall-select", Keys: []string{"enter"}, Scope: ScopeWaterfall, Title: "go to the call", Help: "Select the call in the table, and close the time view.", Priority: 90, Hint: key.Help{Key: "enter", Desc: "go to"}, Enabled: onTimeRow}, Do: host.On(goToSelected)},
		{Entry: host.Entry{ID: "waterfall-zoom-in", Keys: []string{"+", "="}, Scope: ScopeWaterfall, Title: "zoom in", Help: "Show half of the time, around the bar at the cursor.", Priority: 65, Hint: key.Help{Key: "+/-", Desc: "zoom"}}, Do: on(func(w *waterfallPart) { w.zoom(0.5) })},
		{Entry: host.Entry{ID: "waterfall-zoom-out", Keys: []string{"-"}, Scope: ScopeWaterfall, Title: "zoom out", Help: "Show twice the time, around the bar at the cursor."}, Do: on(func(w *waterfallPart) { w.zoom(2) })},
		{Entry: host.Entry{ID: "waterfall-left", Keys: []string{"h", "left"}, Scope: ScopeWaterfall, Title: "earlier", Help: "Move the axis to earlier times.", Priority: 45, Hint: key.Help{Key: "h/l", Desc: "pan"}, Now: host.HideIf(isWhole)}, Do: on(func(w *waterfallPart) { w.pan(-0.25) })},
		{Entry: host.Entry{ID: "waterfall-right", Keys: []string{"l", "right"}, Scope: ScopeWaterfall, Title: "later", Help: "Move the axis to later times."}, Do: on(func(w *waterfallPart) { w.pan(0.25) })},
		{Entry: host.Entry{ID: "waterfall-whole", Keys: []string{"a"}, Scope: ScopeWaterfall, Title: "whole session", Help: "Show the time of the whole session, or again that of the visible calls.", Priority: 40, Now: host.HideIf(func(v *timeView) bool { return v.waterfall.window == table.Span{} && isWhole(v) })}, Do: on((*waterfallPart).whole)},
		{Entry: host.Entry{ID: "waterfall-slowest", Keys: []string{"s"}, Scope: ScopeWaterfall, Title: "slowest", Help: "Go to the slowest call of the session.", Priority: 60, Yields: true, Enabled: hasSlowest}, Do: host.On(func(c host.Context, v *timeView) tea.Cmd {
			v.waterfall.Select(v.slowest(c))
			return nil
		})},

		{Entry: host.Entry{ID: "sequence-open", Keys: []string{"enter"}, Scope: ScopeSequence, Title: "open message", Help: "Close the time view, and show the message full size in the detail pane.", Priority: 90, Hint: key.Help{Key: "enter", Desc: "open"}, Enabled: onTimeRow}, Do: host.On(func(c host.Context, v *timeView) tea.Cmd {
			goToSelected(c, v)
			return c.Host.Do(v.ws, host.ActOpen, "")
		})},
		{Entry: host.Entry{ID: "sequence-partner", Keys: []string{"p"}, Scope: ScopeSequence, Title: "partner", Help: "Go from a request to its response, or back.", Priority: 60}, Do: host.On(goToPartner)},

		{Entry: host.Entry{ID: "latency-filter", Keys: []string{"enter"}, Scope: ScopeLatency, Title: "filter the table", Help: "Show only the calls of this method or tool in the table, and close the time view; on the line of all, clear the filter.", Priority: 90, Hint: key.Help{Key: "enter", Desc: "filter"}}, Do: host.On(filterBy)},
		{Entry: host.Entry{ID: "latency-slowest", Keys: []string{"s"}, Scope: ScopeLatency, Title: "slowest", Help: "Select the slowest call of the line in the table, and close the time view.", Priority: 85, Enabled: hasSlowest}, Do: host.On(func(c host.Context, v *timeView) tea.Cmd {
			v.goTo(c, v.slowest(c))
			return nil
		})},
		{Entry: host.Entry{ID: "latency-histogram", Keys: []string{"space"}, Scope: ScopeLatency, Title: "histogram", Help: "Show how many responses of the line took how long, or hide it.", Priority: 75}, Do: sorted(func(p *latencyPart) { p.histogram = !p.histogram })},
		{Entry: host.Entry{ID: "latency-sort", Keys: []string{"o"}, Scope: ScopeLatency, Title: "sort", Help: "Sort by the next column.", Priority: 65, Hint: key.Help{Key: "o/O", Desc: "sort"}}, Do: sorted((*latencyPart).nextSort)},
		{Entry: host.Entry{ID: "latency-reverse", Keys: []string{"O"}, Scope: ScopeLatency, Title: "reverse", Help: "Reverse the order of the lines."}, Do: sorted(func(p *latencyPart) { p.sortBy(p.sort, !p.reversed) })},
	}
}

// isWhole reports whether the axis of the waterfall shows the whole session.
func isWhole(v *timeView) bool {
	return v.waterfall.bars.axis.From() <= 0 && v.waterfall.bars.axis.To() >= v.ws.Shown.Index.Latest
}

func onTimeRow(c host.Context) (bool, string) {
	if v, ok := c.View.(*timeView); ok {
		if _, ok := v.selected(); ok {
			return true, ""
		}
	}
	return false, "no row is selected"
}

func hasSlowest(c host.Context) (bool, string) {
	v, ok := c.View.(*timeView)
	return ok && v.slowest(c) >= 0, "no call was answered"
}

func goToSelected(c host.Context, v *timeView) tea.Cmd {
	if row, ok := v.selected(); ok {
		v.goTo(c, row)
	}
	return nil
}

func goToPartner(c host.Context, v *timeView) tea.Cmd {
	number, _ := v.selected()
	row, _ := v.ws.Shown.Rows.At(number)
	partner, ok := row.Partner()
	if !ok || partner >= v.ws.Shown.Index.Scanned {
		c.Host.Notify("this message has no partner")
		return nil
	}
	v.sequence.Select(partner)
	return nil
}

// filterBy filters the table by the line under the cursor, besides the filter in
// force, and closes the view.
func filterBy(c host.Context, v *timeView) tea.Cmd {
	line := v.line(c)
	text := line.filter()
	_, shown, _ := c.Panes().Passing()
	switch {
	case text == "" && line.all() && shown != nil:
		c.Host.Close(v)
		c.Host.Notify("filter cleared: the table shows all calls")
		return c.Panes().SetFilter(nil)
	case text == "" && line.all():
		c.Host.Notify("nothing is filtered: the table shows all calls")
		return nil
	case text == "":
		c.Host.Notify("this line has no filter: choose a method or a tool")
		return nil
	}
	if shown != nil && !strings.Contains(shown.String(), " or ") && !strings.Contains(shown.String(), text) {
		text = shown.String() + " " + text
	}
	f, err := filter.Parse(text)
	if err != nil {
		c.Host.Warn("filter: " + err.Error())
		return nil
	}
	c.Host.Close(v)
	return c.Panes().SetFilter(f)
}
