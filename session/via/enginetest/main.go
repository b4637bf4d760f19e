//go:build linux

package enginetest

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// The names of the test binary in an engine's folder.
const (
	daemonName = "engined"
	socketName = "engine.sock"
	callsName  = "calls"
	faultName  = "fault"
	optionName = "options"
)

// The first argument of a daemon's own processes.
const (
	daemonRole = "enginetest-daemon"
	initRole   = "enginetest-init"
)

var clients = []string{"docker", "podman", "nerdctl", "kubectl", standAlone}

// standAlone is docker compose as a program of its own.
const standAlone = "docker-compose"

// Main runs a program of an engine, and reports whether this process was started as one;
// TestMain then returns. The programs are links to the test binary.
func Main() (ran bool) {
	if len(os.Args) > 2 && os.Args[1] == initRole {
		syscall.Exit(initMain(os.Args[2:]))
	}
	self, err := os.Executable()
	if err != nil {
		return false
	}
	dir, name := filepath.Split(self)
	if _, err := os.Lstat(filepath.Join(dir, optionName)); err != nil {
		return false
	}
	switch {
	case name == daemonName && len(os.Args) > 1 && os.Args[1] == daemonRole:
		syscall.Exit(daemonMain(filepath.Clean(dir)))
	case slices.Contains(clients, name):
		// Skip the exit hooks of the test binary, some of which take a second.
		syscall.Exit(clientMain(filepath.Clean(dir), name, os.Args[1:]))
	}
	return false
}
