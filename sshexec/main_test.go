//go:build unix

package sshexec

import (
	"flag"
	"os"
	"runtime"
	"strconv"
	"testing"

	"mcpdbg/session/exectest"
)

func TestMain(m *testing.M) {
	if exectest.HelperMain() || driverMain() {
		return
	}
	// The tests wait for other programs more than they compute.
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
