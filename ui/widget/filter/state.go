package filter

import (
	"slices"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/tap"
)

// A state is what a row shows about itself, for the word is:NAME.
type state struct {
	name string
	// of decides by the row; nil for a test of its own.
	of func(r *session.Row) bool
}

// states are in the order of the documentation.
var states = []state{
	{"running", func(r *session.Row) bool { return r.Msg == framing.Request && r.State == session.ReqPending }},
	{"waits", func(r *session.Row) bool {
		return r.Msg == framing.Request && r.State == session.ReqPending && r.Kind == session.KindStdout
	}},
	{"ok", func(r *session.Row) bool {
		return r.Msg == framing.Response && r.State == session.ReqNone && r.Flags&session.FlagError == 0 && r.Paired()
	}},
	{"failed", func(r *session.Row) bool {
		return r.Flags&session.FlagProbe == 0 && r.State != session.ReqUnmatched &&
			(r.Msg == framing.ErrorResponse || r.Msg == framing.Response && r.Flags&session.FlagError != 0)
	}},
	{"cancelled", func(r *session.Row) bool { return r.State == session.ReqCancelled }},
	{"unanswered", nil},
	{"noise", func(r *session.Row) bool { return IsStray(*r) }},
	{"odd", func(r *session.Row) bool {
		return IsStray(*r) || r.State == session.ReqUnmatched || r.State == session.ReqDuplicate || r.Flags&session.FlagProblem != 0
	}},
	{"exit", func(r *session.Row) bool { return r.Kind == session.KindExited || r.Kind == session.KindFailed }},
	{"restart", func(r *session.Row) bool { return r.Kind == session.KindStart && r.Run > 1 }},
	{"slow", nil},
	{"task", func(r *session.Row) bool { return r.State == session.ReqTask }},
	{"batch", func(r *session.Row) bool { return r.Msg == framing.Batch }},
}

func stateNames() []string {
	names := make([]string, len(states), len(states)+1)
	for i, s := range states {
		names[i] = s.name
	}
	return append(names, isMine)
}

// mineTest tests for a request that a tap or a person at it made up.
type mineTest struct{ ownRow }

const isMine = "mine"

func (mineTest) row(m *Matcher, _ int, r session.Row) Verdict {
	if r.Kind == session.KindStdin && r.Msg == framing.Request && m.source.Header().Mode == session.ModeTap {
		return Unread
	}
	return No
}

func (mineTest) message(msg *message) bool { return tap.OwnID(msg.id()) }

// state parses the value of is:. Events that it names are listed in every view.
func (p *parser) state(at int, value string) (test, error) {
	if value == isMine {
		return mineTest{}, nil
	}
	i := slices.IndexFunc(states, func(s state) bool { return s.name == value })
	if i < 0 {
		return nil, p.wrong(at, "is: must be one of "+strings.Join(stateNames(), ", "))
	}
	switch value {
	case "slow":
		return slowTest{latencyTest{over: true}}, nil
	case "unanswered":
		return unansweredTest{}, nil
	case "exit":
		p.filter.kinds[session.KindExited], p.filter.kinds[session.KindFailed] = true, true
	case "restart":
		p.filter.kinds[session.KindStart] = true
	}
	return stateTest{state: &states[i]}, nil
}

type stateTest struct {
	decided
	state *state
}

func (t stateTest) row(_ *Matcher, _ int, r session.Row) Verdict { return verdictOf(t.state.of(&r)) }

// unansweredTest tests for a request that got no response in time, or that is pending at the
// end of a recording.
type unansweredTest struct{ decided }

func (unansweredTest) row(m *Matcher, _ int, r session.Row) Verdict {
	switch {
	case r.Flags&session.FlagProbe != 0:
		return No
	case r.State == session.ReqPending && r.Msg == framing.Request:
		return verdictOf(m.source.Stats().Recording.Complete())
	}
	return verdictOf(r.State == session.ReqLost || r.State == session.ReqTimedOut)
}

// NamesUnanswered reports whether a word is is:unanswered. That a log is complete then
// decides about its pending requests.
func (f *Filter) NamesUnanswered() bool {
	return f.has(func(t test) bool { _, ok := t.(unansweredTest); return ok })
}

// NamesSlow reports whether a word is is:slow: see SlowFrom.
func (f *Filter) NamesSlow() bool {
	return f.has(func(t test) bool { _, ok := t.(slowTest); return ok })
}

// SlowFrom returns the filter for calls that are slow over a time, in microseconds. 0 means
// over 100 ms and over 5 times the median of the log.
func (f *Filter) SlowFrom(us int64) *Filter {
	if !f.NamesSlow() || f.slow == us {
		return f
	}
	g := *f
	g.slow = us
	return &g
}

func (f *Filter) has(of func(test) bool) bool {
	if f == nil {
		return false
	}
	for _, words := range f.alternatives {
		for _, w := range words {
			if of(w.test) {
				return true
			}
		}
	}
	return false
}

// slowTest tests for a slow call: see SlowFrom.
type slowTest struct{ latencyTest }

// The same as for the key that goes to the next slow call.
const (
	slowFrom  = 100_000 // microseconds
	slowTimes = 5
	// slowRows is how many rows the median is of.
	slowRows = 1 << 17
)

func (t slowTest) row(m *Matcher, index int, r session.Row) Verdict {
	if m.rough && r.Paired() {
		return Unread
	}
	t.limit = m.filter.slow
	if t.limit == 0 {
		if rows := m.source.Len(); m.slow == 0 || m.judged < slowRows && rows >= 2*m.judged {
			m.slow, m.judged = m.slowness(), rows // the median of a log that grows changes
		}
		t.limit = m.slow
	}
	return t.latencyTest.row(m, index, r)
}

// slowness returns from how many microseconds a call of this log is slow.
func (m *Matcher) slowness() int64 {
	number := m.number
	defer func() { m.number = number }()
	var all []int64
	rows := make([]session.Row, 1024)
	for from := 0; from < slowRows; {
		n := m.source.Rows(from, rows)
		if n == 0 {
			break
		}
		for i, r := range rows[:n] {
			m.number = from + i
			if r.Msg != framing.Response && r.Msg != framing.ErrorResponse || handshake(m.source.Method(r.Method)) {
				continue
			}
			if took, ok := m.latency(r); ok {
				all = append(all, took)
			}
		}
		from += n
	}
	if len(all) == 0 {
		return slowFrom
	}
	slices.Sort(all)
	return max(slowFrom, slowTimes*all[(len(all)-1)/2])
}

func handshake(method string) bool {
	return method == mcp.MethodInitialize || method == mcp.MethodDiscover
}
