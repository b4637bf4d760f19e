package traffic

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/workspace"
)

const (
	// rowsPerStep is how many rows a gathering reads at a time.
	rowsPerStep = 2048
	// maxMessages is how many messages the sequence lists with a filter.
	maxMessages = 100_000
	// maxGathered is how many pending requests a gathering looks at again.
	maxGathered = 64
	// gatherAgain is how long a gathering waits for more rows that pass the filter.
	gatherAgain = 100 * time.Millisecond
)

// A gathering collects the latencies and the messages of the rows that pass a
// filter, or of an earlier moment, in steps. Each step reads on another goroutine,
// from a copy of the list, and its result is added on that of the program.
type gathering struct {
	of      *workspace.Projection
	filter  *filter.Filter
	rows    []uint32 // a copy of the list
	at      int      // of these, how many were read
	all     bool     // the list had all rows
	running bool     // a step is running, or the next one is to start later

	latencies *workspace.Latencies
	messages  *table.Folded
	count     int      // of messages
	open      []uint32 // pending requests: their responses change the latencies
}

func newGathering(p *workspace.Projection, f *filter.Filter) *gathering {
	return &gathering{of: p, filter: f, latencies: workspace.NewLatencies(p.Source), messages: &table.Folded{}}
}

func (g *gathering) done() bool { return g.all && g.at == len(g.rows) }

// gather starts the next step of the gathering that is needed now, if any, unless
// one is running.
func (s *TimeState) gather(c host.Context) tea.Cmd {
	v, p := s.opened(c), c.Workspace.Shown
	list, shown, all := c.Panes().Passing()
	if shown == nil {
		list, all = p.Index.Exchanges.List, true
	}
	had := s.gathered
	switch {
	case v == nil, shown == nil && p.Index.Latencies != nil:
		s.gathered = nil
	case had == nil, had.of != p, had.filter != shown, !had.running && had.outdated(list.All()):
		s.gathered = newGathering(p, shown)
	}
	if v != nil && s.gathered != had {
		v.relist(c)
	}
	if g := s.gathered; g != nil && !g.running {
		return g.goOn(c, s, list.All(), all)
	}
	return nil
}

// goOn starts the next step if there are rows to read, or waits for more rows.
func (g *gathering) goOn(c host.Context, s *TimeState, list []uint32, all bool) tea.Cmd {
	g.rows, g.all = append(g.rows, list[len(g.rows):]...), all
	if g.done() {
		return nil
	}
	g.running = true
	if g.at == len(g.rows) {
		return c.Host.After(gatherAgain, host.Result{Then: func(c host.Context) tea.Cmd {
			g.running = false
			return s.gather(c)
		}})
	}
	source, rounds, rows, from := g.of.Source, g.of.Index.Exchanges.Links, g.rows, g.at
	return func() tea.Msg { return gathered{readStep(source, rounds, rows, from), s, g} }
}

// The list has changed otherwise than by new rows at its end, or a request that was
// pending no longer is.
func (g *gathering) outdated(list []uint32) bool {
	n := len(g.rows)
	if n > len(list) || n > 0 && list[n-1] != g.rows[n-1] {
		return true
	}
	return slices.ContainsFunc(g.open, func(number uint32) bool {
		row, ok := g.of.Rows.At(int(number))
		return ok && row.State != session.ReqPending
	})
}

type gatherStep struct {
	rows     int
	messages []uint32 // ascending
	open     []uint32
	answered []workspace.Answered
}

// readStep reads the next rows of a list, on another goroutine.
func readStep(source session.Source, rounds exchange.Links, list []uint32, from int) gatherStep {
	rows, some := workspace.Rows{Source: source}, list[from:min(from+rowsPerStep, len(list))]
	found := gatherStep{rows: len(some)}
	var ends []uint32 // of exchanges
	for _, number := range some {
		row, ok := rows.At(int(number))
		if !ok || row.Kind != session.KindStdin && row.Kind != session.KindStdout {
			continue
		}
		found.messages = append(found.messages, number)
		if at, ok := rounds.Cancelled(int(number)); ok && row.Msg == framing.Request {
			ends = append(ends, uint32(at))
		}
		partner, paired := row.Partner()
		switch {
		case workspace.Answers(int(number), &row):
			if _, both := slices.BinarySearch(list, uint32(partner)); !both {
				ends = append(ends, number)
			}
		case row.Msg != framing.Request:
		case row.State == session.ReqPending:
			found.open = append(found.open, number)
		case paired && partner < source.Len():
			ends = append(ends, uint32(partner))
			found.messages = append(found.messages, uint32(partner))
			for round := range rounds.Later(&rows, int(number)) {
				found.messages = append(found.messages, uint32(round))
				request, _ := rows.At(round)
				if response, ok := request.Partner(); ok {
					ends = append(ends, uint32(response))
					found.messages = append(found.messages, uint32(response))
				}
			}
		}
	}
	slices.Sort(found.messages)
	found.answered = workspace.ReadAnswered(source, &rounds, ends)
	return found
}

type gathered struct {
	step  gatherStep
	state *TimeState
	of    *gathering
}

func (msg gathered) Deliver(c host.Context) tea.Cmd {
	g := msg.of
	g.running = false
	if msg.state.gathered != g {
		return msg.state.gather(c)
	}
	g.at += msg.step.rows
	for _, a := range msg.step.answered {
		g.latencies.Add(a)
	}
	for _, number := range msg.step.messages {
		if g.count < maxMessages {
			g.messages.Insert(int(number))
			g.count++
		}
	}
	g.open = append(g.open, msg.step.open...)
	g.open = g.open[max(len(g.open)-maxGathered, 0):]
	c.Host.Redraw()
	return msg.state.gather(c)
}
