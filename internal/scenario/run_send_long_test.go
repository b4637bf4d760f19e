//go:build long

package scenario_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/scenario"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// TestLongAnswerToBytes checks that a response that is too large to check does not
// count as one without a result.
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
		require.Equal(t, []string{"failed send", "  result: the response is larger than 32 MiB"}, outcomes(res))
	})
}
