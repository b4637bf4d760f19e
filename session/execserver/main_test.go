//go:build unix

package execserver

import (
	"os"
	"syscall"
	"testing"
	"time"

	"mcpdbg/session/exectest"
	"mcpdbg/session/localexec"
)

// waitLimit is how long a test waits for anything.
const waitLimit = 5 * time.Minute

// watchdogArg makes the test binary run a watchdog.
const watchdogArg = "watchdog-of-execserver"

func TestMain(m *testing.M) {
	if exectest.HelperMain() {
		return
	}
	if len(os.Args) > 1 && os.Args[1] == watchdogArg {
		syscall.Exit(localexec.Watchdog(os.Stdin)) // os.Exit takes a second under the race detector
	}
	if err := os.Setenv(exectest.SecretName, exectest.SecretValue); err != nil { // for the suites
		panic(err)
	}
	os.Exit(m.Run())
}
