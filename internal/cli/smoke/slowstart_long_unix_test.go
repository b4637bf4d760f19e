//go:build long && !windows

package smoke_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLongSlowStartsOnABusyMachine checks the servers of TestServersThatStartSlowly
// while four loops use the processors, and one that stops reading after a bad line: that costs the
// check its whole startup timeout, twice.
func TestLongSlowStartsOnABusyMachine(t *testing.T) {
	for range 4 {
		loop := exec.CommandContext(t.Context(), "/bin/sh", "-c", "while :; do :; done")
		require.NoError(t, loop.Start())
		t.Cleanup(func() { _ = loop.Wait() }) // its context has ended
	}
	checkSlowStarts(t, append(slowStarts[:len(slowStarts):len(slowStarts)], slowStart{
		name: "Go SDK", argv: []string{"${SERVERS}/bin/gosdk-everything"}, limit: "1m", legacy: true,
		fails: []string{"bad-line"}, problems: []string{"LIF09", "TOL02"},
	}))
}
