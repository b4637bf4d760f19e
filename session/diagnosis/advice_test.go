package diagnosis

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAdviceLine(t *testing.T) {
	for line, want := range map[string]string{
		"ModuleNotFoundError: No module named 'mcp'":                                                                   "Python environment",
		"Error: Cannot find module '/srv/index.js'":                                                                    "dependencies",
		"Error: listen EADDRINUSE: address already in use :::3":                                                        "stdio mode",
		"sudo: a terminal is required to read the password; either use the -S option to read from standard input":      "NOPASSWD",
		"sudo: no tty present and no askpass program specified":                                                        "NOPASSWD",
		"sudo: a password is required":                                                                                 "NOPASSWD",
		"docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?":    "start the docker daemon",
		"docker: permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock": "group docker",
		"Cannot connect to Podman. Please verify your connection to the Linux system":                                  "podman machine start",
		"The connection to the server localhost:8080 was refused - did you specify the right host or port?":            "KUBECONFIG",
		"Unable to connect to the server: dial tcp: lookup k8s.example.com: no such host":                              "KUBECONFIG",
		"OSError: [Errno 24] Too many open files: '/srv/x'":                                                            "ulimit -n",
		"Error: EMFILE: too many open files, watch":                                                                    "ulimit -n",
	} {
		require.Contains(t, AdviceLine(line), want)
	}
	require.Empty(t, AdviceLine("boom"))
}

func TestAdviceCommandOverSSH(t *testing.T) {
	for _, code := range []int{126, 127} {
		remote := AdviceCommand(code, true)
		require.Contains(t, remote, "neither a login shell nor interactive: try --path-from login, or --path-from interactive")
		require.NotContains(t, AdviceCommand(code, false), "--path-from")
	}
	require.Empty(t, AdviceCommand(1, true))
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
