package diagnosis

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAdviceLine(t *testing.T) {
	for line, want := range map[string]string{
		"ModuleNotFoundError: No module named 'mcp'":            "Python environment",
		"Error: Cannot find module '/srv/index.js'":             "dependencies",
		"Error: listen EADDRINUSE: address already in use :::3": "stdio mode",
	} {
		require.Contains(t, AdviceLine(line), want)
	}
	require.Empty(t, AdviceLine("boom"))
}

func TestWithoutPath(t *testing.T) {
	for hint, want := range map[string]string{
		"not in PATH=/bin:/usr/bin; give its path":         "not in PATH; give its path",
		`not in PATH=C:\Program Files;C:\x; give its path`: "not in PATH; give its path",
		"not in PATH=/bin": "not in PATH",
		"give its path, or set PATH with --env; MYPATH=/bin": "give its path, or set PATH with --env; MYPATH=/bin",
	} {
		require.Equal(t, want, WithoutPath(hint))
	}
}
