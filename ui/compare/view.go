package compare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	diff "mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/workspace"
)

const (
	// maxExchange is the maximum size in bytes of an exchange shown side by side,
	// all messages together; larger ones are opened in their session.
	maxExchange   = 4 << 20
	progressEvery = 100 * time.Millisecond
)

const (
	listCalls = iota
	listValues
	listTypes
	listTimes
	listCount
)

type view struct {
	state *State
	a, b  *workspace.Workspace
	logs  [2]session.Source // the compared part of each
	names [2]string         // with process and state
	round bool              // of a watch: before and after a restart
	calls *twoCalls         // nil for a comparison of sessions
	opts  diff.Options      // its rules are those of a replay
	rules match.Rules       // the user's, applied after those
	extra []string          // further lines to show, from a replay

	result  *diff.Comparison // nil until it is made
	tally   tally
	failure string
	busy    *job // nil if none is running

	list   int // the list that has the cursor
	tables [listCount]*table.Table
	theme  *paint.Theme // of the tables
	only   bool         // show only exchanges that differ
	reveal bool         // show values that are equal by type
	all    bool         // do not fold equal values
	file   string

	beside sideBySide
	form   form // of the two messages
	half   half
	inside bool // the responses have the focus
	blocks [blockCount]paint.Lines
}

type job struct {
	rows atomic.Int64 // read
	of   int64
	stop context.CancelFunc
}

// A State is what the screens of all sessions share about comparisons.
type State struct {
	// Idle reports whether a workspace is visible and the user is doing nothing
	// there that a comparison would cover.
	Idle func(host.Context) bool
	// Resend sends a request again, which the user may have to confirm; then follows its
	// response, with the number of its entry.
	Resend func(c host.Context, request session.Row, then func(c host.Context, n uint64) tea.Cmd) tea.Cmd

	latest *view // the one to go back to; nil before the first
}

// Show compares two sessions as they are now. It shows the comparison, or if the user is
// doing something else, the key that opens it. extra are lines to show above it.
func (s *State) Show(c host.Context, one, other *workspace.Workspace, opts diff.Options, extra []string) tea.Cmd {
	for _, ws := range []*workspace.Workspace{one, other} {
		if why := cannotCompare(ws); why != "" {
			c.Host.Warn(why)
			return nil
		}
	}
	v := s.newView(c, one, other)
	v.logs, v.names, v.opts, v.extra = [2]session.Source{one.Log, other.Log}, [2]string{nameOf(one), nameOf(other)}, opts, extra
	if s.Idle(c) {
		c.Host.Open(c.Workspace, v)
	} else {
		s.latest = v
		c.Host.Notify(c.Host.Key(host.ActCompare) + " shows the comparison of " + one.Title + " and " + other.Title)
	}
	return v.compare(c)
}

// ShowRound makes the comparison of a round of a watch the one to go back to, and
// replaces that of the previous round on the screen.
func (s *State) ShowRound(c host.Context, round *replay.Round, cause string) tea.Cmd {
	v := s.newView(c, c.Workspace, c.Workspace)
	v.logs, v.names = [2]session.Source{round.Before, round.After}, [2]string{"before", "after " + cause}
	v.opts, v.extra, v.round = round.Options, []string{round.Summary(), round.Times()}, true
	if was, ok := c.View.(*view); ok && was.round && was.a == c.Workspace {
		v.list, v.only, v.reveal, v.form, v.rules, v.file = was.list, was.only, was.reveal, was.form, was.rules, was.file
		was.cancel()
		c.Host.Close(was)
		c.Host.Open(c.Workspace, v)
	}
	s.latest = v
	return v.compare(c)
}

// nameOf returns the title of a session with its process, and if it goes on.
func nameOf(ws *workspace.Workspace) string {
	title := ws.Title
	if pid := ws.PIDAt(ws.Shown.Source.Len()); pid > 0 {
		title += fmt.Sprintf(" %d", pid)
	}
	if ws.Session == nil {
		return title + ", recorded"
	}
	if exit := ws.ExitText(); exit != "" {
		return title + ", " + exit
	}
	return title + ", now"
}

// "" if it can be compared.
func cannotCompare(ws *workspace.Workspace) string {
	switch {
	case ws.Empty():
		return workspace.ErrNoSession.Error()
	case ws.Reading != nil:
		return ws.Title + " is still being read"
	}
	return ""
}

func (s *State) newView(c host.Context, a, b *workspace.Workspace) *view {
	v := &view{state: s, a: a, b: b, file: "mcpdbg.rules", half: answers, beside: sideBySide{pair: -1}}
	v.makeTables(c.Host.Screen())
	return v
}

