//go:build unix

package sshexec

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshtest"
)

// TestTransportsBehaveTheSame runs one session through each transport: the results
// are the same.
func TestTransportsBehaveTheSame(t *testing.T) {
	t.Parallel()
	server := sshtest.OpenSSH(t, sshtest.Options{})
	shared := sshtest.OpenSSH(t, sshtest.Options{})
	config, err := os.OpenFile(shared.Config, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = fmt.Fprintf(config, "ControlPath %s\n", sshtest.Master(t, shared)) // in the block of the server
	require.NoError(t, err)
	require.NoError(t, config.Close())
	for _, c := range []struct {
		transport, told Transport
		server          *sshtest.Server
	}{
		{TransportNative, TransportNative, server},
		{TransportMaster, TransportMaster, shared},
		{TransportAuto, TransportMaster, shared},
		{TransportBinary, TransportBinary, server},
	} {
		t.Run(string(c.transport), func(t *testing.T) {
			e := at(t, c.server, func(o *Options) { o.Transport = c.transport })
			defer func() { require.NoError(t, e.Close()) }()
			p, err := e.Start(t.Context(), helper("line", "out", "heard", "err", "aside", "exit", "7"))
			require.NoError(t, err)
			require.Equal(t, string(c.told), p.Info().Link.Transport)
			_, err = p.Write(t.Context(), "", []byte("\n"))
			require.NoError(t, err)
			_, stdout := collected(t, p)
			require.Equal(t, "heard", stdout)
			require.Equal(t, executor.Exit{Kind: executor.ExitCode, Code: 7}, *p.Info().Exit)

			p, err = e.Start(t.Context(), helper("spawn", "daemon", "ignore", "TERM", "pid", "hang", "end", "hang"))
			require.NoError(t, err)
			r, err := p.Read(t.Context(), 0, 0, waitLimit)
			require.NoError(t, err)
			require.NotEmpty(t, r.Chunks)
			tree, err := p.Tree(t.Context())
			require.NoError(t, err)
			require.Len(t, tree, 2)
			report, err := p.Terminate(t.Context())
			require.NoError(t, err)
			require.True(t, report.Running)
			require.Equal(t, executor.Exit{Kind: executor.ExitSignal, Signal: "KILL"}, *p.Info().Exit)
			for _, d := range tree {
				require.False(t, exectest.Alive(d.PID))
			}
		})
	}
}
