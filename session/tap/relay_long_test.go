package tap

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// pieces takes a line in pieces.
func (s *script) pieces(from side, texts ...string) (acts []act) {
	for i, text := range texts {
		take := s.fromClientPart
		if from == serverSide {
			take = s.fromServerPart
		}
		acts = append(acts, take([]byte(text), i == len(texts)-1, s.now)...)
	}
	return acts
}

func TestLongLines(t *testing.T) {
	const idLast, idFirst = `{"method":"tools/call","params":{"x":"`, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":"`
	s := play(t, handshake)

	// A request that passes is answered by a restart, wherever its id is.
	acts := s.pieces(clientSide, idLast, `...`, `"},"jsonrpc":"2.0","id":6}`+"\n")
	require.Equal(t, []string{"note a line of more than 16 MiB", "server " + idLast, "server ...", `server "},"jsonrpc":"2.0","id":6}`}, render(acts))
	require.True(t, acts[1].part)
	s.pieces(clientSide, idFirst, `"}}`+"\n")
	s.pieces(clientSide, `{"id":8,"method":"resources/read","x":"`, `"}`+"\n")
	s.run(`
restart-later r
client 9 tools/call
	none (held)
`)
	s.pieces(serverSide, `{"id":6,"result":{"x":"`, `"}}`+"\n")
	s.run(`
+5s
	client 7 !restarted (restart)
	client 8 !restarted (restart)
	stop
`)
	// One that cannot be held is answered.
	acts = s.pieces(clientSide, idLast, `"},"jsonrpc":"2.0","id":10}`+"\n")
	require.Equal(t, []string{"note a line of more than 16 MiB", "none (withheld)", "none (withheld)", "client 10 !busy (answered)"}, render(acts))
}

// TestLongLineIsNotInterrupted checks that nothing gets into the middle of a long line, and
// that one whose process ends is closed.
func TestLongLineIsNotInterrupted(t *testing.T) {
	const begin = `{"id":1,"result":{"x":"`
	s := play(t, handshake+"client 1 tools/call\n\tserver 1 tools/call\nnoticed\nclient 2 tools/call\n\tnone (held)\n")
	s.fromServerPart([]byte(begin), false, s.now)
	s.run("+20s\n")
	require.Equal(t, []string{`client "}}`, "client 2 !starting (answered)"}, render(s.fromServerPart([]byte(`"}}`+"\n"), true, s.now)))

	s = play(t, handshake+"client 1 tools/call\n\tserver 1 tools/call\n")
	s.fromServerPart([]byte(begin), false, s.now)
	acts := s.restart("r", 0, s.now)
	require.Equal(t, "\n", string(acts[0].out))
	require.Equal(t, []string{"client  (restart)", "client 1 !restarted (restart)", "stop"}, render(acts))
	require.Equal(t, []string{"note a line of more than 16 MiB", "none (withheld)"}, render(s.fromServerPart([]byte(`"}}`+"\n"), true, s.now)))

	// A response of ours to a line that comes meanwhile waits, too.
	s = play(t, handshake+"restart r\n\tstop\nended exit code 0\n\tstart\nstarted\n\tserver 0 initialize {\"protocolVersion\":\"2025-11-25\"} (restart)\n")
	s.fromServerPart([]byte(begin), false, s.now)
	s.run("client 9 ping\n\tnone (held)\n")
	require.Equal(t, []string{`client "}}`, "client 9 = {} (answered)"}, render(s.fromServerPart([]byte(`"}}`+"\n"), true, s.now)))

	s = play(t, handshake)
	acts = s.pieces(serverSide, begin, `"}`)
	require.Equal(t, "\n", string(acts[len(acts)-1].out))

	// The client's line does not reach the new process.
	s = play(t, handshake)
	s.fromClientPart([]byte(`{"id":5,"method":"tools/call","x":"`), false, s.now)
	s.restart("r", 0, s.now)
	require.Equal(t, []string{"none (withheld)", "client 5 !busy (answered)"}, render(s.fromClientPart([]byte(`"}`+"\n"), true, s.now)))
}