func (v *view) compare(c host.Context) tea.Cmd {
	v.cancel()
	ctx, stop := context.WithCancel(c.Host.Lifetime())
	j := &job{stop: stop}
	v.busy, v.failure = j, ""
	one, other := workspace.Metered{Source: v.logs[0], Read: &j.rows}, workspace.Metered{Source: v.logs[1], Read: &j.rows}
	j.of = int64(one.Len() + other.Len())
	opts := v.opts
	opts.Rules = &match.Rules{List: slices.Clone(v.rules.List)}
	if v.opts.Rules != nil {
		opts.Rules.List = slices.Concat(v.opts.Rules.List, v.rules.List)
	}
	c.Host.Redraw()
	run := func() tea.Msg {
		result, err := diff.Explore(ctx, one, other, opts)
		stop()
		var sums tally
		if err == nil && v.calls == nil {
			sums = tallyOf(result)
		}
		return host.Result{Then: func(c host.Context) tea.Cmd { return v.compared(c, j, result, sums, err) }}
	}
	return tea.Batch(run, v.tickLater(c, j))
}

func (v *view) tickLater(c host.Context, j *job) tea.Cmd {
	return c.Host.After(progressEvery, host.Result{Then: func(c host.Context) tea.Cmd {
		if v.busy != j {
			return nil
		}
		c.Host.Redraw()
		return v.tickLater(c, j)
	}})
}

// The result of a cancelled comparison is dropped.
func (v *view) compared(c host.Context, j *job, result *diff.Comparison, sums tally, err error) tea.Cmd {
	if v.busy != j {
		return nil
	}
	v.busy = nil
	c.Host.Redraw()
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			v.failure = err.Error()
		}
		return nil
	}
	first := v.result == nil
	v.result, v.tally = result, sums
	v.report(c.Host.Screen())
	if first {
		return v.goToFirst(c)
	}
	return v.look(c, v.beside.want)
}

func (v *view) cancel() {
	if v.busy != nil {
		v.busy.stop()
		v.busy = nil
	}
	if v.beside.stop != nil {
		v.beside.stop()
	}
}

// closed returns the side that has been closed, "" if neither.
func (v *view) closed() string {
	for i, ws := range []*workspace.Workspace{v.a, v.b} {
		select {
		case <-ws.Closed:
			return fmt.Sprintf("session %c, %s, was closed", 'A'+i, ws.Title)
		default:
		}
	}
	return ""
}

// rowsOf lays out a half of both messages, or both halves if neither side has it.
func rowsOf(look *diff.Look, shown half, all bool) []valueRow {
	r := valueRower{judge: judge{look: look}.at}
	for _, name := range shown.members() {
		a, b := match.Member(look.A, name), match.Member(look.B, name)
		if r.all = all || bytes.Equal(a, b); a != nil || b != nil {
			r.value([]string{name}, "", a, b, 0)
		}
	}
	if r.rows == nil {
		return valueRows(look.A, look.B, r.judge, all || bytes.Equal(look.A, look.B))
	}
	return r.limited()
}

// look reads the exchange under the cursor, to show it side by side. The cursor
// there goes to a pointer, or to the first difference.
func (v *view) look(c host.Context, want match.Pointer) tea.Cmd {
	b := &v.beside
	if b.stop != nil {
		b.stop()
	}
	b.want = want
	pair, ok := v.current()
	if !ok || v.result == nil {
		b.pair, b.rows, b.failure = -1, nil, ""
		b.arrange(b.unified)
		return nil
	}
	if b.pair != pair {
		b.at, b.top, b.x = 0, 0, 0
	}
	ctx, stop := context.WithCancel(c.Host.Lifetime())
	b.stop, b.pair = stop, pair
	result, all, half := v.result, v.all, v.half
	if first := v.result.Pair(pair).First; v.calls == nil && half == answers && first != nil && first.Class == diff.ClassParams {
		half = bothHalves // the difference is in the requests
	}
	return func() tea.Msg {
		look, err := result.Look(ctx, pair, maxExchange)
		var rows []valueRow
		if err == nil {
			rows = rowsOf(look, half, all)
		}
		late := ctx.Err() != nil
		stop()
		return host.Result{Then: func(c host.Context) tea.Cmd {
			if late || v.result != result || b.pair != pair {
				return nil
			}
			c.Host.Redraw()
			b.rows, b.failure = rows, ""
			if err != nil {
				b.failure = err.Error()
			}
			b.arrange(b.unified)
			b.settle()
			return nil
		}}
	}
}
