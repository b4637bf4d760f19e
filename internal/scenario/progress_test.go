package scenario_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// reporting is a legacy server that reports the progress of calls that ask for it, and
// never responds to them.
func reporting() func(p *fake) int {
	return legacy(func(p *fake, m message) error {
		if m.Method != "tools/call" {
			return nil
		}
		var params struct {
			Meta struct {
				Token json.RawMessage `json:"progressToken"`
			} `json:"_meta"`
		}
		if err := json.Unmarshal(m.Params, &params); err != nil {
			return err
		}
		if params.Meta.Token != nil {
			p.out(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`, params.Meta.Token))
		}
		return nil
	})
}

// TestToolStepAsksForProgress checks that the example of the manual passes: a tool step
// sends a progress token, in the background and not.
func TestToolStepAsksForProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, res := play(t, reporting(), `steps:
  - name: long
    tool: import
    background: true
  - wait: {notification: notifications/progress}
  - cancel: long
  - tool: import
    timeout: 1s
    always: true
  - wait: {notification: notifications/progress}
    always: true
`)
		var statuses []string
		for _, s := range res.Steps {
			statuses = append(statuses, string(s.Status))
		}
		require.Equal(t, []string{"passed", "passed", "passed", "failed", "passed"}, statuses)
	})
}

// TestProgressThatNobodyAskedFor checks that a wait for progress names the reason why there
// is none.
func TestProgressThatNobodyAskedFor(t *testing.T) {
	const wait = `
    background: true
  - wait: {notification: notifications/progress}
    timeout: 1s
`
	for call, hint := range map[string]bool{
		`call: tools/call
    params: {name: import}`: true,
		`call: tools/call
    params: {name: import, _meta: {progressToken: p1}}`: false,
	} {
		synctest.Test(t, func(t *testing.T) {
			_, res := play(t, reporting(), "steps:\n  - "+call+wait)
			last := res.Steps[1]
			if !hint {
				require.Empty(t, last.Problems)
				return
			}
			require.Len(t, last.Problems, 1)
			require.Contains(t, last.Problems[0].Text, "; the call asked for no progress: add _meta: {progressToken: p1} to its params")
		})
	}
}
