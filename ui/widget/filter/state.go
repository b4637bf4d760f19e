package filter

import (
	"slices"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/tap"
)

// A state is what a row shows about itself, for the word is:NAME.
type state struct {
	name string
	// of decides by the row.
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
	{"unanswered", func(r *session.Row) bool {
		return r.Flags&session.FlagProbe == 0 && (r.State == session.ReqLost || r.State == session.ReqTimedOut)
	}},
	{"noise", func(r *session.Row) bool { return IsStray(*r) }},
	{"odd", func(r *session.Row) bool {
		return IsStray(*r) || r.State == session.ReqUnmatched || r.State == session.ReqDuplicate || r.Flags&session.FlagProblem != 0
	}},
	{"exit", func(r *session.Row) bool { return r.Kind == session.KindExited || r.Kind == session.KindFailed }},
	{"restart", func(r *session.Row) bool { return r.Kind == session.KindStart && r.Run > 1 }},
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
