package traffic

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/workspace"
)

// namesPerStep is how many calls are read at a time for the names of their tools:
// a few milliseconds of work.
const namesPerStep = 2048

// A TimeState is what the time view keeps for a session. The zero value is ready to
// use.
type TimeState struct {
	naming   bool       // a step that reads names is running
	gathered *gathering // of a filter or an earlier moment; nil if none is needed
	view     *timeView  // nil before it was first opened
}

// Grown takes in new rows: it reads the names of tools, and, while the time view is open,
// the rows that pass the filter.
func (s *TimeState) Grown(c host.Context) tea.Cmd { return tea.Batch(s.name(c), s.gather(c)) }

// Nil if it is not open.
func (s *TimeState) opened(c host.Context) *timeView {
	if s.view == nil {
		return nil
	}
	for _, v := range c.Host.Views(c.Workspace) {
		if v == s.view {
			return s.view
		}
	}
	return nil
}

// name starts the next step that reads names of tools, unless one is running.
func (s *TimeState) name(c host.Context) tea.Cmd {
	index, source := c.Workspace.Shown.Index, c.Workspace.Shown.Source
	latencies := index.Latencies
	if latencies == nil || s.naming {
		return nil
	}
	calls := latencies.TakeUnnamed(namesPerStep)
	if len(calls) == 0 {
		return nil
	}
	s.naming = true
	rounds := index.Exchanges.Rounds()
	return func() tea.Msg {
		return namedTools{s, latencies, workspace.ReadAnswered(source, rounds, calls)}
	}
}

type namedTools struct {
	state     *TimeState
	latencies *workspace.Latencies
	calls     []workspace.Answered
}

func (msg namedTools) Deliver(c host.Context) tea.Cmd {
	for _, call := range msg.calls {
		msg.latencies.AddTool(call)
	}
	msg.state.naming = false
	if msg.state.opened(c) != nil {
		c.Host.Redraw()
	}
	return msg.state.name(c)
}

// latencies returns what the latencies are counted from: the index, or what was
// gathered. done is false while rows are missing.
func (s *TimeState) latencies(c host.Context) (l *workspace.Latencies, done bool) {
	if s.gathered != nil {
		return s.gathered.latencies, s.gathered.done()
	}
	return c.Workspace.Shown.Index.Latencies, !s.naming
}
