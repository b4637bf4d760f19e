package session_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

func TestDescribe(t *testing.T) {
	seven := 7
	for _, tc := range []struct {
		entry session.Entry
		want  string
	}{
		{session.NewEntry(session.KindStart, 0, session.StartBody{Process: "mcp-stdio-1", PID: 4121, Placement: "local"}), "mcp-stdio-1 pid 4121 local"},
		{session.NewEntry(session.KindEnv, 0, session.EnvBody{Policy: "client", Passed: []string{"PATH"}, Omitted: []string{"API_KEY"}}), "policy client: 1 passed, 1 omitted; omitted: API_KEY"},
		{session.NewEntry(session.KindPhase, 0, session.PhaseBody{Phase: "spawn", Took: 1500, Error: "no"}), "spawn 1.5 ms: no"},
		{session.NewEntry(session.KindState, 0, session.StateBody{State: "ready", Server: "x 1", Protocol: "2025-11-25", Era: "legacy"}), "ready x 1 2025-11-25 legacy"},
		{session.NewEntry(session.KindState, 0, session.StateBody{State: "timed-out", Of: 4, ID: json.RawMessage(`"mcpdbg-1"`)}), `request "mcpdbg-1" of entry 4: timed-out`},
		{session.NewEntry(session.KindExited, 3, session.ExitedBody{Code: &seven}), "exit code 7"},
		{session.NewEntry(session.KindExited, 3, session.ExitedBody{Signal: "SEGV", Core: true}), "signal SEGV, core dumped"},
		{session.NewEntry(session.KindExited, 3, session.ExitedBody{}), "exit status unknown"},
		{session.NewEntry(session.KindLagged, 0, session.LaggedBody{Events: 12, Times: 3}), "12 events behind, recovered (3 times)"},
		{session.NewEntry(session.KindHeld, 0, session.HeldBody{Begin: 1000, End: 21000, Streams: []string{"stdout", "stderr"}}), "stdout and stderr not read for 20 ms: the server had to wait"},
		{session.NewEntry(session.KindHeld, 0, session.HeldBody{Begin: 1000, Streams: []string{"stdout"}}), "stdout not read: the collector is too far behind; still held"},
		{session.NewEntry(session.KindGap, 0, session.GapBody{From: 3, To: 9, Bytes: 100, Streams: []string{"stderr"}}), "LOST 100 bytes of stderr: sequence 3 to 9"},
		{session.NewEntry(session.KindWrite, 0, session.WriteBody{Of: 5, Status: "stdin-closed", Bytes: 3}), "write of entry 5: stdin-closed, 3 bytes reached the pipe"},
		{session.NewEntry(session.KindProc, 0, session.ProcBody{Survivors: true, Tree: []session.ProcInfo{{PID: 9, Command: "sleep 5"}}}), "still alive after exit: 9 sleep 5"},
		{session.NewEntry(session.KindNote, 0, session.NoteBody{Text: "a", Hint: "b"}), "a - b"},
		{session.Entry{Kind: session.KindStderr, Payload: []byte("as it is\x1b")}, "as it is\x1b"},
		{session.Entry{Kind: session.KindPhase, Body: json.RawMessage(`{"phase":1}`)}, `{"phase":1}`},
	} {
		require.Equal(t, tc.want, session.Describe(&tc.entry))
	}
}
