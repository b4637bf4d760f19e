//go:build unix

package sshexec

import (
	"os"
	"testing"

	"mcpdbg/session/exectest"
)

func TestMain(m *testing.M) {
	if exectest.HelperMain() || driverMain() {
		return
	}
	os.Exit(m.Run())
}
