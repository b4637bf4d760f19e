package traffic

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// TestHostileTimeline shows every hostile row in the timeline, in floods, and in
// the notes on lost requests.
func TestHostileTimeline(t *testing.T) {
	t.Parallel()
	log := uitest.HostileLog(t, uitest.Hostile...)
	for i, text := range uitest.Hostile {
		method, err := json.Marshal(text)
		require.NoError(t, err)
		lines := []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%s}`, i, method)}
		for range 7 {
			lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","method":%s}`, method))
		}
		for _, line := range lines {
			e := session.Entry{Kind: session.KindStdout, Seq: 1, Payload: []byte(line), EOL: framing.LF}
			e.Msg = framing.Scan(e.Payload)
			require.NoError(t, log.Append([]session.Entry{e}))
		}
		require.NoError(t, log.Append([]session.Entry{
			session.NewEntry(session.KindWaiting, 0, session.WaitingBody{Stream: text, Bytes: 1, Head: text}),
			session.NewEntry(session.KindFailed, 0, session.FailedBody{Error: text, Hint: text}),
		}))
	}
	for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {40, 10}} {
		s := newStage(t, uitest.NewHost(t, uitest.NewWorkspace(t, log), size[0], size[1]), Wire)
		s.Do("timeline", "mark", "time-zero")
		for _, change := range []string{kit.Top, "fold-floods", "time-clock"} {
			s.Do(change)
			s.act(kit.Top)
			for range 2 * log.Len() / size[1] {
				uitest.RequireExact(t, s.Frame(), size[0], size[1])
				s.act(kit.HalfPageDown, kit.Right)
			}
		}
		require.Equal(t, log.Len(), s.traffic.Len())
	}
}
