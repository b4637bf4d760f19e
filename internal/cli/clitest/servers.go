package clitest

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// NeedFile skips the test without a fetched file, and fails it in CI.
func NeedFile(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "%v", err)
		t.Skipf("not fetched: %v", err)
	}
}

// Everything is the reference server, in the version that .ci/run fetches.
const Everything = "@modelcontextprotocol/server-everything@2026.8.31"

// A RealServer is a third-party server.
type RealServer struct {
	Program string   // required
	Argv    []string // none: that of Reference
	Era     string
	Tool    string   // to call
	Args    []string // with
	Says    string   // in its response
}

// RealServers are a server in JavaScript and two in Go.
var RealServers = []RealServer{
	{"npx", nil, "legacy", "echo", []string{"message=hello there"}, "hello there"},
	{"gopls", []string{"gopls", "mcp"}, "", "go_workspace", nil, "content"},
	{"gosdk-everything", []string{"gosdk-everything"}, "modern", "greet", []string{"name=Ada"}, "Ada"},
}

// Command returns a server's command line, and skips the test without the server.
func (s RealServer) Command(t *testing.T, flags ...string) []string {
	t.Helper()
	Need(t, s.Program)
	argv := s.Argv
	if argv == nil {
		argv = []string{Reference(t), "stdio"}
	}
	return append(append(flags, "--startup-timeout", "4m", "--"), argv...)
}

// Reference returns the program of the reference server, and skips the test if npx could
// not fetch it. Starting it by npx takes three times as long.
func Reference(t testing.TB) string {
	t.Helper()
	Need(t, "npx")
	path, err := fetched()
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip("npx could not fetch the server: ", err)
	}
	require.NoError(t, err)
	return path
}

var fetched = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), WaitLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npx", "-y", "-p", Everything, "-c", "command -v mcp-server-everything")
	cmd.WaitDelay = holding
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
})
