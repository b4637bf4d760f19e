//go:build unix

package execserver

import (
	"flag"
	"os"
	"testing"
	"time"

	"mcpdbg/session/exectest"
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
