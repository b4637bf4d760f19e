package sshauth

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlainText(t *testing.T) {
	tests := []struct{ in, want string }{
		{" work laptop\n", "work laptop"},
		{"a\x1b[31mb\x00\u202e\xff", `a\x1b[31mb\x00\u202e\xff`},
		{`say "hi"`, `say "hi"`},
		{"zwölf", "zwölf"},
		{"", ""},
	}
	for _, test := range tests {
		require.Equal(t, test.want, plain(test.in))
	}
	require.Less(t, len(plain(string(make([]byte, 1000)))), 500)
}

// No error has the address of the agent.
func TestAgentErrors(t *testing.T) {
	addr := &net.UnixAddr{Name: "/run/secret/agent", Net: "unix"}
	op := func(err error) error { return &net.OpError{Op: "read", Net: "unix", Addr: addr, Err: err} }
	tests := []struct {
		err  error
		want string
	}{
		{op(net.ErrClosed), "use of closed network connection"},
		{op(os.NewSyscallError("connect", syscall.ENOENT)), "no such file or directory"},
		{op(os.ErrDeadlineExceeded), "it did not reply in time"},
		{op(os.NewSyscallError("write", syscall.EPIPE)), "it closed the connection"},
		{fmt.Errorf("read: %w", io.EOF), "it closed the connection"},
		{errors.New("other"), "other"},
	}
	for _, test := range tests {
		require.EqualError(t, agentError(test.err), test.want)
	}
	require.NoError(t, agentError(nil))
}
