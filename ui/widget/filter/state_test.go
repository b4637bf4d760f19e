package filter

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// TestStates checks which rows each word is: keeps and drops.
func TestStates(t *testing.T) {
	request := session.Row{Kind: session.KindStdin, Msg: framing.Request}
	asked := session.Row{Kind: session.KindStdout, Msg: framing.Request}
	response := session.Row{Kind: session.KindStdout, Msg: framing.Response, Related: 1}
	refused := session.Row{Kind: session.KindStdout, Msg: framing.ErrorResponse, Related: 1, Flags: session.FlagError}
	in := func(r session.Row, s session.ReqState) session.Row { r.State = s; return r }
	with := func(r session.Row, f session.RowFlags) session.Row { r.Flags |= f; return r }
	event := func(k session.Kind, run uint16) session.Row { return session.Row{Kind: k, Run: run} }
	pending, waits := in(request, session.ReqPending), in(asked, session.ReqPending)
	noise := session.Row{Kind: session.KindStdout, Msg: framing.NotJSON}
	orphan := in(response, session.ReqUnmatched)

	tests := map[string]struct{ keeps, drops []session.Row }{
		"running":    {[]session.Row{pending}, []session.Row{in(request, session.ReqAnswered), response}},
		"waits":      {[]session.Row{waits}, []session.Row{pending, in(asked, session.ReqAnswered)}},
		"ok":         {[]session.Row{response}, []session.Row{refused, with(response, session.FlagError), orphan, request}},
		"failed":     {[]session.Row{refused, with(response, session.FlagError)}, []session.Row{response, with(refused, session.FlagProbe), in(refused, session.ReqUnmatched)}},
		"cancelled":  {[]session.Row{in(request, session.ReqCancelled)}, []session.Row{pending}},
		"unanswered": {[]session.Row{in(request, session.ReqLost), in(request, session.ReqTimedOut), pending}, []session.Row{response, with(in(request, session.ReqLost), session.FlagProbe)}},
		"noise":      {[]session.Row{noise}, []session.Row{{Kind: session.KindStdin, Msg: framing.NotJSON}, response}},
		"odd":        {[]session.Row{noise, orphan, in(response, session.ReqDuplicate), with(request, session.FlagProblem)}, []session.Row{response, request}},
		"exit":       {[]session.Row{event(session.KindExited, 1), event(session.KindFailed, 1)}, []session.Row{event(session.KindStart, 2), response}},
		"restart":    {[]session.Row{event(session.KindStart, 2)}, []session.Row{event(session.KindStart, 1), event(session.KindExited, 2)}},
		"slow":       {nil, []session.Row{request, noise}},
		"task":       {[]session.Row{in(response, session.ReqTask)}, []session.Row{response}},
		"mine":       {nil, []session.Row{request, response}}, // not the recording of a tap
		"batch":      {[]session.Row{{Kind: session.KindStdin, Msg: framing.Batch}}, []session.Row{request}},
	}
	for _, name := range stateNames() {
		f, err := Parse("is:" + name)
		require.NoError(t, err)
		m := f.Matcher(&one{})
		test, tested := tests[name]
		require.True(t, tested, name)
		for i, r := range test.keeps {
			require.True(t, m.Match(0, r), "is:%s keeps row %d", name, i)
		}
		for i, r := range test.drops {
			require.False(t, m.Match(0, r), "is:%s drops row %d", name, i)
		}
	}
	require.Len(t, tests, len(stateNames()))
	_, err := Parse("is:broken")
	require.ErrorContains(t, err, "is: must be one of running, waits, ")
}

// TestStatesNameEvents checks that a filter for events lists them in every view.
func TestStatesNameEvents(t *testing.T) {
	for text, kinds := range map[string][]session.Kind{
		"is:exit": {session.KindExited, session.KindFailed}, "is:restart": {session.KindStart}, "is:failed": nil,
	} {
		f, err := Parse(text)
		require.NoError(t, err)
		for _, k := range []session.Kind{session.KindExited, session.KindFailed, session.KindStart, session.KindGap} {
			named := false
			for _, want := range kinds {
				named = named || k == want
			}
			require.Equal(t, named, f.NamesKind(k), "%s %s", text, k)
		}
	}
}
