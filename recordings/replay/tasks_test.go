package replay_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// TestTasksAreFollowedAnew checks that the replay of a call that became a task
// follows the new task, gives the recorded answers, and does not send the polls of
// the recording.
func TestTasksAreFollowedAnew(t *testing.T) {
	for _, era := range []mcp.Era{mcp.Legacy, mcp.Modern} {
		t.Run(era.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := record(t, theDemo, era, func(s *session.Session) {
					params := json.RawMessage(`{"name":"job","arguments":{"seconds":4,"ask":true}}`)
					if era == mcp.Legacy {
						params, _ = session.AsTask(params, 0) // an object
					}
					resp, err := s.Request(t.Context(), mcp.MethodToolsCall, params, session.CallOptions{})
					require.NoError(t, err)
					require.Contains(t, string(resp.Result), "the job took 4 seconds")
					call(t, s, "echo", `{"message":"after"}`, session.CallOptions{})
				}, canned)
				plan, res, live := again(t, rec, theDemo, replay.Options{AllTools: true})
				items := plan.Items()
				require.Len(t, items, 2, "polls are not items")
				require.Equal(t, "job", items[0].Tool)
				require.Equal(t, replay.Answered, res.Outcomes[0].Status)
				require.Len(t, res.Outcomes[0].Live, 2, "the call and the last poll")
				report, err := compare.Compare(t.Context(), rec, live, compare.Options{
					Rules: &match.Rules{List: res.Rules()}, Skip: plan.SkipRecorded(res), SkipB: res.SkipLive(),
				})
				require.NoError(t, err)
				for _, g := range report.Groups {
					require.False(t, g.Counts, "%+v", g)
				}
			})
		})
	}
}
