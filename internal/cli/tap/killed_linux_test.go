package tap_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// liveKills is how often each test of SIGKILL kills; more in the long tests.
var liveKills = 20

// TestKilled kills the tap or its server, or closes its input, at a random moment of
// calls and a restart: no process is left, and the recording can be read.
func TestKilled(t *testing.T) {
	t.Parallel()
	for i := range liveKills {
		victim := []string{"tap", "server", "input"}[i%3]
		t.Run(fmt.Sprint(victim, i), func(t *testing.T) {
			t.Parallel()
			c := converse(t, shortHome(t), "--watch", "FOLDER/*.sh")
			c.call("tools/call")
			c.edit("two")
			for range 3 {
				c.begin("tools/list")
			}
			time.Sleep(rand.N(300 * time.Millisecond)) // a random moment
			switch victim {
			case "tap":
				require.NoError(t, c.Cmd.Process.Kill())
			case "server":
				for _, p := range clitest.Left(c.Cmd) {
					if p.Pid != c.Cmd.Process.Pid {
						_ = p.Kill() // it may have ended
					}
				}
				c.edit("three")
				require.Contains(t, c.call("tools/call"), `"said":"three"`)
				require.NoError(t, c.in.Close())
			case "input":
				require.NoError(t, c.in.Close())
				c.Out.Reset(strings.NewReader("")) // it reads no more
			}
			_, _ = c.Out.WriteTo(&c.Seen)
			_ = c.Cmd.Wait() // in any way
			require.Eventually(t, func() bool { return len(clitest.Left(c.Cmd)) == 0 }, clitest.WaitLimit, 10*time.Millisecond)
			r := clitest.Run(t, "rec", "verify", c.record)
			require.Zero(t, r.Code, r.Stdout)
		})
	}
}
