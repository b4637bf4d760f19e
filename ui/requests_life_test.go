package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
)

// TestQuestionOfAnotherSession checks that a request of another session is
// answered there.
func TestQuestionOfAnotherSession(t *testing.T) {
	answeringAt(t, 120, 36, false, false, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		here := d.visible
		other := d.another("other (local)")
		there := d.visible
		uitest.Person(t, there.ws.Session)
		d.show(here)
		other.Latest().Out(`{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":%s}`, uitest.AskName)
		synctest.Wait()
		d.take(addressed{there, changed{}})
		require.Contains(t, d.rows()[35], "A answer the server")
		d.do(host.ActAnswer)
		require.Same(t, there, d.visible)
		require.Contains(t, d.plain(), "other (local) asks you")
		d.take(ctrlS)
		d.take(ctrlS)
		require.Empty(t, there.ws.Session.ServerRequests())
	})
}

// TestDelayedTicks checks that a delayed answer of a policy has a clock.
func TestDelayedTicks(t *testing.T) {
	answeringAt(t, 120, 36, true, false, uitest.InRounds(`"a":{"method":"roots/list"}`), func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.NoError(t, d.visible.ws.Session.SetPolicy(mcp.MethodRoots, session.Policy{Mode: session.PolicyCanned, Answer: []byte(`{"roots":[]}`), Delay: 5 * time.Minute}))
		done := d.call()
		time.Sleep(time.Minute)
		d.pull()
		time.Sleep(time.Minute)
		d.take(tick{})
		require.Equal(t, time.Second, d.pace())
		d.do(host.ActAnswer)
		require.Contains(t, d.plain(), "its rule answers in 180 s")
		d.take(ctrlS)
		<-done
		d.pull()
		require.Empty(t, d.visible.ws.Requests())
	})
}
