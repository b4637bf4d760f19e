package scenario_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/scenario"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// scripted is a legacy server with methods for tests.
func scripted() func(p *fake) int {
	asking := map[string]message{} // by the id of our request
	return legacy(func(p *fake, m message) error {
		switch m.Method {
		case "": // a response, or not a message
			if call, ok := asking[string(m.ID)]; ok {
				p.result(call, m.raw)
			} else {
				p.out(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`)
			}
		case "echo":
			if m.Params == nil {
				m.Params = raw("{}")
			}
			p.result(m, string(m.Params))
		case "fail":
			p.fail(m, `{"code":-32602,"message":"bad params","data":{"of":"me"}}`)
		case "tool":
			p.result(m, `{"isError":true,"content":[{"type":"text","text":"the disk is full"}]}`)
		case "die":
			p.err("panic: out of cheese")
			return errGone
		case "die slowly":
			p.err("panic: out of cheese")
			time.Sleep(time.Second)
			return errGone
		case "lose":
			p.lose()
		case "mute", "notifications/cancelled":
		case "wrong":
			p.out(`{"id": 1, "result": }`)
		case "slow":
			time.Sleep(2 * time.Second)
			p.result(m, `{"slow":true}`)
		case "tell":
			p.out(`{"jsonrpc":"2.0","method":"notifications/one","params":{"i":1}}`)
			p.out(`{"jsonrpc":"2.0","method":"notifications/one","params":{"i":2}}`)
			p.out(`[{"jsonrpc":"2.0","method":"notifications/two"},{"jsonrpc":"2.0","method":"notifications/three","params":{"x":[1]}}]`)
			p.err("listening on port 4711")
			p.out("no message")
			p.result(m, `{}`)
		case "ask":
			asking[`"q1"`] = m
			p.out(`{"jsonrpc":"2.0","id":"q1","method":"roots/list"}`)
		case "ask twice":
			p.out(`{"jsonrpc":"2.0","id":"q0","method":"roots/list"}`)
			asking[`"q1"`] = m
			p.out(`{"jsonrpc":"2.0","id":"q1","method":"roots/list"}`)
		case "stray":
			p.out("stray text")
			p.result(m, `{}`)
		case "id":
			p.result(m, `{"id":"n-17","big":9007199254740993,"null":null}`)
		}
		return nil
	})
}

// silent does not exit when its stdin is closed.
func silent(p *fake) int {
	code := scripted()(p)
	time.Sleep(time.Hour)
	return code
}

func parse(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("s.yaml", []byte("scenario: 1\n"+text))
	require.NoError(t, err)
	return s
}

// play runs a scenario through a server, without a probe for the modern era.
func play(t *testing.T, serve func(p *fake) int, text string) (*bench, *scenario.Result) {
	t.Helper()
	s := parse(t, text)
	vars, err := s.Bind(nil, nil)
	require.NoError(t, err)
	b := open(t, serve, s, vars, func(c *session.Config) { c.Era = mcp.Legacy })
	return b, s.Run(t.Context(), b.Session, vars, nil)
}

// requireLost requires the error of a lost connection.
func requireLost(t *testing.T, err error) {
	t.Helper()
	var lost *executor.LostError
	require.ErrorAs(t, err, &lost)
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }
