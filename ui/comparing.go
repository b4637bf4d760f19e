package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/ui/beside"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/table"
)

const scopeCompare = "compare"

const (
	// maxLook is how many bytes the messages of one exchange may have together
	// that is shown side by side; larger ones are opened in their session.
	maxLook = 4 << 20
	// compareTick is how often the screen says how far a comparison is.
	compareTick = 100 * time.Millisecond
)

// The lists of a comparison.
const (
	listExchanges = iota
	listGroups
	listMasked
	listTimes
	listCount
)

// comparing shows what two sessions differ in. It is about the first of them, A.
type comparing struct {
	a, b  *subject
	logs  [2]session.Source // what of them is compared
	names [2]string
	round bool            // of a watch: before and after a restart
	opts  compare.Options // its rules are those of a replay
	rules match.Rules     // of the person, behind them
	said  []string        // what there is to say besides, of a replay

	c       *compare.Comparison // nil before it was made
	failure string
	busy    *compareJob // under way

	list   int // which has the cursor
	tables [listCount]*table.Table
	only   bool // exchanges that differ
	reveal bool // values that are equal by type
	all    bool // what is equal is not folded
	file   string

	beside besideView
	inside bool // the keys are for what stands side by side
	blocks [5]paint.Lines
}

// A compareJob is a comparison under way.
type compareJob struct {
	rows atomic.Int64 // read
	of   int64
	stop context.CancelFunc
}

// canCompare tells whether a subject can be compared now.
func (a *App) canCompare(s *subject) string {
	switch {
	case s == a.nobody:
		return errNoSession.Error()
	case s.reading != nil:
		return s.title + " is still being read"
	}
	return ""
}

// compareWith compares two sessions as they are now.
func (a *App) compareWith(one, other *subject, opts compare.Options, said []string) tea.Cmd {
	for _, s := range []*subject{one, other} {
		if why := a.canCompare(s); why != "" {
			a.complain(why)
			return nil
		}
	}
	v := &comparing{
		a: one, b: other, logs: [2]session.Source{one.log, other.log}, names: [2]string{one.title, other.title}, opts: opts, said: said, file: "mcpdbg.rules", beside: besideView{pair: -1},
	}
	v.makeTables(a)
	if a.subject == a.front && a.top() == nil && a.dialog == nil && a.prompt == nil && !a.composer.open {
		a.push(v)
	} else { // somebody is at something else
		a.compared = v
		a.say(a.keyOf(actCompare) + " shows the comparison of " + one.title + " and " + other.title)
	}
	return v.compare(a)
}

// ruleList is nil for no rules.
func ruleList(rules []match.Rule) *match.Rules {
	if len(rules) == 0 {
		return nil
	}
	return &match.Rules{List: rules}
}

// compare makes the comparison, anew if there is one.
func (v *comparing) compare(a *App) tea.Cmd {
	v.giveUp()
	ctx, stop := context.WithCancel(a.ctx)
	job := &compareJob{stop: stop}
	v.busy, v.failure = job, ""
	one, other := meteredSource{v.logs[0], job}, meteredSource{v.logs[1], job}
	job.of = int64(one.Len() + other.Len())
	opts := v.opts
	opts.Rules = &match.Rules{List: slices.Clone(v.rules.List)}
	if v.opts.Rules != nil {
		opts.Rules.List = slices.Concat(v.opts.Rules.List, v.rules.List)
	}
	a.stale = true
	run := func() tea.Msg {
		c, err := compare.Explore(ctx, one, other, opts)
		stop()
		return result{then: func(a *App) tea.Cmd { return v.compared(a, job, c, err) }}
	}
	return tea.Batch(run, a.later(compareTick, result{then: func(a *App) tea.Cmd { return v.tick(a, job) }}))
}

// tick paints how far a comparison is, again and again until it is over.
func (v *comparing) tick(a *App, job *compareJob) tea.Cmd {
	if v.busy != job {
		return nil
	}
	a.stale = true
	return a.later(compareTick, result{then: func(a *App) tea.Cmd { return v.tick(a, job) }})
}

// compared takes a comparison. One that was given up is not wanted any more.
func (v *comparing) compared(a *App, job *compareJob, c *compare.Comparison, err error) tea.Cmd {
	if v.busy != job {
		return nil
	}
	v.busy, a.stale = nil, true
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			v.failure = err.Error()
		}
		return nil
	}
	first := v.c == nil
	v.c = c
	v.report(a)
	if first {
		return v.goFirst(a)
	}
	return v.look(a, v.beside.want)
}

// giveUp ends what is under way.
func (v *comparing) giveUp() {
	if v.busy != nil {
		v.busy.stop()
		v.busy = nil
	}
	if v.beside.stop != nil {
		v.beside.stop()
	}
}

// closed tells which side has been closed, "" if none.
func (v *comparing) closed() string {
	for i, s := range []*subject{v.a, v.b} {
		select {
		case <-s.gone:
			return fmt.Sprintf("%c, %s, was closed", 'A'+i, s.title)
		default:
		}
	}
	return ""
}

// A meteredSource tells a job how many of its rows were read.
type meteredSource struct {
	session.Source
	job *compareJob
}

func (c meteredSource) Rows(from int, dst []session.Row) int {
	n := c.Source.Rows(from, dst)
	if n > 1 { // by the way: single rows are read again
		c.job.rows.Add(int64(n))
	}
	return n
}

// EntryInto implements session.IntoReader.
func (c meteredSource) EntryInto(row session.Row, limit int, buf []byte) (session.Entry, error) {
	return session.EntryInto(c.Source, row, limit, buf)
}

// percent is how far a job is.
func (j *compareJob) percent() int {
	if j.of == 0 {
		return 0
	}
	return int(min(j.rows.Load()*100/j.of, 100))
}

// look reads the exchange under the cursor, to show it side by side. The cursor
// there goes to a pointer, or to the first difference.
func (v *comparing) look(a *App, want match.Pointer) tea.Cmd {
	b := &v.beside
	if b.stop != nil {
		b.stop()
	}
	b.want = want
	pair, ok := v.current()
	if !ok || v.c == nil {
		b.pair, b.rows, b.noted, b.wrong = -1, nil, nil, ""
		return nil
	}
	if b.pair != pair {
		b.at, b.top, b.x = 0, 0, 0
	}
	ctx, stop := context.WithCancel(a.ctx)
	b.stop, b.pair = stop, pair
	c, all := v.c, v.all
	return func() tea.Msg {
		look, err := c.Look(ctx, pair, maxLook)
		var rows []beside.Row
		var noted []compare.Difference
		if err == nil {
			j := judge{look: look}
			rows = beside.Rows(look.A, look.B, j.at, all || bytes.Equal(look.A, look.B))
			noted = unplaced(look)
		}
		late := ctx.Err() != nil
		stop()
		return result{then: func(a *App) tea.Cmd {
			if late || v.c != c || b.pair != pair {
				return nil
			}
			a.stale = true
			b.rows, b.noted, b.wrong = rows, noted, ""
			if err != nil {
				b.wrong = err.Error()
			}
			b.settle()
			return nil
		}}
	}
}
