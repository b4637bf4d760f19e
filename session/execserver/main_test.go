//go:build unix

package execserver

import (
	"context"
	"flag"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	own "mcpdbg/internal/cli/execserver"

	"mcpdbg/internal/cli/console"
	"mcpdbg/session/exectest"
	"mcpdbg/session/localexec"
)

// waitLimit is how long a test waits for anything.
const waitLimit = 5 * time.Minute

// seed repeats the moments of a run that has failed.
var seed = flag.Uint64("seed", uint64(time.Now().UnixNano()), "of random moments and sizes")

func TestMain(m *testing.M) {
	if exectest.HelperMain() || roles() {
		return
	}
	if err := os.Setenv(exectest.SecretName, exectest.SecretValue); err != nil { // for the suites
		panic(err)
	}
	os.Exit(m.Run())
}

// roles runs the test binary as the program, as its watchdog, or as a client that is killed.
func roles() (ran bool) {
	if len(os.Args) < 2 {
		return false
	}
	switch os.Args[1] {
	case console.WatchdogCommand:
		syscall.Exit(localexec.Watchdog(os.Stdin)) // os.Exit takes a second under the race detector
	case "exec-server":
		env := &console.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Self: console.Self()}
		cmd := own.Command(env)
		cmd.SetArgs(os.Args[2:])
		if err := cmd.ExecuteContext(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			syscall.Exit(1)
		}
		syscall.Exit(0)
	}
	return false
}
