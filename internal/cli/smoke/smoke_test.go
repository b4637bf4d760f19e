package smoke

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWithoutPlace(t *testing.T) {
	for message, want := range map[string]string{
		"start on root@h:22: connection refused":     "connection refused",
		"start: program x does not exist":            "program x does not exist",
		"start on the edge":                          "start on the edge",
		"timed out handshaking with sleep after 8 s": "timed out handshaking with sleep after 8 s",
	} {
		require.Equal(t, want, withoutPlace(message))
	}
}
