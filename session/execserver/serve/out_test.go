package serve

import (
	"bytes"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/execserver/wire"
)

// TestClientThatDoesNotRead checks that the responses to its requests do not pile up.
func TestClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	server, client := net.Pipe()
	o := newOut(wire.NewLines(server, MaxMessage))
	message := bytes.Repeat([]byte("x"), 1<<20)
	for range maxOut >> 20 {
		o.add(message)
		require.False(t, o.broken)
	}
	o.add(message)
	require.True(t, o.broken)
	require.Nil(t, o.buf)
	_, err := client.Read(message)
	require.Error(t, err, "the connection has ended")
}
