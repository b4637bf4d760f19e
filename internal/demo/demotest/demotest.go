// Package demotest lets the tests of any package start the demo server as a
// real process without building anything: the test binary itself is the server
// when it is started with the arguments of mcpdbg demo-server.
//
//	func TestMain(m *testing.M) { demotest.Main(m) }
//
//	argv := demotest.Command("dies-at-start")
package demotest

import (
	"context"
	"os"
	"testing"

	"mcpdbg/internal/demo"
	"mcpdbg/internal/testhome"
)

// Main runs the tests, or the demo server if the process was started with the
// arguments of Command. It does not return.
func Main(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "demo-server" {
		testhome.Main(m)
	}
	ctx := context.Background()
	if len(os.Args) == 4 && os.Args[2] == "--misbehave" {
		os.Exit(demo.Misbehave(ctx, os.Args[3], os.Stdin, os.Stdout, os.Stderr, demo.Options{}))
	}
	os.Exit(demo.Serve(ctx, os.Stdin, os.Stdout, os.Stderr, demo.Options{}))
}

// Command returns the command line of a demo server that misbehaves in the
// given way (see demo.Kinds), or of a healthy one if kind is empty. It panics
// if the test binary cannot be found.
func Command(kind string) []string {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	if kind == "" {
		return []string{exe, "demo-server"}
	}
	return []string{exe, "demo-server", "--misbehave", kind}
}

// FastExit is an environment entry that spares a server under the race detector
// the one-second delay at its exit. Without the detector it has no effect.
const FastExit = "GORACE=atexit_sleep_ms=0"
