package filter

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
)

// TestShownEvents checks what lists show for events, and that a search finds that and the older
// words.
func TestShownEvents(t *testing.T) {
	log, err := recordings.Create(recordings.Options{NoRecord: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Release()) })
	for _, tc := range []struct {
		kind         session.Kind
		body         any
		source, text string
		old          []string
	}{
		{session.KindLagged, session.LaggedBody{Events: 46}, "lag", "46 events behind, caught up, nothing lost", []string{"lagged", "recovered"}},
		{session.KindHeld, session.HeldBody{Begin: 1, End: 75_001, Streams: []string{"stdout"}}, "stall", "stdout not read for 75 ms, nothing lost", []string{"held"}},
		{session.KindGap, session.GapBody{From: 1051, To: 1057, Bytes: 4200}, "gap", "sequence 1051 to 1057 missing: 7 events lost (4.1K)", []string{"LOST 4200 bytes"}},
		{session.KindState, session.StateBody{State: "ready", Server: "everything 2.0.0", Protocol: "2025-11-25"}, "state", "ready, everything 2.0.0", []string{"2025-11-25"}},
		{session.KindState, session.StateBody{State: "timed-out", Of: 3, ID: []byte("7")}, "state", "id 7: no answer", []string{"timed-out"}},
		{session.KindAct, session.ActBody{Act: session.ActCompose, Detail: "tools/call"}, "you", "sent a call", []string{"act", "compose"}},
		{session.KindAct, session.ActBody{Act: session.ActAnswer, Detail: "elicitation/create", By: session.ByPolicy}, "you", "answered elicitation/create (by a rule)", nil},
		{session.KindPhase, session.PhaseBody{Phase: "spawn"}, "start", "spawn", []string{"phase"}},
		{session.KindEnv, session.EnvBody{Policy: "all", Passed: []string{"A"}}, "env", "1 passed, 0 omitted", []string{"policy all"}},
	} {
		e := session.NewEntry(tc.kind, 0, tc.body)
		require.NoError(t, log.Append([]session.Entry{e}))
		require.Equal(t, []string{tc.source, tc.text}, []string{EventSource(e.Kind), EventText(&e)})
		last := log.Len() - 1
		for _, word := range append(tc.old, tc.source, tc.text) {
			f, err := Text(word)
			require.NoError(t, err)
			require.True(t, f.Matcher(log).Match(last, rows(t, log)[last]), word)
		}
	}
}
