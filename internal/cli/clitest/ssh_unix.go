//go:build unix

package clitest

import (
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mcpdbg/sshexec/sshtest"
)

// CommandOverSSH returns args with the server on a host, where processes inherit the
// test's mark, too.
func CommandOverSSH(t *testing.T, s *sshtest.Server, args ...string) *exec.Cmd {
	t.Helper()
	cmd := Program(t)
	mark := ""
	for _, entry := range cmd.Env {
		if value, ok := strings.CutPrefix(entry, MarkName+"="); ok {
			mark = value
		}
	}
	cmd.Args = slices.Concat(cmd.Args, args[:1], []string{"--ssh", s.Alias, "-F", s.Config, "-e", MarkName + "=" + mark}, args[1:])
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal to prompt on
	return cmd
}

// OverSSH runs the program against a server on a host.
func OverSSH(t *testing.T, s *sshtest.Server, args ...string) Result {
	t.Helper()
	return Finish(t, CommandOverSSH(t, s, args...))
}
