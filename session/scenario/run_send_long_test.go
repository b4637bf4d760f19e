//go:build long

package scenario_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/scenario"
)

// TestLongAnswerToBytes: an answer that is too large to be looked at is not taken
// for one without a result.
func TestLongAnswerToBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		send := scenario.Step{Name: "send", Do: scenario.Send, Data: []byte(`{"jsonrpc":"2.0","id":7,"method":"large"}` + "\n")}
		send.Expect.IsError = new(bool)
		s := &scenario.Scenario{Steps: []scenario.Step{send}}
		b := open(t, legacy(func(p *fake, m message) error {
			p.result(m, `{"isError":true,"x":"`+strings.Repeat("x", 33<<20)+`"}`)
			return nil
		}), s, nil, func(c *session.Config) { c.Era = mcp.Legacy })
		res := s.Run(t.Context(), b.Session, nil, nil)
		require.Equal(t, []string{"failed send", "  result: the answer has more than 32 MiB, and no more is looked at"}, story(res))
	})
}
