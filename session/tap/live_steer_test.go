package tap

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

// steer gives an order, and returns its answer and its error.
func (b *liveBench) steer(c Command) (string, error) {
	b.t.Helper()
	answer, failure := make(chan string, 1), make(chan error, 1)
	c.Answer, c.Failed = answer, failure
	b.commands <- c
	select {
	case text := <-answer:
		return text, nil
	case err := <-failure:
		return "", err
	}
}

func (b *liveBench) steers(c Command) string {
	b.t.Helper()
	text, err := b.steer(c)
	require.NoError(b.t, err)
	return text
}

// TestSteeringIsLogged holds messages of both sides, and checks that the log has the bytes
// that came and those that went on, from the moment that a message is held.
func TestSteeringIsLogged(t *testing.T) {
	inLive(t, &fakeServer{}, func(t *testing.T, b *liveBench) {
		p := b.handshakes()
		b.steers(Command{Do: Arm, Match: func(m *Message) bool { return bytes.Contains(m.Line, []byte("HOLD")) }})
		b.client(`1 tools/call {"x":"HOLD 1"}`)
		require.Len(t, b.published().Held, 1)
		time.Sleep(50 * time.Millisecond) // of the bubble: the log follows
		logged(t, b.log.lines(), `{"why":"held","m":{"jsonrpc":"2.0","id":1,`)
		b.steers(Command{Do: LetGo, N: 1, Line: expand(`1 tools/call {"x":"edited"}`)})
		b.gets(p.lines, `1 tools/call {"x":"edited"}`)
		p.says(`1 = "HOLD 2"`)
		require.Equal(t, 2, b.published().Held[0].N)
		b.steers(Command{Do: LetGo, N: 2, Line: expand(`1 = "changed"`)})
		b.gets(b.out, `1 = "changed"`)
		b.client(`notifications/x {"x":"HOLD 3"}`)
		require.Len(t, b.published().Held, 1)
		b.steers(Command{Do: Drop, N: 3})
		p.says(`1 roots/list {"x":"HOLD 4"}`)
		require.Len(t, b.published().Held, 1)
		b.steers(Command{Do: Respond, N: 4, Line: []byte(`"result":{"roots":[]}`)})
		b.gets(p.lines, `1 = {"roots":[]}`)
		id := b.steers(Command{Do: Drive, Text: "ping"})
		b.gets(p.lines, id+" ping")
		p.says(id + " = {}")
		p.says(`2 sampling/createMessage {}`)
		b.gets(b.out, `2 sampling/createMessage {}`) // and not the response to us
		_, err := b.steer(Command{Do: Cancel, ID: []byte("77")})
		require.ErrorIs(t, err, errNoRequest)
		logged(t, b.leaves(p),
			`{"why":"held","m":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":"HOLD 1"}}}`,
			`stdin 0 {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":"edited"}}`,
			`{"jsonrpc":"2.0","id":1,"result":"HOLD 2"}`,
			`to-client 0 {"why":"held","m":{"jsonrpc":"2.0","id":1,"result":"HOLD 2"}}`,
			`to-client 0 {"why":"edited","m":{"jsonrpc":"2.0","id":1,"result":"changed"}}`,
			`{"why":"held","m":{"jsonrpc":"2.0","method":"notifications/x"`,
			`from-client 0 {"why":"withheld","m":{"jsonrpc":"2.0","method":"notifications/x"`,
			`"text":"dropped: notifications/x"`,
			`to-client 0 {"why":"held","m":{"jsonrpc":"2.0","id":1,"method":"roots/list"`,
			`stdin 0 {"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`,
			`stdin 0 {"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`,
			`to-client 0 {"why":"own","m":{"jsonrpc":"2.0","id":`+id,
		)
	})
}

// TestNews checks what a viewer gets about the server over a restart.
func TestNews(t *testing.T) {
	inLive(t, &fakeServer{}, func(t *testing.T, b *liveBench) {
		first := b.handshakes()
		pid := first.Info().PID
		require.Equal(t, News{Server: "running", PID: pid, Held: []Held{}}, b.published())
		b.commands <- Command{Do: Changed}
		require.Equal(t, "running, building", b.published().Server)
		b.commands <- Command{Do: Unchanged}
		answer := b.restart(0)
		require.Equal(t, "restarting", b.published().Server)
		first.ends(executor.Exit{Kind: executor.ExitCode})
		second := b.proc(1)
		b.replays(second)
		require.Contains(t, <-answer, "restarted")
		require.Equal(t, News{Server: "running", PID: second.Info().PID, Restarts: 1, LostPID: pid, Held: []Held{}}, b.published())
		second.ends(executor.Exit{Kind: executor.ExitCode, Code: 3})
		n := b.published()
		require.Equal(t, "not running", n.Server)
		require.Zero(t, n.PID)
		require.NoError(t, b.in.Close())
		<-b.done
	})
}
